"""Alibaba Cloud's own statements of what a workload runs on, held against our sums.

What a page says fits must fit; the same job on a smaller card that cannot even hold the weights must not. Context is
almost never stated: short, one user. `minimum`, `recommended` and `verified` all say that the machine is enough.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.places import Place

from .official_jobs import judge_serving, judge_training, weights_gib
from .official_others import judge_diffusion, judge_encoder, judge_speech, judge_vision
from .official_places import place_of, smaller_place
from .official_sums import Judge, Judged
from .rows import Measure, Refusal, Row, flag, number, row_id, text

RUNS = ("ok", "ok_oversized", "ok_short")
"""Verdicts of plain arithmetic under which the statement holds; `ok_short` for short contexts, which are assumed anyway."""
DOES_NOT_RUN = ("needs_offload", "impossible", "wrong")
"""Verdicts under which the job does not run on those cards alone: nothing is offloaded here."""

JUDGES: dict[str, Judge] = {
    "llm_inference": judge_serving,
    "llm_finetune": judge_training,
    "vision_train": judge_vision,
    "vision_infer": judge_vision,
    "diffusion": judge_diffusion,
    "asr_tts": judge_speech,
    "embedding": judge_encoder,
}
DEFAULT_UTILIZATION = 0.90
_UTILIZATION = re.compile(r"gpu[-_ ]memory[-_ ]utili[sz]ation\D{0,8}(0?\.\d+|1\.0)")


@dataclass(frozen=True)
class _Statement:
    """One row: where it runs, and whether arithmetic agrees."""

    row: Row
    place: Place
    runs: bool


def predict(row: Row) -> list[Measure] | Refusal:
    """Whether the row's machine is enough, and whether a smaller one is not."""
    if flag(row, "use_in_tests") is False:
        return Refusal(row_id(row), "left out: use_in_tests is false")
    verdict = text(row, "verdict") or "not stated"
    if verdict not in (*RUNS, *DOES_NOT_RUN):
        return Refusal(row_id(row), f"verdict {verdict}: the statement neither holds nor fails by arithmetic")
    workload = text(row, "workload") or "not stated"
    if workload not in JUDGES:
        return Refusal(row_id(row), f"workload {workload} is not one that is sized")
    statement = _Statement(row, place_of(row), verdict in RUNS)
    measures = [_measure(statement, statement.place, runs=statement.runs)]
    weights = number_of(row, "weights_gib") or weights_gib(row)
    smaller = smaller_place(statement.place, weights) if weights else None
    if smaller is not None:
        measures.append(_measure(statement, smaller, runs=False, suffix="/smaller"))
    return measures


def number_of(row: Row, name: str) -> float | None:
    """A figure of the row's own arithmetic."""
    arithmetic = row.get("arith")
    return number(arithmetic, name) if isinstance(arithmetic, dict) else None


def _measure(statement: _Statement, place: Place, *, runs: bool, suffix: str = "") -> Measure:
    row = statement.row
    judged = JUDGES[text(row, "workload") or ""](row, place, utilization_of(row))
    return Measure(
        id=row_id(row) + suffix,
        quantity="fits",
        measured=float(runs),
        predicted=float(judged.fits),
        groups={
            "workload": text(row, "workload") or "not stated",
            "level": (text(row, "level") or "not stated") + suffix,
            "verdict": (text(row, "verdict") or "not stated") + suffix,
        },
        note=_sums(row, place, judged),
    )


def utilization_of(row: Row) -> float:
    """The engine's share of the card that the row states, else the default."""
    words = " ".join(filter(None, (text(row, "note"), text(row, "load"))))
    found = _UTILIZATION.search(words.lower())
    return float(found[1]) if found else DEFAULT_UTILIZATION


def _sums(row: Row, place: Place, judged: Judged) -> str:
    """Both sums in one line."""
    need = f"{judged.required_gib:.1f}" if judged.required_gib is not None else "?"
    ours = f"ours: {need} GiB per GPU, limit {judged.limit_gib:.1f}" + (f"; {judged.why}" if judged.why else "")
    weights, usable = number_of(row, "weights_gib"), number_of(row, "usable_gib")
    page = f"; the row: {weights:.1f} GiB of weights, {usable:.1f} usable in all" if weights and usable else ""
    return f"{text(row, 'model')}, {judged.settings}, {place.gpus} x {place.label}: {ours}{page}"

