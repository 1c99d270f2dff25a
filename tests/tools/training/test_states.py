"""Weights, gradients and optimizer against published bytes per parameter and counts of adapters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from knowledge.facts import models
from tools.training.job import Layout, Scheme, TrainingJob, method_name, optimizer_name
from tools.training.shape import shape_of
from tools.training.states import States, states_of
from tools.training.trained import count_trained

LLAMA = models()["Llama-2-7b-hf"]
SEVEN_AND_A_HALF = replace(LLAMA, params_total=7_500_000_000)


def _states(job: TrainingJob, layout: Layout) -> States:
    shape = shape_of(job.model)
    return states_of(job, layout, shape, count_trained(job, shape))


def _gigabytes(states: States) -> float:
    return (states.weights + states.adapters + states.gradients + states.optimizer) / 1e9


@pytest.mark.parametrize(
    ("scheme", "gigabytes"),
    [("ddp", 120.0), ("zero1", 31.4), ("zero2", 16.6), ("zero3", 1.9)],
)
def test_states_of_the_zero_paper(scheme: Scheme, gigabytes: float) -> None:
    """Figure 1 of arXiv 1910.02054: 7.5 billion parameters, 64 cards, mixed-precision Adam; printed to 0.1 GB."""
    job = TrainingJob(SEVEN_AND_A_HALF, method="full")
    assert _gigabytes(_states(job, Layout(scheme, 64))) == pytest.approx(gigabytes, abs=0.06)


@pytest.mark.parametrize(("ranks", "per_parameter"), [(1, 18.0), (2, 12.0), (4, 9.0), (8, 7.5)])
def test_megatron_distributed_optimizer(ranks: int, per_parameter: float) -> None:
    """6 + 12/d bytes per parameter (Megatron Core documentation: bf16 weights, fp32 gradients)."""
    job = TrainingJob(LLAMA, method="full", framework="megatron")
    states = _states(job, Layout("megatron", ranks))
    assert _gigabytes(states) * 1e9 / LLAMA.params_total == pytest.approx(per_parameter)


@pytest.mark.parametrize(
    ("precision", "optimizer", "per_parameter"),
    [
        ("mixed", "adamw", 16.0),  # ZeRO paper
        ("bf16", "adamw", 8.0),  # PEFT's full run of Llama-3.2-3B keeps 8.11 on average
        ("fp32", "adamw", 16.0),
        ("bf16", "lion", 6.0),
        ("bf16", "sgd", 4.0),
        ("bf16", "adafactor", 4.0),
        ("bf16", "adamw_8bit", 6.18),  # two bytes, and embeddings in fp32
    ],
)
def test_bytes_per_parameter(precision: str, optimizer: str, per_parameter: float) -> None:
    job = replace(TrainingJob(LLAMA, method="full"), precision=precision, optimizer=optimizer)  # type: ignore[arg-type]
    assert _gigabytes(_states(job, Layout())) * 1e9 / LLAMA.params_total == pytest.approx(per_parameter, rel=0.01)


@pytest.mark.parametrize(
    ("model", "rank", "targets", "published"),
    [
        ("Llama-2-7b-hf", 8, "q,v (litgpt default)", 4_194_304),  # LitGPT, its LoRA table
        ("Llama-2-13b-hf", 8, "q,v", 6_553_600),
        ("Llama-3.2-3B-Instruct", 32, "q_proj,v_proj", 9_175_040),  # PEFT's comparison
        ("Llama-3.2-3B-Instruct", 10, "down_proj,gate_proj,up_proj", 9_461_760),
        ("Llama-3.2-3B-Instruct", 64, "q_proj, v_proj", 18_350_080),
    ],
)
def test_published_counts_of_adapter_weights(model: str, rank: int, targets: str, published: int) -> None:
    job = TrainingJob(models()[model], lora_rank=rank, lora_targets=targets)
    assert count_trained(job, shape_of(job.model)).adapter == published


def test_quantised_base_is_a_quarter() -> None:
    full, small = _states(TrainingJob(LLAMA), Layout()), _states(TrainingJob(LLAMA, method="qlora"), Layout())
    assert 0.25 < small.weights / full.weights < 0.32  # 4.127 bits, embeddings in 16


def test_double_quantisation_saves_what_is_published() -> None:
    """LitGPT prints 14.14 and 13.84 GB for NF4 with and without double quantisation of Llama-2-7B."""
    once, twice = (TrainingJob(LLAMA, method="qlora", base_precision=name) for name in ("nf4", "nf4_dq"))
    saved = _states(once, Layout()).weights - _states(twice, Layout()).weights
    assert saved / 1e9 == pytest.approx(0.30, abs=0.01)


def test_offloading_leaves_what_it_should() -> None:
    job = TrainingJob(LLAMA, method="full")
    optimizer = _states(job, Layout("zero2", 1, offload="optimizer"))
    params = _states(job, Layout("zero3", 1, offload="params"))
    assert (optimizer.optimizer, optimizer.gradients, params.weights) == (0.0, 0.0, 0.0)
    assert optimizer.weights == 2 * LLAMA.params_total


def test_reference_and_value_models() -> None:
    """A full policy needs a copy to be held against, an adapter only has to be switched off; PPO has two models more."""
    weights = 2 * LLAMA.params_total
    full, adapter = TrainingJob(LLAMA, method="full", objective="dpo"), TrainingJob(LLAMA, objective="dpo")
    assert _states(full, Layout()).copies == weights
    assert _states(adapter, Layout()).copies == 0
    assert _states(replace(adapter, objective="ppo"), Layout()).copies == pytest.approx(2 * weights)


def test_galore_needs_less_than_adamw_and_more_than_nothing() -> None:
    jobs = {name: TrainingJob(LLAMA, method="full", precision="bf16", optimizer=name) for name in ("adamw", "galore", "sgd")}
    adamw, galore, sgd = (_states(job, Layout()).optimizer for job in jobs.values())
    assert sgd < galore < 0.5 * adamw


@pytest.mark.parametrize(
    ("typed", "method"),
    [
        ("LoRA", "lora"), ("全参", "full"), ("全参数微调", "full"), ("Q-LoRA", "qlora"), ("冻结微调", "freeze"), ("DoRA", "dora"),
        ("p-tuning v2", "prefix"), ("ＬｏＲＡ", "lora"), ("预训练", "full"), ("LoRA + trainable embedding and lm_head", "lora_embeddings"),
    ],
)  # fmt: skip
def test_methods_as_people_write_them(typed: str, method: str) -> None:
    assert method_name(typed) == method


@pytest.mark.parametrize(
    ("typed", "optimizer"),
    [("AdamW", "adamw"), ("adamw_torch_fused", "adamw"), ("8bit adam", "adamw_8bit"), ("paged_adamw_8bit", "paged_adamw_8bit"),
     ("Adafactor", "adafactor"), ("lion", "lion"), ("GaLore", "galore"), ("adamw_bnb_8bit", "adamw_8bit")],
)  # fmt: skip
def test_optimizers_as_people_write_them(typed: str, optimizer: str) -> None:
    assert optimizer_name(typed) == optimizer
