"""Adapter of other_models.jsonl: image and video diffusion, speech, encoders."""

from __future__ import annotations

from knowledge.errors import InputError
from tools.cards import resolve_card
from tools.diffusion.demand import diffusion_estimate, has_own_constants
from tools.results import Estimate
from tools.usable import usable_gib

from .diffusion_rows import diffusion_job
from .rows import Measure, Refusal, Row, gib_of, need, number, row_id, text, whole

WITH_CONTEXT = ("nvidia-smi", "requirement", "required", "reserved")
"""Words of `metric` that say the figure holds the CUDA context; the others are the allocator's."""

FAILED = ("oom", "out of memory", "failed")


def predict(row: Row) -> list[Measure] | Refusal:
    """Peak, weights and whether it ran, as far as the row tells them."""
    try:
        return _measures(row)
    except InputError as error:
        return Refusal(row_id(row), str(error))


def _measures(row: Row) -> list[Measure]:
    need(row, "kind", "model")
    kind = str(row["kind"]).lower()
    if "diffusion" in kind:
        return _diffusion(row)
    raise InputError(f"unknown kind: {kind}")


def _diffusion(row: Row) -> list[Measure]:
    job, note = diffusion_job(row)
    gpus = whole(row, "num_gpus") or 1
    estimate = diffusion_estimate(job, gpus=gpus)
    groups = {
        "kind": ("video" if job.model.kind == "video" else "image") + (" training" if job.training else " inference"),
        "family": job.model.family,
        "constants": "own" if has_own_constants(job) else "general",
    }
    return _compared(row, estimate, groups, note)


def _compared(row: Row, estimate: Estimate, groups: dict[str, str], note: str = "") -> list[Measure]:
    found = []
    peak, outcome = number(row, "peak_mem"), (text(row, "outcome") or "").lower()
    if peak is not None and "weights only" not in (text(row, "metric") or ""):
        measured = gib_of(peak, text(row, "unit") or "GB", source=text(row, "source_url") or "")
        share = _without_context(row, estimate) / estimate.per_gpu_gib.best
        band = estimate.per_gpu_gib
        found.append(Measure(row_id(row), "peak", measured, band.best * share, band.low * share, band.high * share, groups, note))
    return [*found, *_ran(row, estimate, outcome, groups)]


def _without_context(row: Row, estimate: Estimate) -> float:
    metric = (text(row, "metric") or "").lower()
    held = any(word in metric for word in WITH_CONTEXT)
    return estimate.per_gpu_gib.best - (0.0 if held else estimate.parts.get("engine", 0.0))


def _ran(row: Row, estimate: Estimate, outcome: str, groups: dict[str, str]) -> list[Measure]:
    """Whether it ran on the card named, where exactly one card of the table is meant."""
    cards = resolve_card(text(row, "gpu") or "")
    if len(cards) != 1 or not outcome:
        return []
    fits = estimate.per_gpu_gib.best <= usable_gib(cards[0])
    failed = any(word in outcome for word in FAILED)
    return [Measure(row_id(row), "fits", float(not failed), float(fits), None, None, groups)]
