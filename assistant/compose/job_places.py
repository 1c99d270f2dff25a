"""The cards and types that the user named, and the largest value that fits on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knowledge import facts
from tools.jobs.results import JobCheck

from . import words
from .job_view import JobView
from .solved import solved_lines

MAX_ROWS = 8
MOST_PARAGRAPHS = 2
"""Places that are told in a paragraph each; more of them are a table."""
MAX_HELP = 3


def place_lines(view: JobView) -> Iterator[str]:
    """What was solved for, first; then one paragraph per named card or type."""
    yield from solved_lines(view, view.sizing.solved)
    checks = view.sizing.checks[:MAX_ROWS]
    if view.sizing.solved:
        return
    if len(checks) > MOST_PARAGRAPHS:
        yield _lead(view, checks)
        yield "\n".join([view.said("check_head"), *(_row(view, check) for check in checks)])
        yield _first_help(view, checks)
    else:
        yield from (_check(view, check) for check in checks)


def _label(view: JobView, check: JobCheck) -> str:
    return f"`{check.instance_type}`" if check.instance_type else words.cards(facts.gpus()[check.gpu_id], check.gpus, view.language)


def _lead(view: JobView, checks: Sequence[JobCheck]) -> str:
    """On which of several places it fits, in one sentence."""
    fits = words.and_list([_label(view, check) for check in checks if check.fits], view.language)
    misses = words.and_list([_label(view, check) for check in checks if not check.fits], view.language)
    return view.said("checks_lead" if fits and misses else "checks_all" if fits else "checks_none", fits=fits, misses=misses)


def _row(view: JobView, check: JobCheck) -> str:
    if check.blocked:
        code = "verdict_blocked"
    elif check.required_gib is None:
        code = "verdict_cannot_cut"
    else:
        code = ("verdict_tight" if check.tight else "verdict_fits") if check.fits else "verdict_misses"
    verdict = view.said(code, headroom=words.gib(view.derive(abs(check.headroom_gib or 0.0))), reason=(check.blocked or "").rstrip("。."))
    required = "—" if check.required_gib is None else words.gib(check.required_gib)
    label = _label(view, check) + view.evidence.mark(facts.gpus()[check.gpu_id].source_ids[:1])
    return view.said("check_row", label=label, required=required, limit=words.gib(check.limit_gib), verdict=verdict)


def _first_help(view: JobView, checks: Sequence[JobCheck]) -> str:
    """What would make it fit on the last place that just misses: one sentence is enough beside a table."""
    helped = [check for check in checks if not check.fits and check.fits_with]
    if not helped or any(check.fits for check in checks):
        return ""
    joined = ("；" if view.language == "zh" else "; ").join(helped[-1].fits_with[:MAX_HELP])
    return view.said("help_on", label=_label(view, helped[-1]), changes=joined)


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
