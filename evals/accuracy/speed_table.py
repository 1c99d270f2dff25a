"""Makes efficiency.csv: `python -m evals.accuracy.speed_table evals/truth/llm_inference.jsonl [--write]`.

Prints, per engine and card, measured against computed speed: of the fit, of a split by model, of leaving out one model at
a time. With --write the table is written anew. Its bands are the 4th and 96th percentile of the rows of left-out models,
of the fitted rows where a kind has one model only, widened as models that were never fitted ask for.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

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

FIRST = {"vllm": "0.6.3", "sglang": "0.4.6", "transformers": "4.51.3"}
"""Versions that borrowed rows are given: those of the rows that they come from."""

BAND_AT = 0.04
NARROWEST_PCT = 6.0
UNSEEN = 1.5
"""Of 184 published rows of models that had no part in the fit (Qwen1.5 to Qwen3, 0.5B to 30B) 80 % lay between the
percentiles of the rows of left-out models, 92 % within 1.5 times as much."""

GRAPH_MOE = ("sglang", "float", "moe")
"""Whose start per layer fused experts are given where an engine's own rows are too old or missing. With vLLM's share of
bandwidth that gives 9.6 ms a token for Qwen3-30B-A3B on A100, as published (tests/tools/speed/vllm.csv)."""

LATENT_LAYER_MS = 0.19
"""Start per layer of models with latent attention: 16.1 ms a token of DeepSeek-R1 AWQ, vLLM of July 2025 on eight H100, less
what is read and exchanged, over 61 layers (https://github.com/tenstorrent/tt-inference-server/issues/356)."""


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
        tell(sharing.engine, sharing.gpu_id)
        for name, part in parts.items():
            tell(f"  {name}: {describe(part)}")
        table += fitted_rows(own, found, sharing, sorted(left_out + fitted))
    table += borrowed_rows(table)
    tell("H20 with the shares of A100:", describe(transfer_errors(samples, table)))
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
    moe, a100, h20 = rows[GRAPH_MOE].layer_ms, dict[str, Efficiency](), dict[str, Efficiency]()
    for kind, like in (("float", "float"), ("int8", "int8"), ("int4", "int4"), ("awq", "awq"), ("fp8", "int8")):
        a100[kind] = rows["vllm", like, "dense"]
        h20[kind] = rows["sglang", {"fp8": "fp8", "int4": "awq"}.get(kind, kind), "dense"]
    new = [borrow(a100["fp8"], "vllm", A100, "fp8", "dense", "As INT8: as many bytes.")]
    for kind, row in a100.items():
        new.append(borrow(row, "sglang", A100, kind, "dense", "As vLLM 0.6.3 on the same card."))
    for kind, row in h20.items():
        new.append(borrow(row, "vllm", H20, kind, "dense", "As SGLang 0.4.6 on the same card."))
    for engine in ("vllm", "sglang"):
        for gpu_id, dense in ((A100, a100), (H20, h20)):
            own = [row for row in table if (row.engine, row.gpu_id, row.arch) == (engine, gpu_id, "moe")]
            seen = {row.kind for row in own if row.from_version >= FIRST[engine]}
            new += sparse_rows(engine, gpu_id, dense, moe, seen=seen)
    return new + module_rows(rows)


def module_rows(rows: dict[tuple[str, str, str], Efficiency]) -> list[Efficiency]:
    """Expert models of transformers, which runs each expert as a module: FP8 starts as much slower as in dense models."""
    plain, sparse = rows["transformers", "float", "dense"], rows["transformers", "float", "moe"]
    new = []
    for kind in ("float", "fp8"):
        dense = rows["transformers", kind, "dense"]
        slower = dense.layer_ms / plain.layer_ms
        note = f"Starts as 16-bit experts of transformers {sparse.from_version}, times {slower:.2g} as dense models of this kind."
        new.append(
            borrow(
                dense, "transformers", H20, kind, "moe", note,
                layer_ms=round(sparse.layer_ms * slower, 3), expert_ms=round(sparse.expert_ms * slower, 4),
            )
        )  # fmt: skip
    return new


def sparse_rows(
    engine: str, gpu_id: str, dense: dict[str, Efficiency], moe_layer_ms: float, *, seen: set[str]
) -> list[Efficiency]:
    """Rows of expert models, with and without latent attention, but for kinds whose own rows were seen."""
    new = []
    for kind, row in dense.items():
        if kind not in seen:
            note = "Reads as dense models, starts as 16-bit experts of SGLang 0.4.6 on H20."
            new.append(borrow(row, engine, gpu_id, kind, "moe", note, layer_ms=moe_layer_ms))
        note = "Reads as dense models, starts as DeepSeek-R1 AWQ with vLLM of July 2025 on eight H100."
        new.append(borrow(row, engine, gpu_id, kind, "latent", note, layer_ms=LATENT_LAYER_MS))
    return new


def borrow(row: Efficiency, engine: str, gpu_id: str, kind: str, arch: str, note: str, **other: Any) -> Efficiency:
    """A row copied for another engine, card or kind."""
    return replace(
        row, engine=engine, from_version=FIRST[engine], gpu_id=gpu_id, kind=kind, arch=arch, basis="borrowed", n=0, note=note, **other
    )  # fmt: skip


def transfer_errors(samples: Sequence[Sample], table: Sequence[Efficiency]) -> list[float]:
    """Rows of SGLang on H20 predicted with the shares of vLLM on A100: what another card may do to the figures."""
    shares = {(row.kind, row.arch): row for row in table if (row.engine, row.gpu_id) == ("vllm", A100)}
    here = [sample for sample in samples if (sample.row.engine, sample.row.gpu.gpu_id) == ("sglang", H20)]
    return sorted(sample.ratio(shares[sample.kind, sample.arch]) - 1 for sample in here)


def band(spread: Sequence[float]) -> tuple[float, float]:
    """Low and high in whole percent, outwards."""
    low, high = quantile(spread, BAND_AT) * 100 * UNSEEN, quantile(spread, 1 - BAND_AT) * 100 * UNSEEN
    return min(float(int(low - 1)), -NARROWEST_PCT), max(float(int(high + 1)), NARROWEST_PCT)


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which that share of an ordered list lies."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def describe(spread: Sequence[float]) -> str:
    """Rows, median, mean and 90th percentile of the absolute error, 5th and 95th of the signed one."""
    size, signed = sorted(abs(value) for value in spread), sorted(spread)
    figures = (quantile(size, 0.5), sum(size) / len(size), quantile(size, 0.9), quantile(signed, 0.05), quantile(signed, 0.95))
    return "{} rows, median {:.1%}, mean {:.1%}, 90th {:.1%}; signed 5th {:+.0%}, 95th {:+.0%}".format(len(size), *figures)


def tell(*words: str) -> None:
    """One line of the report."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


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
    main()
