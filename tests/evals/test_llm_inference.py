"""The adapter of inference rows: what it reads, what it refuses by name, and how far the visible rows are off."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from statistics import fmean, median

import pytest

from evals.accuracy.inference_rows import card_of_row, engine_name, precision_of, read_row
from evals.accuracy.kinds import read_truth
from evals.accuracy.llm_inference import predict
from evals.accuracy.rows import Measure, Quantity, Refusal, Row
from evals.accuracy.run import TRUTH
from evals.accuracy.split import rows_of
from evals.accuracy.split_inference import FRAGMENTS, LOGITS, fit, peak_errors, token_errors

SERVED: Row = {
    "id": "inf-0024", "model": "meta-llama/Llama-3.1-8B-Instruct", "engine": "vllm", "engine_version": "0.19.0",
    "gpu": "H100 80GB", "gpu_total_mem": 79.19, "num_gpus": 1, "tp": 1, "pp": 1, "dtype": "bfloat16", "kv_cache_dtype": "auto",
    "gpu_memory_utilization": 0.95, "max_model_len": 8192, "max_num_seqs": 1024, "max_num_batched_tokens": 8192,
    "weights_mem": 14.99, "kv_cache_tokens": 476016, "unit": "GiB", "scope": "per GPU", "outcome": "ok",
}  # fmt: skip


@cache
def results() -> list[list[Measure] | Refusal]:
    rows = read_truth(TRUTH / "llm_inference.jsonl").rows
    return [predict(row) for row in rows if row["unit"] != "tokens/s only"]


def measures(quantity: Quantity) -> list[Measure]:
    return [m for result in results() if not isinstance(result, Refusal) for m in result if m.quantity == quantity]


def off(quantity: Quantity) -> list[float]:
    """Absolute errors in percent."""
    return [abs(100 * (m.predicted / m.measured - 1)) for m in measures(quantity)]


def test_a_log_gives_weights_tokens_and_whether_it_ran() -> None:
    found = predict(SERVED)
    assert not isinstance(found, Refusal)
    assert {m.quantity: (m.measured, round(m.predicted, 2)) for m in found if m.quantity != "kv_tokens"} == {
        "weights": (14.99, 14.99), "fits": (1.0, 1.0),
    }  # fmt: skip
    tokens = next(m for m in found if m.quantity == "kv_tokens")
    assert tokens.predicted == pytest.approx(476_016, rel=0.002)
    assert tokens.groups["version"] == "vllm 0.18-0.19"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"model": "nobody/unheard-of-9B"}, "unknown model: nobody/unheard-of-9B"),
        ({"engine": None}, "missing: engine"),
        ({"engine": "lmdeploy"}, "engine 'lmdeploy' is not one"),
        ({"tp": None, "num_gpus": None}, "missing: tp"),
        ({"gpu_memory_utilization": None, "weights_mem": None}, "missing: gpu_memory_utilization"),
        ({"gpu": None, "gpu_total_mem": None, "weights_mem": None}, "missing: gpu_total_mem"),
        ({"weights_mem": None, "kv_cache_tokens": None}, "no memory figure"),
        ({"engine": "transformers", "batch_size": 4, "peak_mem_total": 20.0}, "missing: output_len"),
    ],
)
def test_what_is_missing_is_named(change: Row, reason: str) -> None:
    found = predict({**SERVED, **change})
    assert isinstance(found, Refusal)
    assert reason in found.reason


def test_a_run_that_refused_to_start_must_not_fit_and_a_broken_library_says_nothing() -> None:
    refused = {**SERVED, "model": "Qwen/Qwen3-32B", "max_model_len": 32000, "gpu_memory_utilization": 0.9, "weights_mem": 61.03,
               "kv_cache_tokens": None, "outcome": "failed: KV cache too small for max_model_len 32000"}  # fmt: skip
    found = predict(refused)
    assert not isinstance(found, Refusal)
    assert [(m.measured, m.predicted) for m in found if m.quantity == "fits"] == [(0.0, 0.0)]
    broken = predict({**refused, "outcome": "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED"})
    assert not isinstance(broken, Refusal)
    assert [m.quantity for m in broken] == ["weights"]


@pytest.mark.parametrize(
    ("quantization", "named", "dtype", "precision"),
    [
        (None, None, "bfloat16", "bf16"), (None, "fp8", "bfloat16", "fp8"), ("compressed-tensors", "int8", "bfloat16", "int8"),
        ("gptq_marlin", "int4", "float16", "int4"), ("GPTQ-Int8", None, None, "gptq_int8"), ("GPTQ-Int4", None, None, "gptq"),
        ("awq 4-bit", None, None, "awq"), ("bnb.nf4-dq", None, "bfloat16", "nf4_dq"), ("bnb.nf4", None, None, "nf4"),
        ("w8a8 int8", None, None, "int8"), ("auto_round int4", None, None, "int4"), ("FP8", None, None, "fp8"),
        ("modelopt_fp4", None, None, "nvfp4"), ("bitsandbytes", None, "bfloat16", "nf4"), ("W4A8", None, None, "int4"),
        ("gptq_marlin", None, "float16", "gptq"), ("GGUF Q4_K_M", None, None, "q4_k_m"), ("AutoRound", None, None, "int4"),
        ("nvfp4 mixed", None, None, "nvfp4"), (None, None, "float32", "fp32"), (None, None, None, "bf16"),
    ],
)  # fmt: skip
def test_spellings_of_a_precision(quantization: str | None, named: str | None, dtype: str | None, precision: str) -> None:
    assert precision_of(quantization, named, dtype) == precision


def test_other_chips_have_the_same_weights_and_a_pool_that_is_not_summed() -> None:
    ascend = {**SERVED, "engine": "vLLM_Ascend", "gpu": "Ascend 910B 64GB", "gpu_total_mem": 60.97}
    found, refused = predict(ascend), predict({**ascend, "weights_mem": None})
    assert not isinstance(found, Refusal) and isinstance(refused, Refusal)
    assert [m.quantity for m in found] == ["weights"]
    assert refused.reason == "the pool of vllm-ascend is not summed"


@pytest.mark.parametrize(("typed", "name"), [("vLLM", "vllm"), ("HF Transformers", "transformers"), ("lit-gpt", "litgpt"), (None, "")])
def test_spellings_of_an_engine(typed: str | None, name: str) -> None:
    assert engine_name({"engine": typed}) == name


def test_cards_by_name_and_by_the_memory_the_log_saw() -> None:
    known, other = card_of_row(SERVED), card_of_row({**SERVED, "gpu": "RTX 4060 8GB", "gpu_total_mem": 8.0})
    assert known is not None and known.usable_mib == round(79.39 * 1024)
    assert other is not None and other.usable_mib == round(8.2 * 1024)
    assert card_of_row({**SERVED, "gpu": "RTX 4060 8GB", "gpu_total_mem": None}) is None


def test_a_table_without_a_version_is_read_by_its_date() -> None:
    read = read_row({**SERVED, "engine": "transformers", "engine_version": None, "source_date": "2024-05-28", "output_len": 10})
    assert read.job.engine_version == "0.0"
    assert "date 2024-05-28" in read.note


def test_visible_rows_are_within_the_figures_asked_for() -> None:
    assert median(off("kv_tokens")) <= 0.5 and fmean(off("kv_tokens")) <= 4
    assert median(off("weights")) <= 0.5
    assert median(off("peak")) <= 3 and fmean(off("peak")) <= 3
    banded = measures("peak")
    assert fmean(m.low is not None and m.high is not None and m.low <= m.measured <= m.high for m in banded) >= 0.9


def test_fits_both_ways_on_the_visible_rows() -> None:
    ran = [m for m in measures("fits") if m.measured == 1]
    failed = [m for m in measures("fits") if m.measured == 0]
    assert len(ran) >= 250 and len(failed) >= 12
    assert fmean(m.predicted == 1 for m in ran) >= 0.98
    assert fmean(m.predicted == 0 for m in failed) >= 0.9


def test_nine_of_ten_rows_with_a_memory_figure_are_answered_and_the_rest_name_what_they_lack() -> None:
    refused = [result for result in results() if isinstance(result, Refusal)]
    assert len(refused) <= 0.1 * len(results())
    assert all(r.reason.startswith(("missing:", "no memory figure", "outcome", "unknown", "vLLM before")) for r in refused)


@pytest.mark.parametrize(("errors", "tried", "most"), [(token_errors, LOGITS, 2.0), (peak_errors, FRAGMENTS, 4.0)])
def test_fitted_constants_hold_on_the_models_they_were_not_fitted_on(
    errors: Callable[[list[Row], float], list[float]], tried: list[float], most: float
) -> None:
    rows = read_truth(TRUTH / "llm_inference.jsonl").rows
    for fitted, tested in (("A", "B"), ("B", "A")):
        best = fit(rows_of(rows, fitted), errors, tried)  # type: ignore[arg-type]
        assert fmean(errors(rows_of(rows, tested), best)) <= most  # type: ignore[arg-type]
