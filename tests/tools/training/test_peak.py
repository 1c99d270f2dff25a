"""The peak of a step against published runs, and what must hold whatever the numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from knowledge.facts import models
from knowledge.training_facts import training_constant_rows
from tools.training.activations import layer_bytes, logit_bytes
from tools.training.job import Layout, TrainingJob
from tools.training.peak import training_sum
from tools.training.shape import shape_of
from tools.units import GB, to_gib

LLAMA_3B, LLAMA_7B = models()["Llama-3.2-3B-Instruct"], models()["Llama-2-7b-hf"]
QWEN_7B, QWEN_14B, QWEN_72B = models()["Qwen2.5-7B-Instruct"], models()["Qwen-14B-Chat"], models()["Qwen-72B-Chat"]
TORCHTUNE = TrainingJob(
    LLAMA_3B, method="full", seq=4096, micro_batch=2, accumulation=1, precision="bf16", checkpointing="none", loss="eager",
    framework="torchtune", packing=True,
)  # fmt: skip
PLAIN = TrainingJob(QWEN_7B)
ONE = Layout()


def _gib(job: TrainingJob, layout: Layout = ONE, metric: str = "device") -> float:
    return to_gib(training_sum(job, layout, metric=metric).total)


@pytest.mark.parametrize(
    ("changes", "published"),
    [
        ({}, 60.0),
        ({"loss": "compiled", "fused_layers": True}, 51.0),
        ({"loss": "chunked", "fused_layers": True}, 42.9),
        ({"loss": "chunked", "fused_layers": True, "checkpointing": "full"}, 24.9),
    ],
)
def test_the_ladder_of_torchtune(changes: dict[str, object], published: float) -> None:
    """Llama-3.2-3B, two packed sequences of 4096: "peak memory active" of torchtune's README, in GiB."""
    job = replace(TORCHTUNE, **changes)  # type: ignore[arg-type]
    assert _gib(job, metric="allocator") == pytest.approx(published, rel=0.04)


@pytest.mark.parametrize(("seq", "gigabytes"), [(256, 34.6), (1024, 35.3), (2048, 37.4), (4096, 42.5), (8192, 55.2)])
def test_lora_of_the_qwen_readme(seq: int, gigabytes: float) -> None:
    """Qwen-14B, LoRA of rank 64, one A100."""
    job = TrainingJob(QWEN_14B, seq=seq, lora_rank=64, framework="hf")
    assert _gib(job) == pytest.approx(gigabytes * GB / 2**30, rel=0.065)


@pytest.mark.parametrize(("seq", "gigabytes"), [(256, 215.4), (2048, 228.8), (8192, 289.2)])
def test_zero3_of_the_qwen_readme(seq: int, gigabytes: float) -> None:
    """Qwen-72B, LoRA of rank 64 under DeepSpeed ZeRO-3 on four A100; the figure is that of all four."""
    job = TrainingJob(QWEN_72B, seq=seq, lora_rank=64, framework="hf")
    assert _gib(job, Layout("zero3", 4)) == pytest.approx(gigabytes / 4 * GB / 2**30, rel=0.06)


@pytest.mark.parametrize(("batch", "gigabytes"), [(1, 21.30), (2, 29.07)])
def test_lora_of_litgpt(batch: int, gigabytes: float) -> None:
    """Llama-2-7B, LoRA on q and v, no checkpointing, 1304 tokens: LitGPT's table."""
    job = TrainingJob(
        LLAMA_7B, seq=1304, micro_batch=batch, accumulation=1, lora_targets="q,v", checkpointing="none", framework="litgpt"
    )
    assert _gib(job, metric="allocator") == pytest.approx(gigabytes * GB / 2**30, rel=0.03)


@pytest.mark.parametrize(("scheme", "published"), [("zero2", 18.0), ("zero3", 16.0), ("fsdp", 14.7)])
def test_two_cards_of_ms_swift(scheme: str, published: float) -> None:
    """Qwen2.5-7B, LoRA of rank 8, 2048 tokens on two cards: notes of the maintainers, rounded."""
    layout = Layout(scheme, 2)  # type: ignore[arg-type]
    assert _gib(replace(PLAIN, accumulation=1), layout) == pytest.approx(published, rel=0.09)


def test_full_training_of_ms_swift() -> None:
    """Qwen2.5-7B, everything in bf16 on one card: 76 GiB as noted."""
    assert _gib(TrainingJob(QWEN_7B, method="full", precision="bf16")) == pytest.approx(76, rel=0.05)


def test_saving_of_activation_offloading() -> None:
    """torchtune measures 1.3 GiB for 8192 tokens of Llama-3.2-3B: the layers' inputs."""
    job = replace(TORCHTUNE, checkpointing="full", loss="chunked", step_in_backward=True, fused_layers=True)
    on = replace(job, offload_activations=True)
    assert _gib(job, metric="allocator") - _gib(on, metric="allocator") == pytest.approx(1.3, abs=0.05)


