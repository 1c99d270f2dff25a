"""`size_llm` as a whole: cuts that were asked for, several machines, engine limits, budgets, regions, vGPU slices."""

from __future__ import annotations

import shlex
from decimal import Decimal
from typing import Any, Literal

import pytest

from knowledge.errors import InputError
from knowledge.facts import gpus, instances, models
from tools.advise import Wish
from tools.compatibility import loads_fp8_weight_only
from tools.long_context import override_words, yarn_factor
from tools.parallel import needs_expert_parallel, tensor_parallel_sizes
from tools.serving import ServingJob, serving_sum
from tools.sizing import LlmRequest, size_llm
from tools.sizing_results import LlmSizing
from tools.weights import weights_bytes, weights_bytes_per_gpu

Lang = Literal["zh", "en"]


def size(model: str, *, language: Lang = "en", **asked: Any) -> LlmSizing:
    return size_llm(LlmRequest(model=model, **asked), language=language)


def words_of(sizing: LlmSizing) -> list[str]:
    return shlex.split(sizing.estimate.command or "")


def flag(sizing: LlmSizing, name: str) -> str:
    words = words_of(sizing)
    return words[words.index(name) + 1]


# ---- a stated tensor-parallel size


@pytest.mark.parametrize(
    ("model", "tensor_parallel"),
    [("Qwen2.5-7B-Instruct", 2), ("Qwen2.5-7B-Instruct", 4), ("Qwen2.5-72B-Instruct", 8), ("Qwen3-8B", 1)],
)
def test_a_stated_size_restricts_the_machines(model: str, tensor_parallel: int) -> None:
    sizing = size(model, tensor_parallel=tensor_parallel)
    assert sizing.tensor_parallel == tensor_parallel
    assert flag(sizing, "--tensor-parallel-size") == str(tensor_parallel)
    rows = [*sizing.advice.recommendations, *sizing.advice.near_misses, *sizing.advice.off_sale]
    assert rows
    assert all(row.gpu_count >= tensor_parallel for row in rows)
    needs = {row.required_gib_per_gpu for row in rows if row.gpu_id == "nvidia-a100-80gb"}
    assert len(needs) <= 1  # that size on four cards and on eight


