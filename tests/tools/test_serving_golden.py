"""The account against start-up logs of vLLM that others published (golden/serving.jsonl, each row with its address)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any

import pytest

from knowledge.facts import error_bands, gpus, models
from knowledge.rows import Gpu
from tools.engine import engine_of_version
from tools.serving import BAND, ServingJob, ServingSum, serving_sum
from tools.units import GIB

Row = dict[str, Any]
ROWS: list[Row] = [
    json.loads(line)
    for line in (Path(__file__).parent / "golden" / "serving.jsonl").read_text(encoding="utf-8").splitlines()
]
ONE_STAGE = [row for row in ROWS if row["pp"] == 1]
SIXTEEN_BIT_TEXT = [
    row for row in ONE_STAGE
    if row["weights_gib"] and row["weight_dtype"] in ("bf16", "fp16") and models()[row["model"]].modality == "text"
    and row["id"] != "inf-0083"  # the printed pool and weights are of different workers
]  # fmt: skip
FULL_ACCOUNT = [
    row for row in ONE_STAGE
    if row["weights_gib"] and row["activation_gib"] and row["non_torch_gib"] and row["visible_gib"]
    and row["engine_version"][:3] not in ("", "0.6", "0.7")  # V0 engine: not covered by the constants
]  # fmt: skip
POOLS = [row for row in FULL_ACCOUNT if row["kv_tokens"] and row["utilization"] and row["engine_version"] > "0.15"]


def card(row: Row) -> Gpu:
    """An H100 class card with the memory the log saw."""
    return replace(gpus()["nvidia-h100-80gb"], usable_mib=round(((row["visible_gib"] or 79.19) + 0.2) * 1024))


def account(row: Row) -> ServingSum:
    job = ServingJob(
        model=models()[row["model"]], weight_dtype=row["weight_dtype"], kv_dtype=row["kv_dtype"],
        context=row["context"] or 4096, concurrency=1, gpu_memory_utilization=row["utilization"] or 0.9,
        max_num_seqs=row["max_num_seqs"], max_num_batched_tokens=row["max_num_batched_tokens"],
    )  # fmt: skip
    return serving_sum(job, card(row), tensor_parallel=row["tp"], engine=engine_of_version(row["engine_version"]))


def errors(rows: list[Row], predicted: Callable[[Row], float], measured: Callable[[Row], float]) -> list[float]:
    """Absolute percent."""
    return [abs(100 * (predicted(row) / measured(row) - 1)) for row in rows]


def weights_gib(row: Row) -> float:
    return account(row).weights_bytes_per_gpu / GIB


@pytest.mark.parametrize("row", SIXTEEN_BIT_TEXT, ids=lambda row: row["id"])
def test_sixteen_bit_weights_are_within_one_percent_of_the_log(row: Row) -> None:
    assert weights_gib(row) == pytest.approx(row["weights_gib"], rel=0.01)


def test_weights_of_all_rows() -> None:
    rows = [row for row in ONE_STAGE if row["weights_gib"]]
    off = errors(rows, weights_gib, lambda row: float(row["weights_gib"]))
    assert len(rows) >= 55
    assert median(off) <= 0.5


def test_cache_bytes_per_token_of_uniform_attention() -> None:
    rows = [
        row for row in ONE_STAGE
        if row["kv_gib"] and row["kv_tokens"] and (models()[row["model"]].attention or {})["type"] in ("gqa", "mha", "mla")
    ]  # fmt: skip
    off = errors(
        rows, lambda row: account(row).kv_bytes_per_token_per_gpu, lambda row: row["kv_gib"] * GIB / row["kv_tokens"]
    )
    assert len(rows) >= 40
    assert median(off) <= 0.01


def test_pool_tokens_from_architecture_and_flags_alone() -> None:
    off = errors(POOLS, lambda row: account(row).pool_tokens, lambda row: float(row["kv_tokens"]))
    assert len(POOLS) >= 40
    assert median(off) <= 0.2
    assert fmean(off) <= 1.0


def test_activation_peak_of_all_full_accounts() -> None:
    off = errors(FULL_ACCOUNT, lambda row: account(row).activation_bytes / GIB, lambda row: float(row["activation_gib"]))
    assert median(off) <= 0.5
    assert max(off) <= 12


def test_experts_keep_their_workspace_while_sampling() -> None:
    rows = [row for row in FULL_ACCOUNT if models()[row["model"]].moe]
    off = errors(rows, lambda row: account(row).activation_bytes / GIB, lambda row: float(row["activation_gib"]))
    assert len(rows) >= 4
    assert max(off) <= 5


def test_shipped_error_band_is_the_one_measured_here() -> None:
    """Signed percent of measured over predicted need with one full sequence; one row per distinct configuration."""
    seen: dict[tuple[str, ...], float] = {}
    for row in FULL_ACCOUNT:
        key = tuple(str(row[name]) for name in ("model", "weight_dtype", "kv_dtype", "tp", "engine_version"))
        summed = account(row)
        sequence = summed.kv_bytes_per_sequence_per_gpu / GIB
        measured = row["weights_gib"] + row["activation_gib"] + row["non_torch_gib"] + sequence
        seen.setdefault(key, 100 * (measured * GIB / summed.required_bytes_per_gpu - 1))
    cuts, band = quantiles(seen.values(), n=20, method="inclusive"), error_bands()[BAND]
    assert (band.low_pct, band.high_pct) == pytest.approx((cuts[0], cuts[-1]), abs=0.01)
    assert band.n == len(seen)
