"""The cards and types that the user named, and the largest value that fits on them."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge import facts
from tools.jobs.results import JobCheck

from . import words
from .job_view import JobView
from .solved import solved_lines

MAX_PLACES = 4
MAX_HELP = 3


def place_lines(view: JobView) -> Iterator[str]:
    """What was solved for, first; then one paragraph per named card or type."""
    yield from solved_lines(view, view.sizing.solved)
    if not view.sizing.solved:
        yield from (_check(view, check) for check in view.sizing.checks[:MAX_PLACES])


def _check(view: JobView, check: JobCheck) -> str:
    gpu = facts.gpus()[check.gpu_id]
    cards = words.cards(gpu, check.gpus, view.language)
    said = {
        "label": f"`{check.instance_type}`" if check.instance_type else cards,
        "cards": cards,
        "limit": words.gib(check.limit_gib),
        "usable": f"{check.usable_gib:.1f}",
        "utilization": f"{view.utilization:g}",
        "mark": view.evidence.mark(gpu.source_ids[:1]),
        "reason": check.blocked or "",
    }
    if check.blocked:
        return view.voice("check_blocked", **said)
    if check.required_gib is None or check.headroom_gib is None:
        return view.said("check_cannot_cut", **said)
    said |= {"required": words.gib(check.required_gib), "headroom": words.gib(view.derive(abs(check.headroom_gib)))}
    code = ("check_tight" if check.tight else "check_fits") if check.fits else "check_misses"
    line = view.said(code, **said)
    return line + _help(view, check) + _not_sold(view, check)


def _help(view: JobView, check: JobCheck) -> str:
    """Single changes that would make it fit there."""
    if check.fits:
        return ""
    if not check.fits_with:
        return view.said("help_none")
    return view.said("help", changes=("；" if view.language == "zh" else "; ").join(check.fits_with[:MAX_HELP]))


def _not_sold(view: JobView, check: JobCheck) -> str:
    if check.in_catalog or not check.nearest_counts:
        return ""
    counts = words.and_list([str(count) for count in check.nearest_counts], view.language)
    text = view.voice("check_not_sold", gpus=check.gpus, counts=counts)
    return text if view.language == "zh" else f" {text}"
