"""Do the fitted constants of serving generalise? Fits them on half of the models and tests them on the others.

    python -m evals.accuracy.split_inference [FILE]

Fitted are the logits that vLLM's profile run holds (engines.csv, 0.18-0.19) by KV tokens, and the allocator's fragments
per layer of transformers before 4.45 (generate_versions.csv) by peaks. Prints median and mean absolute errors in percent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median

from knowledge.errors import InputError
from knowledge.facts import remote_code
from tools.engine import engine_of_version
from tools.engines.transformers import generate_version, peak_bytes
from tools.serving import serving_sum
from tools.serving_job import TRANSFORMERS, VLLM
from tools.units import MIB, to_gib

from .inference_rows import InferenceRow, read_row
from .kinds import read_truth
from .rows import Row, gib_of, number, text
from .run import TRUTH
from .split import rows_of

LOGITS = [round(0.25 * step, 2) for step in range(4, 49)]
"""fp32 copies of the logits tried: 1 to 12."""
FRAGMENTS = [0.5 * step for step in range(41)]
"""MiB per layer tried."""
VERSION = "0.18-0.19"

Errors = Callable[[list[Row], float], list[float]]


def main(arguments: Sequence[str]) -> None:
    """Prints both constants, fitted on each half and tested on the other."""
    rows = read_truth(Path(arguments[0]) if arguments else TRUTH / "llm_inference.jsonl").rows
    for name, errors, tried in (("logits of vLLM", token_errors, LOGITS), ("fragments of transformers", peak_errors, FRAGMENTS)):
        for fitted, tested in (("A", "B"), ("B", "A")):
            first, second = rows_of(rows, fitted), rows_of(rows, tested)  # type: ignore[arg-type]
            best = fit(first, errors, tried)
            sys.stdout.write(
                f"{name}: {best:g} on half {fitted} ({_said(errors(first, best))}), on half {tested} {_said(errors(second, best))}\n"
            )


def fit(rows: list[Row], errors: Errors, tried: Iterable[float]) -> float:
    """The value with the smallest mean error."""
    return min(tried, key=lambda value: fmean(errors(rows, value) or [0.0]))


def token_errors(rows: list[Row], logits: float) -> list[float]:
    """Of the printed KV tokens."""
    found = []
    for row, read in _known(rows, "kv_cache_tokens"):
        engine = engine_of_version(read.job.engine_version)
        if read.job.engine != VLLM or engine.group != VERSION or read.gpu is None or read.tensor_parallel is None:
            continue
        account = serving_sum(
            read.job, read.gpu, tensor_parallel=read.tensor_parallel, pipeline_parallel=read.pipeline_parallel,
            engine=replace(engine, sampler_factor=logits),
        )  # fmt: skip
        found.append(abs(100 * (account.pool_tokens / (number(row, "kv_cache_tokens") or 1) - 1)))
    return found


def peak_errors(rows: list[Row], fragments: float) -> list[float]:
    """Of the printed peaks of one card."""
    found = []
    for row, read in _known(rows, "peak_mem_total"):
        version = generate_version(read.job.engine_version)
        own_code = read.job.model.hf_id in remote_code()
        if read.job.engine != TRANSFORMERS or not version.layer_mib or read.devices > 1 or own_code:
            continue
        shifted = (fragments - version.layer_mib) * MIB * (read.job.model.layers or 0)
        measured = gib_of(number(row, "peak_mem_total") or 0, text(row, "unit") or "", source=text(row, "source_url") or "")
        found.append(abs(100 * (to_gib(peak_bytes(read.job) + shifted) / measured - 1)))
    return found


def _known(rows: Iterable[Row], field: str) -> Iterable[tuple[Row, InferenceRow]]:
    for row in rows:
        if number(row, field) is None:
            continue
        try:
            yield row, read_row(row)
        except InputError:
            continue


def _said(errors: list[float]) -> str:
    return f"median {median(errors):.2f} %, mean {fmean(errors):.2f} %, {len(errors)} rows" if errors else "no rows"


if __name__ == "__main__":
    main(sys.argv[1:])
