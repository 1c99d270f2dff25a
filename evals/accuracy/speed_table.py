"""Makes efficiency.csv from published speeds: `python -m evals.accuracy.speed_table FILE [--write]`.

Prints, per engine and card, measured against computed speed: of the fit, of a split by model, of leaving out one model at
a time. With --write the table is written anew. Its bands are the 4th and 96th percentile of the rows of left-out models,
of the fitted rows where a kind has one model only.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from knowledge.errors import InputError
from knowledge.speed_facts import Efficiency

from .speed import read_row
from .speed_fit import (
    A100,
    H20,
    SHARINGS,
    Constants,
    Sample,
    Sharing,
    efficiency_of,
    errors,
    fit,
    left_out_errors,
    make_sample,
    rounded,
    split_errors,
)

TABLE = Path(__file__).parents[2] / "knowledge" / "data" / "efficiency.csv"

UNSTATED = {"transformers": "4.37"}
"""Version of pages that print none: Qwen1.5 needs transformers 4.37, and its page is of May 2024."""

PAGES = {
    "2024-05-28": "qwen-speed-1.5", "2024-09-13": "qwen-speed-2", "2025-04-22": "qwen-speed-2.5",
    "2026-01-09": "qwen-speed-3",
}  # fmt: skip

BAND_AT = 0.04
NARROWEST_PCT = 6.0

GRAPH_MOE = ("sglang", "float", "moe")
"""Whose start per layer and share of bandwidth fused experts are given where an engine's own rows are too old or missing."""


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    samples = read_samples(given.file)
    table: list[Efficiency] = []
    for sharing in SHARINGS:
        own = [sample for sample in samples if (sample.row.engine, sample.row.gpu.gpu_id) == (sharing.engine, sharing.gpu_id)]
        found, left_out = fit(own, sharing), left_out_errors(own, sharing)
        fitted = errors(own, found, sharing)
        parts = {"fit": fitted, "split by model": split_errors(own, sharing), "model left out": left_out}
        print(sharing.engine, sharing.gpu_id)
        for name, part in parts.items():
            print(f"  {name}: {describe(part)}")
        table += fitted_rows(own, found, sharing, sorted(left_out + fitted))
    table += borrowed_rows(table)
    print("H20 with the shares of A100:", describe(transfer_errors(samples, table)))
    if given.write:
        write(table)


def read_samples(path: Path) -> list[Sample]:
    """The rows of a file that print a speed and all that it depends on."""
    samples = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = read_row(json.loads(line))
        except InputError:
            continue
        version = row.version or UNSTATED.get(row.engine)
        if version:
            samples.append(make_sample(row, version))
    return samples


def fitted_rows(
    samples: Sequence[Sample], found: Constants, sharing: Sharing, spread: Sequence[float]
) -> list[Efficiency]:
    """One row for each version, kind of weights and kind of model, with the band of the whole engine and card."""
    low, high = band(spread)
    groups: dict[tuple[str, str, str], list[Sample]] = {}
    for sample in samples:
        groups.setdefault((sample.version, sample.kind, sample.arch), []).append(sample)
    return [
        replace(
            rounded(efficiency_of(group[0], found, sharing)), low_pct=low, high_pct=high, n=len(group),
            source_ids=(PAGES.get(group[0].row.published or "", "qwen-readme-v1"),),
            note=f"Fitted on {len({sample.row.model.id for sample in group})} models, one stream.",
        )
        for group in groups.values()
    ]  # fmt: skip