def test_saving_of_chunked_cross_entropy() -> None:
    """torchtune measures 8.1 GiB between 51.0 and 42.9; the formula gives the compiled loss but one chunk."""
    compiled = replace(TORCHTUNE, loss="compiled", fused_layers=True)
    assert _gib(compiled, metric="allocator") - _gib(replace(compiled, loss="chunked"), metric="allocator") == pytest.approx(8.1, rel=0.2)


def test_one_layer_by_the_published_formula() -> None:
    """20·h + 8·I + 4·k·d for SwiGLU, RMSNorm and grouped attention; 186 KB a token and layer for Llama-2-7B."""
    job = TrainingJob(LLAMA_7B, method="full")
    assert layer_bytes(job, shape_of(LLAMA_7B)) == 20 * 4096 + 8 * 11008 + 4 * 4096
    assert layer_bytes(job, shape_of(LLAMA_7B)) / 1000 == pytest.approx(186, abs=0.5)


def test_scores_without_flash_attention() -> None:
    """5·a·s bytes a token (arXiv 2205.05198)."""
    job = TrainingJob(LLAMA_7B, method="full", seq=4096)
    extra = layer_bytes(replace(job, flash_attention=False), shape_of(LLAMA_7B)) - layer_bytes(job, shape_of(LLAMA_7B))
    assert extra == 5 * 32 * 4096


def test_fused_loss_by_the_kernel_benchmark() -> None:
    """Liger's benchmark: 54 KB a token fused at a vocabulary of 128,256."""
    job = TrainingJob(LLAMA_3B, loss="fused")
    assert logit_bytes(job, ONE, shape_of(LLAMA_3B)) == pytest.approx(54_000, rel=0.02)


@pytest.mark.parametrize("job", [PLAIN, TrainingJob(LLAMA_7B, method="full"), TrainingJob(QWEN_7B, method="qlora", objective="dpo")])
@pytest.mark.parametrize("field", ["seq", "micro_batch", "lora_rank"])
def test_memory_never_falls_with_size(job: TrainingJob, field: str) -> None:
    largest = 4096 if field == "lora_rank" else 65536
    sizes = [_gib(replace(job, **{field: value})) for value in (1, 2, 8, 64, 512, largest)]  # type: ignore[arg-type]
    assert sizes == sorted(sizes)
    assert field == "lora_rank" or sizes[-1] > sizes[0]


def test_each_saving_saves() -> None:
    job = TrainingJob(QWEN_7B, method="full", seq=8192, micro_batch=4, checkpointing="none", flash_attention=False)
    steps: list[dict[str, object]] = [
        {}, {"flash_attention": True}, {"checkpointing": "full"}, {"loss": "fused"}, {"precision": "bf16"},
        {"optimizer": "adamw_8bit"}, {"method": "lora"}, {"method": "qlora"},
    ]  # fmt: skip
    sizes = []
    for step in steps:
        job = replace(job, **step)  # type: ignore[arg-type]
        sizes.append(_gib(job))
    assert all(after < before for before, after in zip(sizes, sizes[1:], strict=False))


def test_more_sharding_needs_less() -> None:
    job = TrainingJob(models()["Qwen2.5-32B-Instruct"], method="full")
    sizes = [_gib(job, Layout(scheme, 8)) for scheme in ("ddp", "zero1", "zero2", "zero3")]
    assert sizes == sorted(sizes, reverse=True)
    assert _gib(job, Layout("zero3", 16)) < _gib(job, Layout("zero3", 8))


def test_the_peak_is_a_moment_and_no_sum() -> None:
    account = training_sum(TrainingJob(QWEN_7B, method="full", precision="bf16"), ONE)
    assert account.moment == "step"
    assert "logits" not in account.parts
    assert sum(account.parts.values()) == account.total


def test_parts_of_grpo_say_where_the_engine_runs() -> None:
    job = TrainingJob(QWEN_7B, objective="grpo")
    together, asleep = training_sum(job, ONE), training_sum(replace(job, rollout="sleep"), ONE)
    assert together.parts["rollout"] > 2 * QWEN_7B.params_total
    assert "rollout" not in asleep.parts


def test_constants_are_told_apart() -> None:
    """Whether a number was fitted on measured rows or counted is said beside it."""
    fitted = {row.name for row in training_constant_rows() if row.fitted}
    assert {"gather_layers", "expert_fragments", "preference_logits"} <= fitted
    assert not {"layer_hidden", "feed_forward", "checkpoint", "scores"} & fitted
    assert all(row.meaning and row.source_ids for row in training_constant_rows())