@pytest.mark.parametrize(
    ("model", "tensor_parallel", "language", "words"),
    [
        ("Qwen2.5-7B-Instruct", 3, "en", "possible are 1, 2, 4"),
        ("Qwen2.5-7B-Instruct", 8, "zh", "不能做 8 路张量并行；可用 1, 2, 4"),
        ("Qwen2.5-7B-Instruct", 0, "zh", "不能做 0 路张量并行"),
        ("Qwen3-30B-A3B", -8, "en", "cannot be cut into -8"),
        ("DeepSeek-V3", 16, "zh", "张量并行不跨机"),
        ("DeepSeek-V3", 16, "en", "stays inside one machine"),
    ],
)
def test_an_impossible_size_is_one_sentence(model: str, tensor_parallel: int, language: Lang, words: str) -> None:
    with pytest.raises(InputError, match=words):
        size(model, tensor_parallel=tensor_parallel, language=language)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"weight_dtype": "fp9"}, "没有叫"),
        ({"kv_dtype": "awq"}, "KV 缓存不能用"),
        ({"kv_dtype": "q99"}, "没有叫"),
        ({"context": 0}, "上下文长度须为正数"),
        ({"concurrency": -1}, "并发数须为正数"),
        ({"context": 10**9}, "上下文长度最多"),
    ],
)
def test_errors_are_in_the_language_of_the_question(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        size("Qwen3-8B", language="zh", **asked)
    with pytest.raises(InputError) as caught:
        size("Qwen3-8B", language="en", **asked)
    assert str(caught.value).isascii()


def test_a_check_with_too_few_cards_says_so() -> None:
    (check,) = size("Qwen2.5-7B-Instruct", tensor_parallel=4, on=("nvidia-a10x2",)).checks
    assert not check.fits
    assert "only 2 cards" in (check.blocked or "")


# ---- several machines


def test_deepseek_v3_is_two_stages_on_two_machines() -> None:
    sizing = size("DeepSeek-V3", context=65536, concurrency=16)
    first = sizing.advice.multi[0]
    assert (first.instances, first.gpu_count, first.gpu_id) == (2, 8, "nvidia-h20-96gb")
    assert (sizing.tensor_parallel, sizing.pipeline_parallel) == (8, 2)
    assert flag(sizing, "--tensor-parallel-size") == "8"
    assert flag(sizing, "--pipeline-parallel-size") == "2"
    assert first.required_gib_per_gpu == pytest.approx(78.4, abs=1.5)  # 39.2 + 34.3 + 4.9, and the larger stage
    assert any("RDMA" in reason for reason in first.reasons)
    assert any("Ray" in caution for caution in first.cautions)
    assert "several_machines" in sizing.cautions


def test_deepseek_r1_in_bf16_is_three_stages() -> None:
    sizing = size("DeepSeek-R1", weight_dtype="bf16", wish=Wish(families=frozenset({"gn7e"})))
    assert [(row.instances, row.gpu_count) for row in sizing.advice.multi[:1]] == [(3, 8)]
    assert (sizing.tensor_parallel, sizing.pipeline_parallel) == (8, 3)


@pytest.mark.parametrize("model", ["DeepSeek-V3", "Qwen2.5-72B-Instruct", "gemma-3-27b-it", "Qwen3.6-27B"])
@pytest.mark.parametrize("stages", [2, 3, 4])
def test_stages_hold_whole_layers_and_one_end(model: str, stages: int) -> None:
    row = models()[model]
    job = ServingJob(model=row, weight_dtype="fp8", context=32768, concurrency=4)
    one, cut = (serving_sum(job, gpus()["nvidia-h20-96gb"], tensor_parallel=4, pipeline_parallel=n) for n in (1, stages))
    assert one.weights_bytes_per_gpu / stages <= cut.weights_bytes_per_gpu < one.weights_bytes_per_gpu
    layer = weights_bytes(row, "fp8") / (row.layers or 1) / 4
    ends = (row.vocab_size or 0) * (row.hidden_size or 0) * 2 / 4
    assert cut.weights_bytes_per_gpu <= one.weights_bytes_per_gpu / stages + layer + ends
    assert one.kv_bytes_per_sequence_per_gpu / stages <= cut.kv_bytes_per_sequence_per_gpu
    assert cut.kv_bytes_per_sequence_per_gpu < one.kv_bytes_per_sequence_per_gpu
    assert cut.weights_bytes == one.weights_bytes


def test_more_stages_than_layers_are_refused() -> None:
    job = ServingJob(model=models()["Qwen3-8B"], weight_dtype="bf16")
    with pytest.raises(InputError, match="between 1 and the 36 layers"):
        serving_sum(job, gpus()["nvidia-a10"], tensor_parallel=1, pipeline_parallel=37)


def test_one_stage_changes_nothing() -> None:
    row = models()["Qwen2.5-7B-Instruct"]
    assert weights_bytes_per_gpu(row, "bf16", tensor_parallel=1, pipeline_parallel=1) == weights_bytes(row, "bf16")


# ---- FP8


@pytest.mark.parametrize("language", ["zh", "en"])
def test_fp8_weight_only_is_told_beside_the_native_machines(language: Lang) -> None:
    sizing = size("Qwen3-32B", weight_dtype="fp8", language=language)
    assert all(gpus()[row.gpu_id].fp8 for row in sizing.advice.recommendations)
    assert "Marlin" in sizing.advice.blocked["nvidia-a10"]
    assert "Marlin" not in sizing.advice.blocked["nvidia-t4"]
    assert sizing.weight_only is not None
    card = gpus()[instances()[sizing.weight_only.instance_type].gpu_id]
    assert 8.0 <= (card.compute_capability or 0) < 8.9
    assert sizing.weight_only.hourly is not None


@pytest.mark.parametrize("model", ["DeepSeek-V3", "Qwen3-30B-A3B"])
def test_experts_in_fp8_are_not_offered_weight_only(model: str) -> None:
    sizing = size(model, weight_dtype="fp8")
    assert sizing.weight_only is None
    assert "nvidia-a100-80gb" in sizing.advice.blocked
    assert "Marlin" not in sizing.advice.blocked["nvidia-a100-80gb"]
    assert not loads_fp8_weight_only(models()[model], 8.0)


@pytest.mark.parametrize(
    ("model", "dtype", "cards", "sizes", "whole_experts"),
    [
        ("Qwen3-235B-A22B", "fp8", 8, (8, 4, 2, 1), {8}),  # 1536 / 8 = 192
        ("Qwen3-30B-A3B", "fp8", 8, (8, 4, 2, 1), {4, 8}),  # 768 / 4 = 192
        ("Qwen3-235B-A22B", "bf16", 8, (8, 4, 2, 1), set()),
        ("DeepSeek-V3", "fp8", 8, (8, 4, 2, 1), set()),
        ("MiniMax-M2", "fp8", 8, (8, 4, 2, 1), {8}),
        ("Qwen3-Next-80B-A3B-Instruct", "fp8", 8, (4, 2, 1), set()),  # the shared expert would be cut at 8
        ("Qwen3-4B", "fp8", 8, (4, 2, 1), set()),  # 9728 / 8 = 1216 = 9.5 blocks
        ("GLM-4.5", "fp8", 8, (8, 4, 2, 1), set()),  # no blocks
    ],
)
def test_shards_hold_whole_fp8_blocks(
    model: str, dtype: str, cards: int, sizes: tuple[int, ...], whole_experts: set[int]
) -> None:
    row = models()[model]
    assert tensor_parallel_sizes(row, cards, dtype) == sizes
    assert {n for n in sizes if needs_expert_parallel(row, dtype, n)} == whole_experts


@pytest.mark.parametrize(("tensor_parallel", "there"), [(8, True), (4, False)])
def test_whole_experts_are_in_the_command(tensor_parallel: int, there: bool) -> None:
    sizing = size("Qwen3-235B-A22B", weight_dtype="fp8", tensor_parallel=tensor_parallel)
    assert ("--enable-expert-parallel" in words_of(sizing)) is there
    assert any("whole experts" in sentence for sentence in sizing.estimate.assumptions) is there


@pytest.mark.parametrize("model", ["gpt-oss-20b", "gpt-oss-120b", "Kimi-K2.5", "DeepSeek-V4-Flash"])
def test_models_published_in_four_bits_are_never_quantised_to_fp8(model: str) -> None:
    sizing = size(model, weight_dtype="fp8")
    assert "--quantization" not in words_of(sizing)
    assert words_of(sizing)[2] == models()[model].hf_id
    assert any("loaded as published" in sentence for sentence in sizing.estimate.assumptions)
    assert "weights_fp8" not in {variant.code for variant in sizing.variants}


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("GLM-4.5-Air", "zai-org/GLM-4.5-Air-FP8"), ("GLM-4.6", "zai-org/GLM-4.6-FP8"),
        ("Qwen3-Coder-480B-A35B-Instruct", "Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8"),
        ("Qwen3-Next-80B-A3B-Instruct", "Qwen/Qwen3-Next-80B-A3B-Instruct-FP8"),
        ("Qwen3-30B-A3B-Instruct-2507", "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8"),
        ("Llama-3.1-405B-Instruct", "meta-llama/Llama-3.1-405B-Instruct-FP8"),
    ],
)  # fmt: skip
def test_official_fp8_repositories(model: str, path: str) -> None:
    sizing = size(model, weight_dtype="fp8")
    assert words_of(sizing)[2] == path
    assert sizing.totals.disk_gib == pytest.approx(sizing.totals.weights_gib * 1.2 + 60)


