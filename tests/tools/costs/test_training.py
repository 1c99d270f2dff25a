"""Hours of training: the operation count by hand, and the published speeds that the ranges must hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from knowledge.cost_facts import training_shares
from knowledge.errors import InputError, UnknownModel
from knowledge.facts import gpus, sources
from tools.costs.sentences import cost_sentences
from tools.costs.training import training_cost
from tools.costs.training_run import TrainingRun
from tools.costs.training_share import share_of
from tools.costs.training_work import Work, work_of
from tools.lookup import look_up_model

TRUTH = Path(__file__).parents[3] / "evals" / "truth" / "llm_training.jsonl"
A100 = "ecs.gn7e-c16g1.16xlarge"  # four of 80 GB
GPU_IDS = {"A100-SXM4-80G": "nvidia-a100-80gb", "A100": "nvidia-a100-80gb", "A100-SXM4-40GB": "nvidia-a100-40gb", "H100": "nvidia-h100-80gb"}


def test_six_n_d_and_what_an_adapter_leaves_out() -> None:
    seven = Work(7_000_000_000)
    assert seven.flop_per_token("full", sequence=2048, recompute=False) == 6 * 7e9
    assert seven.flop_per_token("full", sequence=2048, recompute=True) == 8 * 7e9
    assert seven.flop_per_token("adapter", sequence=2048, recompute=False) == 4 * 7e9
    assert seven.flop_per_token("adapter", sequence=2048, recompute=True) == 6 * 7e9


def test_attention_grows_with_the_length() -> None:
    model = work_of(look_up_model("Llama-2-7b").model)
    short, long = (model.flop_per_token("full", sequence=s, recompute=False) for s in (2048, 32768))
    assert long - short == 3 * 2 * 32 * 4096 * (32768 - 2048)


def test_hours_and_price_by_hand() -> None:
    run = TrainingRun(parameters=7e9, tokens=1e9, method="full", checkpointing=False)
    result = training_cost(A100, run=run, machines=2, runs=3, region="cn-shanghai")
    flop = 6 * 7e9 * 1e9
    assert result.cards == 8
    assert result.hours_low == pytest.approx(flop / (8 * 312e12 * 0.73) / 3600)
    assert result.hours_high == pytest.approx(flop / (8 * 312e12 * 0.36) / 3600)
    payg = next(row for row in result.prices if row.way == "payg")
    assert payg.low == pytest.approx(Decimal(result.hours_low) * Decimal("138.967") * 2, abs=Decimal("0.02"))
    assert payg.all_high == payg.high * 3


def test_epochs_and_samples_multiply() -> None:
    plain = training_cost(A100, run=TrainingRun(parameters=7e9, tokens=3e6, method="lora"))
    same = training_cost(A100, run=TrainingRun(parameters=7e9, samples=1000, sample_tokens=1000, epochs=3, method="lora", pass_tokens=2048))
    assert same.hours_low == pytest.approx(plain.hours_low)
    assert same.tokens == 3_000_000


@pytest.mark.parametrize("typed", ["lora", "LoRA", "qlora", "QLoRA", "full", "全参", "预训练"])
def test_methods_by_the_names_people_use(typed: str) -> None:
    result = training_cost(A100, run=TrainingRun(parameters=7e9, tokens=1e6, method=typed, checkpointing=False))
    assert result.gflop_per_token == (42 if result.method == "full" else 28)


def test_hours_that_are_known_are_taken() -> None:
    given = training_cost("ecs.gn7i-c8g1.2xlarge", run=TrainingRun(hours=20), region="cn-shanghai")
    assert given.prices[0].low == given.prices[0].high == Decimal("190.65")  # 20 · 9.5326
    cards = training_cost(A100, run=TrainingRun(gpu_hours=100))
    assert cards.hours_low == cards.hours_high == 25
    assert "as given" in cards.assumptions[0]


def test_vision_needs_a_measured_rate() -> None:
    run = TrainingRun(images=118_000, epochs=100, images_per_s=60, vision=True)
    assert training_cost(A100, run=run).hours_low == pytest.approx(118_000 * 100 / 60 / 3600)
    for language, words in (("zh", "每秒图片数"), ("en", "pictures per second")):
        with pytest.raises(InputError, match=words):
            training_cost(A100, run=TrainingRun(images=118_000, vision=True), language=language)  # type: ignore[arg-type]


def test_cards_without_published_speeds_are_widened_and_say_so() -> None:
    run = TrainingRun(model="Qwen2.5-7B", tokens=1e7, method="lora")
    known, other = training_cost(A100, run=run), training_cost("ecs.gn7i-c8g1.2xlarge", run=run)
    assert known.share_low == 0.36
    assert other.share_low == pytest.approx(0.36 * 0.42)
    assert other.share_high == known.share_high
    assert "No published training speeds of A10" in " ".join(other.assumptions)
    assert "vectorlm-throughput" in other.source_ids


def test_an_adapter_whose_base_is_sharded_may_be_slow() -> None:
    run = TrainingRun(model="Qwen2.5-72B", tokens=1e7, method="lora")
    result = training_cost(A100, run=run)
    assert result.share_low == 0.12
    assert any("sharded" in one for one in result.cautions)
    small = training_cost(A100, run=TrainingRun(model="Qwen2.5-7B", tokens=1e7, method="lora"))
    assert not any("sharded" in one for one in small.cautions)


def test_a_mixture_counts_active_parameters_and_warns() -> None:
    result = training_cost(A100, run=TrainingRun(model="Qwen3-30B-A3B", tokens=1e7, method="lora"))
    assert result.parameters == pytest.approx(3.3e9, rel=0.05)
    assert any("mixture of experts" in one for one in result.cautions)


@pytest.mark.parametrize(
    "run",
    [
        TrainingRun(), TrainingRun(tokens=1e9), TrainingRun(model="Qwen2.5-7B"), TrainingRun(samples=10, model="Qwen2.5-7B"),
        TrainingRun(tokens=-1, parameters=7e9), TrainingRun(tokens=float("nan"), parameters=7e9), TrainingRun(tokens=1e30, parameters=7e9),
        TrainingRun(tokens=1e9, parameters=0), TrainingRun(tokens=1e9, parameters=7e9, epochs=0), TrainingRun(hours=-3),
        TrainingRun(hours=float("inf")), TrainingRun(tokens=1e9, parameters=7e9, method="magic"), TrainingRun(images=10, images_per_s=0),
    ],
)  # fmt: skip
def test_absurd_runs_are_one_sentence(run: TrainingRun) -> None:
    for language in ("zh", "en"):
        with pytest.raises(InputError) as problem:
            training_cost(A100, run=run, language=language)
        assert "\n" not in str(problem.value)


def test_what_has_no_whole_card_or_no_such_model() -> None:
    with pytest.raises(InputError, match="no whole GPU"):
        training_cost("ecs.vgn6i-m4-vws.xlarge", run=TrainingRun(hours=1))
    with pytest.raises(UnknownModel):
        training_cost(A100, run=TrainingRun(model="no such model", tokens=1e6))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_price_gives_hours_and_the_reason(language: str) -> None:
    run = TrainingRun(model="Qwen2.5-7B", tokens=1e8)
    result = training_cost("ecs.gn8v.4xlarge", run=run, language=language)  # type: ignore[arg-type]
    assert result.prices == []
    assert "DescribePrice" in result.no_price
    assert result.no_price in cost_sentences(result, language)  # type: ignore[arg-type]


def published() -> Iterator[tuple[str, dict[str, Any], float]]:
    """(id, row, share of the peak) of each published run with its card, length and speed. Rows whose length is only the
    longest sample's (LitGPT) or that are not packed hold fewer tokens than they say."""
    for line in TRUTH.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        speed = re.match(r"([\d.]+) ?(s/it|tok/s/gpu|tok/s)$", row["speed"] or "")
        if not speed or row["gpu"] not in GPU_IDS or row["packing"] is False or not row["micro_batch"]:
            continue
        value, cards = float(speed[1]), row["num_gpus"]
        if speed[2] == "s/it":
            ranks = cards if "ZeRO" in row["parallelism"] else 1
            tokens = row["seq_len"] * row["micro_batch"] * row["grad_accum"] * ranks / value
        else:
            tokens = value * (cards if speed[2] == "tok/s/gpu" else 1)
        kind = "full" if row["method"] == "full" else "adapter"
        flop = work_of(look_up_model(row["model"]).model).flop_per_token(
            kind, sequence=row["seq_len"], recompute=row["gradient_checkpointing"] in (True, None)
        )
        yield row["id"], row, flop * tokens / (cards * (gpus()[GPU_IDS[row["gpu"]]].bf16_tflops or 0) * 1e12)


def test_published_speeds_lie_in_the_ranges() -> None:
    outside, n = [], 0
    for name, row, share in published():
        gpu = gpus()[GPU_IDS[row["gpu"]]]
        model = look_up_model(row["model"]).model
        told = share_of(
            gpu,
            quantised="QLoRA" in row["method"],
            tokens=row["seq_len"] * row["micro_batch"],
            sharded="LoRA" in row["method"] and "QLoRA" not in row["method"] and row["num_gpus"] > 1,
            moe=bool(model.params_active and model.params_active < model.params_total),
        )
        n += 1
        if not 0.97 * told.low <= share <= 1.03 * told.high:
            outside.append((name, share, told.low, told.high))
    assert n > 35
    assert not outside


def test_rows_of_shares() -> None:
    for row in training_shares():
        assert 0 < row.low < row.high <= 1
        assert row.n > 0
        assert set(row.source_ids) <= set(sources())
        assert set(row.gpu_ids) <= set(gpus())
    assert {row.kind for row in training_shares()} == {"float", "quantised", "sharded", "moe", "other_card"}
