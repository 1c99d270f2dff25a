from __future__ import annotations

from dataclasses import replace

import pytest

from knowledge.errors import InputError
from knowledge.facts import gpus
from knowledge.other_facts import encoder_models
from tools.encoders.demand import EncoderDemand, EncoderRequest, encoder_ask, encoder_estimate
from tools.encoders.memory import EncoderJob, encoder_weights
from tools.jobs.size import size_job
from tools.phrases import Language
from tools.units import GIB, MIB


def job(model: str, **settings: object) -> EncoderJob:
    return replace(EncoderJob(encoder_models()[model], tokens=512), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("model", "precision", "gib", "tolerance"),
    [
        ("bge-m3", "fp16", 1.1, 0.05),  # SGLang log (issue 7590), one decimal printed
        ("e5-mistral-7b-instruct", "nf4", 3.9099, 0.01),  # vLLM 0.9.1, bitsandbytes (issue 19964)
        ("Qwen3-Embedding-8B", "bf16", 14.10, 0.01),  # 15.13 GB of safetensors
    ],
)
def test_published_weights(model: str, precision: str, gib: float, tolerance: float) -> None:
    assert encoder_weights(encoder_models()[model], precision) / GIB == pytest.approx(gib, rel=tolerance)


def test_bert_large_training_as_published() -> None:
    """bert-large-uncased, fp32, batch 4 of 512 tokens, eager attention: 14,949 MiB by nvidia-smi (hf-memory-anatomy)."""
    made = job("bert-large-uncased", batch=4, training=True, attention="eager", states="fp32")
    assert encoder_estimate(made).per_gpu_gib.best * GIB / MIB == pytest.approx(14949, rel=0.15)


def test_eager_attention_grows_with_the_square() -> None:
    short, long = (encoder_estimate(job("bge-m3", tokens=n, attention="eager")).parts["activations"] for n in (1024, 8192))
    flash = [encoder_estimate(job("bge-m3", tokens=n)).parts["activations"] for n in (1024, 8192)]
    assert long / short > 40
    assert flash[1] / flash[0] == pytest.approx(8)


def test_what_saves_memory_saves_memory() -> None:
    plain = job("bge-m3", training=True, attention="eager")
    best = encoder_estimate(plain).per_gpu_gib.best
    for less in (
        replace(plain, attention="flash"), replace(plain, checkpointing=True), replace(plain, batch=16),
        replace(plain, method="lora"), replace(plain, states="bf16"), replace(plain, tokens=256),
    ):  # fmt: skip
        assert encoder_estimate(less).per_gpu_gib.best < best


def test_parts_sum_for_every_model() -> None:
    for row in encoder_models().values():
        for training in (False, True):
            estimate = encoder_estimate(job(row.id, training=training))
            assert sum(estimate.parts.values()) == pytest.approx(estimate.per_gpu_gib.best)
            assert row.hf_id in (estimate.command or "")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_whole_sizing(language: Language) -> None:
    ask = encoder_ask(EncoderRequest("bge-reranker-v2-m3", on=("nvidia-t4x1",)), language=language)
    sizing = size_job(ask, solve="batch", language=language)
    assert sizing.checks[0].fits and sizing.solved[0].value > 100
    said = [*sizing.assumed, *sizing.cautions, *sizing.estimate.assumptions, *(change.what for change in sizing.changes)]
    assert all("{" not in line for line in said)
    assert any(("重排序" if language == "zh" else "reranker") in line for line in said)
    assert "text-embeddings-router" in (sizing.estimate.command or "")


def test_decoders_go_to_vllm() -> None:
    ask = encoder_ask(EncoderRequest("Qwen3-Reranker-8B"))
    assert "vllm serve Qwen/Qwen3-Reranker-8B --runner pooling" in (size_job(ask).estimate.command or "")


def test_cards_that_cannot_or_that_bite() -> None:
    demand = EncoderDemand(job("bge-m3"))
    assert demand.blocked(gpus()["nvidia-p4"]) == "compute_capability"
    assert demand.blocked(gpus()["amd-s7150"]) == "not_cuda"
    assert "no_flash" in demand.cautions(gpus()["nvidia-t4"], 1)
    assert demand.cautions(gpus()["nvidia-a10"], 1) == []


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"batch": 0}, "8,192"), ({"tokens": 10**12}, "131,072"), ({"engine": "magic"}, "tei"), ({"attention": "none"}, "flash")],
)
def test_absurd_input_gets_one_sentence(settings: dict[str, object], words: str) -> None:
    for language in ("zh", "en"):
        with pytest.raises(InputError) as caught:
            encoder_ask(EncoderRequest("bge-m3", **settings), language=language)  # type: ignore[arg-type]
        assert words in str(caught.value)


def test_longer_than_the_model_is_a_caution() -> None:
    assert any("512" in line for line in encoder_ask(EncoderRequest("bert-base-chinese", tokens=2048), language="zh").cautions)


@pytest.mark.parametrize(("tokens", "batch"), [(512, 32), (8192, 2), (128, 32)])
def test_longer_texts_come_in_smaller_batches_where_none_is_said(tokens: int, batch: int) -> None:
    ask = encoder_ask(EncoderRequest("bge-m3", tokens=tokens, training=True))
    assert ask.settings["batch"] == batch