def test_quantising_while_loading_downloads_sixteen_bits() -> None:
    sizing, full = (size("Llama-3.1-70B-Instruct", weight_dtype=kind) for kind in ("fp8", "bf16"))
    assert flag(sizing, "--quantization") == "fp8"
    assert sizing.totals.disk_gib == full.totals.disk_gib
    assert sizing.totals.weights_gib < 0.6 * full.totals.weights_gib
    assert any("16-bit files" in sentence for sentence in sizing.estimate.assumptions)


def test_an_fp8_cache_is_offered_only_on_cards_that_have_fp8() -> None:
    offered = [
        variant
        for model in ("Qwen3-8B", "Qwen2.5-72B-Instruct", "Llama-3.1-8B-Instruct", "Qwen3-14B")
        for users in (4, 16)
        for variant in size(model, context=32768, concurrency=users).variants
    ]
    assert offered
    cards = [gpus()[instances()[v.instance_type].gpu_id] for v in offered if v.code == "kv_fp8"]
    assert all(card.fp8 for card in cards)


@pytest.mark.parametrize(("language", "words"), [("zh", "fp8_e5m2"), ("en", "fp8e4nv not supported")])
def test_an_fp8_cache_that_was_asked_for_bears_a_caution(language: Lang, words: str) -> None:
    sizing = size("Qwen3-8B", kv_dtype="fp8", wish=Wish(gpu_ids=frozenset({"A10"})), language=language)
    assert any(words in caution for caution in sizing.advice.recommendations[0].cautions)