def borrowed_rows(table: Sequence[Efficiency]) -> list[Efficiency]:
    """Rows for what no page shows, from the nearest that one does. Their band is that of another card."""
    rows = {(row.engine, row.kind, row.arch): row for row in table}  # the newest version stands last
    moe = rows[GRAPH_MOE]
    new = []
    for kind in ("float", "int8", "int4", "awq"):
        dense = rows["vllm", kind, "dense"]
        shared = {"layer_ms": moe.layer_ms, "weight_share": moe.weight_share}
        new.append(borrow(dense, "vllm", A100, kind, "moe", "Experts as SGLang 0.4.6 on H20.", **shared))
        new.append(borrow(dense, "sglang", A100, kind, "dense", "As vLLM 0.6.3 on the same card."))
    for arch in ("dense", "moe"):
        int8 = rows["vllm", "int8", "dense"]
        shared = {} if arch == "dense" else {"layer_ms": moe.layer_ms, "weight_share": moe.weight_share}
        new.append(borrow(int8, "vllm", A100, "fp8", arch, "As INT8: as many bytes.", **shared))
    for kind, arch in (("float", "dense"), ("fp8", "dense"), ("int8", "dense"), ("awq", "dense"), ("float", "moe"), ("fp8", "moe")):
        new.append(borrow(rows["sglang", kind, arch], "vllm", H20, kind, arch, "As SGLang 0.4.6 on the same card."))
    new.append(borrow(rows["sglang", "awq", "dense"], "vllm", H20, "int4", "dense", "As AWQ of SGLang on the same card."))
    new.append(borrow(rows["sglang", "float", "moe"], "vllm", H20, "int4", "moe", "As 16-bit experts: GPTQ experts of SGLang 0.4.6 were not fused."))
    return new  # fmt: skip


def borrow(row: Efficiency, engine: str, gpu_id: str, kind: str, arch: str, note: str, **other: float) -> Efficiency:
    """A row copied for another engine, card or kind."""
    version = "0.6.3" if engine == "vllm" else "0.4.6"
    return replace(
        row, engine=engine, from_version=version, gpu_id=gpu_id, kind=kind, arch=arch, basis="borrowed", n=0, note=note, **other
    )  # fmt: skip


def transfer_errors(samples: Sequence[Sample], table: Sequence[Efficiency]) -> list[float]:
    """Rows of SGLang on H20 predicted with the shares of vLLM on A100: what another card may do to the figures."""
    shares = {(row.kind, row.arch): row for row in table if (row.engine, row.gpu_id) == ("vllm", A100)}
    here = [sample for sample in samples if (sample.row.engine, sample.row.gpu.gpu_id) == ("sglang", H20)]
    return sorted(sample.ratio(shares[sample.kind, sample.arch]) - 1 for sample in here)


def band(spread: Sequence[float]) -> tuple[float, float]:
    """Low and high in whole percent, outwards."""
    low, high = quantile(spread, BAND_AT) * 100, quantile(spread, 1 - BAND_AT) * 100
    return min(float(int(low - 1)), -NARROWEST_PCT), max(float(int(high + 1)), NARROWEST_PCT)


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which that share of an ordered list lies."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def describe(spread: Sequence[float]) -> str:
    """Rows, median, mean and 90th percentile of the absolute error, 5th and 95th of the signed one."""
    size, signed = sorted(abs(value) for value in spread), sorted(spread)
    figures = (quantile(size, 0.5), sum(size) / len(size), quantile(size, 0.9), quantile(signed, 0.05), quantile(signed, 0.95))
    return "{} rows, median {:.1%}, mean {:.1%}, 90th {:.1%}; signed 5th {:+.0%}, 95th {:+.0%}".format(len(size), *figures)


def write(table: Sequence[Efficiency]) -> None:
    """The table, reference cards first: for other cards the first row of an engine counts."""
    names = [item.name for item in fields(Efficiency)]
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for row in sorted(table, key=lambda row: (row.engine != "vllm", row.engine, row.gpu_id, row.basis == "borrowed")):
            writer.writerow([cell(getattr(row, name)) for name in names])


def cell(value: object) -> object:
    """A value as the tables write it."""
    if isinstance(value, tuple):
        return ";".join(value)
    return f"{value:g}" if isinstance(value, float) else value


if __name__ == "__main__":
    sys.exit(main())
