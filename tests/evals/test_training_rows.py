"""Rows of published training runs: how they are read, what is refused, what is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.accuracy.kinds import read_truth
from evals.accuracy.llm_training import predict
from evals.accuracy.rows import Measure, Refusal, Row
from evals.accuracy.split_training import halves, known_rows
from evals.accuracy.stats import quantities
from evals.accuracy.training_rows import read_row
from tools.training.job import Layout

VISIBLE = Path(__file__).parents[2] / "evals" / "truth" / "llm_training.jsonl"
SWIFT: Row = {
    "id": "tr-x", "model": "Qwen/Qwen2.5-7B-Instruct", "method": "LoRA", "lora_rank": 8, "micro_batch": 1, "seq_len": 2048,
    "grad_accum": 16, "parallelism": "single GPU", "num_gpus": 1, "gradient_checkpointing": True, "framework": "ms-swift",
    "precision": "bfloat16", "optimizer": "AdamW (HF default)", "peak_mem": 22, "unit": "GB", "metric": "memory noted by maintainers",
    "scope": "per GPU", "outcome": "ok", "gpu": "A100 80GB",
}  # fmt: skip


def test_a_row_gives_its_peak_and_whether_it_fits() -> None:
    found = predict(SWIFT)
    assert isinstance(found, list)
    peak, fits = found
    assert (peak.quantity, fits.quantity, fits.measured, fits.predicted) == ("peak", "fits", 1.0, 1.0)
    assert peak.measured == pytest.approx(20.49, abs=0.01)
    assert peak.low is not None and peak.high is not None and peak.low < peak.predicted < peak.high
    assert peak.groups["method"] == "lora"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"seq_len": None}, "seq_len"),
        ({"micro_batch": None}, "micro_batch"),
        ({"micro_batch": "", "seq_len": ""}, "micro_batch, seq_len"),
        ({"model": "nobody/knows-this"}, "knows-this"),
        ({"model": "acme/Acme-9B"}, "Acme-9B"),
        ({"method": "sorcery"}, "sorcery"),
        ({"parallelism": "DeepSpeed zero3", "num_gpus": None}, "num_gpus"),
        ({"parallelism": "DeepSpeed zero3"}, "num_gpus"),
        ({"parallelism": "DDP/device_map", "num_gpus": 2}, "device_map"),
        ({"framework": "axolotl", "gradient_checkpointing": None}, "gradient_checkpointing"),
        ({"framework": "torchtune", "packing": False}, "length of the texts"),
        ({"unit": "tokens/s only"}, "tokens/s only"),
        ({"seq_len": -4}, "sequence"),
        ({"peak_mem": None, "gpu": None}, "peak_mem"),
    ],
)
def test_refusals_name_what_is_missing(changes: Row, reason: str) -> None:
    found = predict({**SWIFT, **changes})
    assert isinstance(found, Refusal)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("changes", "layout"),
    [
        ({"parallelism": "DeepSpeed ZeRO-3", "num_gpus": 4}, Layout("zero3", 4)),
        ({"parallelism": "DeepSpeed zero2", "num_gpus": 4}, Layout("zero2", 4)),
        ({"parallelism": "FSDP2", "num_gpus": 2}, Layout("fsdp", 2)),
        ({"parallelism": "DeepSpeed ZeRO-3 + CPU offload", "num_gpus": 2}, Layout("zero3", 2, offload="params")),
        ({"parallelism": "tensor=4, pipeline=2, expert=4", "num_gpus": 8, "framework": "ms-swift (Megatron)"},
         Layout("megatron", 8, tensor=4, pipeline=2, expert=4)),
        ({"parallelism": "sequence=8", "num_gpus": 8}, Layout("ddp", 8, sequence=8)),
        ({"parallelism": "DDP/device_map", "num_gpus": 2, "model": "Qwen/Qwen2.5-VL-72B-Instruct"}, Layout("device_map", 2)),
    ],
)  # fmt: skip
def test_ways_of_cutting(changes: Row, layout: Layout) -> None:
    assert read_row({**SWIFT, **changes}).layout == layout


def test_options_in_words() -> None:
    job = read_row({**SWIFT, "other_opts": "use_liger_kernel=true; rlhf_type=dpo; freeze_vit=false"}).job
    assert (job.loss, job.fused_layers, job.objective, job.train_vision) == ("fused", True, "dpo", True)
    ladder = read_row({
        **SWIFT, "framework": "torchtune", "method": "full", "packing": True,
        "other_opts": "cumulative: + optimizer step in backward",
    }).job  # fmt: skip
    assert (ladder.loss, ladder.step_in_backward, ladder.offload_activations) == ("chunked", True, False)
    assert read_row({**SWIFT, "method": "QLoRA (GPTQ Int4 base)"}).job.base == "gptq"
    assert read_row({**SWIFT, "method": "LLaMA-Adapter v2 on NF4 base", "precision": "base bnb.nf4"}).job.base == "nf4"


def test_lengths_of_capped_data_are_assumed_and_said() -> None:
    many = read_row({**SWIFT, "micro_batch": 16, "seq_len": 8192, "other_opts": "padding_free=true"})
    packed = read_row({**SWIFT, "micro_batch": 16, "seq_len": 8192, "packing": True})
    assert many.job.seq < 1000
    assert "max_length 8192" in many.note
    assert (packed.job.seq, packed.note) == (8192, "")


def test_a_run_out_of_memory_must_not_fit() -> None:
    found = predict({**SWIFT, "method": "full", "peak_mem": None, "outcome": "OOM", "gpu": "A100-SXM4-40GB"})
    assert isinstance(found, list)
    assert [(item.quantity, item.measured, item.predicted) for item in found] == [("fits", 0.0, 0.0)]


def test_visible_rows_hold_what_is_promised() -> None:
    """Median within 6 percent, nine of ten inside the band, both outcomes judged right."""
    measures: list[Measure] = []
    for row in read_truth(VISIBLE).rows:
        found = predict(row)
        measures += found if isinstance(found, list) else []
    figures = quantities(measures)
    peak, fits = figures["peak"].model_dump(), figures["fits"].model_dump()
    assert peak["n"] >= 175
    assert peak["median_abs_pct"] <= 6.0
    assert peak["in_band"] >= 0.90
    assert fits["agree"] >= 0.95 * fits["n"]
    assert fits["failed"]["agree"] == fits["failed"]["n"] > 5


def test_no_model_is_in_both_halves() -> None:
    first, second = halves(list(known_rows(read_truth(VISIBLE).rows)))
    assert not {read.job.model.id for read, _ in first} & {read.job.model.id for read, _ in second}
    assert min(len(first), len(second)) > 40


# torchtune's README for Llama 3.1 8B at batch 2 x 2048, packed and compiled: GiB by method and card.
@pytest.mark.parametrize(
    ("method", "card", "gib"),
    [("full", "RTX 4090", 18.9), ("full", "A6000", 37.4), ("LoRA", "RTX 4090", 16.2), ("QLoRA", "RTX 4090", 7.4)],
)
def test_recipes_of_torchtune_for_one_card(method: str, card: str, gib: float) -> None:
    row: Row = {
        "id": "tt", "model": "meta-llama/Llama-3.1-8B", "method": method, "micro_batch": 2, "seq_len": 2048, "grad_accum": 1, "packing": True,
        "parallelism": "single GPU", "num_gpus": 1, "framework": "torchtune", "precision": "bf16", "gpu": card, "peak_mem": gib, "unit": "GiB",
        "other_opts": "torch.compile; recipe defaults differ by card (memory levers on the 24 GB rows)", "metric": "peak memory per GPU",
    }  # fmt: skip
    found = predict(row)
    assert isinstance(found, list)
    assert found[0].predicted == pytest.approx(gib, rel=0.07)


def test_a_part_of_the_optimizer_may_stay_on_the_card() -> None:
    """ms-swift's DPO of Qwen3-VL-30B-A3B with 40 % of the optimizer offloaded takes 65 GiB a card."""
    row: Row = SWIFT | {
        "model": "Qwen/Qwen3-VL-30B-A3B-Instruct", "method": "full", "seq_len": 8192, "parallelism": "tensor=4, pipeline=2, expert=4",
        "num_gpus": 8, "framework": "ms-swift (Megatron)", "packing": True, "peak_mem": 65, "unit": "GiB", "grad_accum": None,
        "optimizer": "AdamW (Megatron distributed optimizer)",
        "other_opts": "rlhf_type=dpo; optimizer_cpu_offload=true; optimizer_offload_fraction=0.4; recompute_granularity=full; global_batch_size=4",
    }  # fmt: skip
    assert read_row(row).layout.offload_share == pytest.approx(0.4)
    found = predict(row)
    assert isinstance(found, list) and found[0].predicted == pytest.approx(65, rel=0.10)