# ---- other limits of the engine


@pytest.mark.parametrize("language", ["zh", "en"])
def test_gemma_is_not_served_in_float16(language: Lang) -> None:
    sizing = size("gemma-3-12b-it", on=("nvidia-t4x4", "nvidia-a10x4"), language=language)
    turing, ampere = sizing.checks
    assert "float16" in (turing.blocked or "")
    assert ampere.blocked is None
    assert not {"nvidia-t4", "nvidia-v100-32gb"} & {row.gpu_id for row in sizing.advice.recommendations}
    asked = size("gemma-3-12b-it", weight_dtype="fp16", language=language)
    assert "half" not in words_of(asked)


@pytest.mark.parametrize(("language", "words"), [("zh", "GPTQ"), ("en", "GPTQ")])
def test_what_volta_cannot_run_names_what_it_can(language: Lang, words: str) -> None:
    (awq,) = size("Qwen3-8B", weight_dtype="awq", on=("nvidia-v100-16gb",), language=language).checks
    assert words in (awq.blocked or "")
    assert "7.5" in (awq.blocked or "")
    assert "7.0" not in (awq.blocked or "")
    volta = size("Qwen3-8B", weight_dtype="int8", wish=Wish(gpu_ids=frozenset({"nvidia-v100-16gb"})), language=language)
    assert words_of(volta)[2] == "./Qwen3-8B-GPTQ-Int8"
    assert "int8_only_gptq" in volta.cautions


@pytest.mark.parametrize(
    ("model", "context", "factor"),
    [
        ("Qwen2.5-7B-Instruct", 65536, 2.0), ("Qwen2.5-72B-Instruct", 131072, 4.0), ("Qwen3-8B", 100_000, 3.5),
        ("Qwen2.5-7B-Instruct", 200_000, None), ("Qwen2.5-0.5B-Instruct", 65536, None),
        ("Qwen3-30B-A3B-Instruct-2507", 300_000, None), ("Llama-3.1-8B-Instruct", 200_000, None),
    ],
)  # fmt: skip
def test_longer_contexts_by_yarn_where_the_card_says_so(model: str, context: int, factor: float | None) -> None:
    row = models()[model]
    assert yarn_factor(row, context) == factor
    words = override_words(row, context)
    assert bool(words) is (factor is not None)
    sizing = size(model, context=context, concurrency=1)
    assert ("--hf-overrides" in words_of(sizing)) is (factor is not None)
    assert ("context_refused" in sizing.cautions) is (factor is None)
    assert "context_beyond_model" in sizing.cautions


@pytest.mark.parametrize(("model", "context"), [("Qwen3-8B", 40960), ("Qwen2.5-7B-Instruct", 32768), ("Qwen3-8B", 1)])
def test_contexts_within_the_model_need_no_flag(model: str, context: int) -> None:
    assert override_words(models()[model], context) == []


# ---- vGPU slices, counts, budgets, regions


@pytest.mark.parametrize("name", ["vgn7i-vws-m4.xlarge", "ecs.vgn7i-vws-m4.xlarge", "ECS.VGN7I-VWS-M4.XLARGE"])
def test_a_named_slice_is_checked_against_its_own_memory(name: str) -> None:
    sizing = size("Qwen3-0.6B", concurrency=1, on=(name,))
    (check,) = sizing.checks
    assert check.usable_gib == pytest.approx(4.0, abs=0.01)
    assert check.fits
    assert any("GRID" in caution for caution in check.cautions)
    assert check.instance_type in {row.instance_type for row in sizing.advice.recommendations}
    large = size("Qwen3-8B", concurrency=1, on=(name,))
    assert not large.checks[0].fits
    assert not any(instances()[row.instance_type].vgpu for row in large.advice.recommendations)


def test_a_family_of_slices_gives_the_smallest_that_fits() -> None:
    checks = size("Qwen3-0.6B", concurrency=1, on=("sgn7i-vws",)).checks
    assert [check.fits for check in checks] == [False, True]
    wished = size("Qwen3-0.6B", concurrency=1, wish=Wish(families=frozenset({"sgn7i-vws"})))
    assert all(row.family == "sgn7i-vws" for row in wished.advice.recommendations)
    assert any("GRID" in caution for caution in wished.advice.recommendations[0].cautions)


