"""The longest context and the most sequences that fit on a named place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from knowledge.errors import InputError
from knowledge.facts import gpus, models
from tools.demand import Wish
from tools.serving import ServingJob, serving_sum
from tools.sizing import LlmRequest, size_llm
from tools.sizing_results import LlmSizing
from tools.solved import Solved

A10 = gpus()["nvidia-a10"]


def solved(quantity: str, *on: str, model: str = "Qwen3-8B", **asked: Any) -> list[Solved]:
    return size_llm(LlmRequest(model=model, on=on or ("nvidia-a10x1",), solve=quantity, **asked)).solved


def test_the_longest_context_of_one_sequence_fills_the_card() -> None:
    (found,) = solved("context")
    job = ServingJob(model=models()["Qwen3-8B"], weight_dtype="bf16", concurrency=1, context=found.value)
    assert 20_000 < found.value < 40_960  # 3.7 GiB of 147,456 bytes per token
    assert serving_sum(job, A10, tensor_parallel=1).fits
    assert not serving_sum(replace(job, context=found.value + 16), A10, tensor_parallel=1).fits
    assert found.required_gib is not None and found.required_gib <= found.limit_gib
    assert not found.capped


def test_the_most_sequences_of_a_context() -> None:
    (found,) = solved("concurrency", context=2048)
    job = ServingJob(model=models()["Qwen3-8B"], weight_dtype="bf16", context=2048, concurrency=found.value)
    account = serving_sum(job, A10, tensor_parallel=1)
    assert account.fits and account.max_sequences == found.value
    assert not serving_sum(replace(job, concurrency=found.value + 1), A10, tensor_parallel=1).fits


def test_the_model_s_own_context_ends_the_search() -> None:
    (found,) = solved("context", "nvidia-h20-96gbx1")
    assert (found.value, found.capped) == (40_960, True)


def test_a_wish_beyond_the_place_names_the_machine_that_takes_it() -> None:
    (short,) = solved("context", context=131_072, concurrency=4)
    assert short.wished == 131_072 and short.value < 131_072
    assert short.next_machine is not None and short.next_machine.fits
    (enough,) = solved("concurrency", context=1024, concurrency=2)
    assert enough.value >= 2 and enough.next_machine is None


@pytest.mark.parametrize(
    ("engine", "dtype"), [("sglang", None), ("transformers", None), ("llama.cpp", "q4_k_m"), ("ollama", None)]
)
def test_every_engine_can_be_solved(engine: str, dtype: str | None) -> None:
    (context,) = solved("context", engine=engine, weight_dtype=dtype)
    (users,) = solved("concurrency", engine=engine, weight_dtype=dtype, context=4096)
    assert context.value > 4096 and users.value >= 1


def test_a_place_that_cannot_run_it_says_why() -> None:
    (blocked,) = solved("context", "nvidia-t4x1", weight_dtype="fp8")
    assert blocked.value == 0 and blocked.blocked is not None
    (small,) = solved("context", model="Qwen2.5-72B-Instruct")
    assert small.value == 0 and small.blocked is None


@pytest.mark.parametrize(
    ("request_", "zh", "en"),
    [
        (LlmRequest(model="Qwen3-8B", solve="context"), "先给出卡或实例", "needs a card or instance"),
        (LlmRequest(model="Qwen3-8B", solve="batch", on=("nvidia-a10",)), "可求 context, concurrency", "possible are context"),
        (LlmRequest(model="Qwen3-8B", engine="transformers", tensor_parallel=2), "按层分摊", "spreads layers over all cards"),
        (LlmRequest(model="Qwen3-30B-A3B", tensor_parallel=8, data_parallel=4), "最多 8 张", "at most 8"),
    ],
)
def test_what_cannot_be_solved_or_cut_gets_one_sentence(request_: LlmRequest, zh: str, en: str) -> None:
    for language, words in (("zh", zh), ("en", en)):
        with pytest.raises(InputError, match=words):
            size_llm(request_, language=language)  # type: ignore[arg-type]


def shown(**asked: Any) -> LlmSizing:
    """On an A100: the cards that may be used differ between engines."""
    return size_llm(LlmRequest(model="Qwen3-8B", wish=Wish(gpu_ids=frozenset({"nvidia-a100-80gb"})), **asked))


def test_the_share_of_memory_moves_limit_and_advice() -> None:
    usual, more, split = shown(), shown(gpu_memory_utilization=0.95), shown(engine="sglang")
    assert more.limit_gib / usual.limit_gib == pytest.approx(0.95 / 0.9)
    assert split.limit_gib / usual.limit_gib == pytest.approx(0.88 / 0.9)
    assert "--gpu-memory-utilization 0.95" in (more.estimate.command or "")
    assert "--mem-fraction-static 0.88" in (split.estimate.command or "")


def test_stages_inside_a_machine_and_ranks_take_its_cards() -> None:
    staged = size_llm(LlmRequest(model="Qwen3-32B", weight_dtype="int8", tensor_parallel=2, pipeline_parallel=2, on=("nvidia-a10x4",)))
    assert (staged.estimate.gpus, staged.pipeline_parallel) == (4, 2)
    assert staged.checks[0].fits and staged.replicas is None
    ranks = size_llm(LlmRequest(model="Qwen3-30B-A3B", data_parallel=2, expert_parallel=True, on=("nvidia-l20x1", "nvidia-l20x4")))
    assert ranks.estimate.gpus % 2 == 0
    assert ranks.checks[0].blocked is not None  # two ranks on one card
    assert ranks.checks[1].blocked is None


def test_gguf_engines_read_widths_as_gguf_types() -> None:
    sizing = shown(engine="ollama", weight_dtype="int4")
    assert sizing.weight_dtype == "q4_k_m"
    assert shown(engine="llama.cpp").weight_dtype == "q4_k_m"
    assert shown(engine="llama.cpp", weight_dtype="int8").weight_dtype == "q8_0"