@pytest.mark.parametrize(
    ("name", "there", "nearest"),
    [("nvidia-a10x3", False, [2, 4]), ("nvidia-t4x8", False, [4]), ("nvidia-a10x2", True, []), ("nvidia-a10", True, [])],
)
def test_counts_that_no_type_has(name: str, there: bool, nearest: list[int]) -> None:
    check = size("Qwen3-8B", on=(name,)).checks[0]
    assert (check.in_catalog, check.nearest_counts) == (there, nearest)


def test_a_budget_that_leaves_nothing_names_the_cheapest_machine() -> None:
    sizing = size("Qwen2.5-72B-Instruct", concurrency=8, context=32768, wish=Wish(max_hourly=Decimal(20)))
    assert not sizing.advice.recommendations
    assert sizing.over_budget is not None
    assert sizing.over_budget.fits
    free = size("Qwen2.5-72B-Instruct", concurrency=8, context=32768)
    assert sizing.over_budget.instance_type == free.advice.recommendations[0].instance_type
    assert not any(row.fits for row in sizing.advice.near_misses)
    assert all(variant.within_budget is False for variant in sizing.variants)
    assert all(variant.within_budget is None for variant in free.variants)


def test_variants_within_the_budget_come_first() -> None:
    sizing = size("Qwen2.5-72B-Instruct", concurrency=8, context=32768, wish=Wish(max_hourly=Decimal(70)))
    kept = [variant.within_budget for variant in sizing.variants]
    assert True in kept
    assert kept == sorted(kept, key=lambda within: within is not True)
    assert all(v.hourly is not None and v.hourly <= 70 for v in sizing.variants if v.within_budget)
    assert size("Qwen3-8B", wish=Wish(max_hourly=Decimal(100))).over_budget is None


@pytest.mark.parametrize(("region", "priced"), [("cn-hangzhou", True), ("us-west-1", True), ("eu-west-1", False)])
def test_a_region_without_prices_says_so(region: str, priced: bool) -> None:
    sizing = size("Qwen3-8B", wish=Wish(region=region))
    first = sizing.advice.recommendations[0]
    assert first.fits
    assert first.status == "on_sale"
    assert sizing.region_has_prices is priced
    told = any("no price at all is on record" in reason for reason in first.reasons)
    assert told is not priced


@pytest.mark.parametrize(("asked", "taken"), [(204_800, 200_000), (200_000, 200_000), (262_144, 262_144), (8192, 8192)])
def test_binary_thousands_of_the_own_limit_are_the_limit(asked: int, taken: int) -> None:
    sizing = size("Yi-34B-200K", context=asked, concurrency=1)
    assert sizing.context == taken
    assert ("context_beyond_model" in sizing.cautions) is (taken > 200_000)


def test_a_command_beyond_the_models_own_context_carries_what_vllm_asks_for() -> None:
    assert (size("chatglm3-6b", context=32_768, concurrency=1).estimate.command or "").startswith(
        "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 vllm serve THUDM/chatglm3-6b"
    )
    extended = size("Qwen2.5-14B", context=131_072, concurrency=1, weight_dtype="awq")
    assert "VLLM_ALLOW" not in (extended.estimate.command or "")
    assert "--hf-overrides" in (extended.estimate.command or "")
    assert extended.longest_context == 131_072


@pytest.mark.parametrize(("model", "asked"), [("chatglm3-6b", True), ("Kimi-K2-Instruct", True), ("Qwen2.5-7B", False)])
def test_repositories_with_code_of_their_own_are_trusted_by_name(model: str, asked: bool) -> None:
    command = size(model, context=8192, concurrency=1).estimate.command or ""
    assert ("--trust-remote-code" in command) is asked


def test_a_window_in_all_layers_bounds_the_cache() -> None:
    """Mistral-7B-v0.1 attends to 4,096 tokens; a chunked prefill of 2,048 more is held meanwhile."""
    short, long = (size("Mistral-7B-v0.1", context=c, concurrency=1).totals.kv_gib_per_sequence for c in (8192, 32_768))
    assert short == pytest.approx(long)
    assert 0.5 < short < 1.0


def test_hosts_of_arm_are_no_way_to_save() -> None:
    sizing = size("Qwen2.5-7B", context=8192, concurrency=1, wish=Wish(region="cn-beijing"))
    assert all(instances()[variant.instance_type].cpu_arch != "arm64" for variant in sizing.variants)
