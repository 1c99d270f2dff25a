"""The largest size that can be trained on a named card, on a card of a named memory, or for a budget."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.read.reading import Reading
from knowledge import facts
from tools.usable import UNSEEN_SHARE

from . import words
from .job_notes import SHARE
from .job_view import JobView


def largest_lead(views: Sequence[JobView], reading: Reading) -> str:
    """The largest of the sizes tried that fits, and the next one that does not; empty where nothing limits it."""
    place = _place(views[0], reading)
    verdicts = [_fits(view, reading) for view in views]
    if not place or any(verdict is None for verdict in verdicts):
        return ""
    fitting = [view for view, fits in zip(views, verdicts, strict=True) if fits]
    missing = [view for view, fits in zip(views, verdicts, strict=True) if not fits]
    said = views[0].said
    if not fitting:
        return said("largest_none", place=place, subject=missing[0].title(), need=_need(missing[0]))
    best = fitting[-1]
    text = said("largest", place=place, subject=best.title(), need=_need(best))
    return text + (said("largest_next", subject=missing[0].title(), need=_need(missing[0])) if missing else "")


def _place(view: JobView, reading: Reading) -> str:
    """What the size is limited by, in words."""
    for check in view.sizing.checks[:1]:
        return f"`{check.instance_type}`" if check.instance_type else words.cards(facts.gpus()[check.gpu_id], check.gpus, view.language)
    if reading.card_memory_gb:
        return view.said("card_of", memory=words.plain(reading.card_memory_gb))
    if view.max_hourly is not None:
        return view.said("budget_of", amount=words.plain(round(view.derive(view.max_hourly), 2)), unit=view.unit)
    if view.max_monthly is not None:
        return view.said("budget_of_month", amount=words.plain(round(view.derive(view.max_monthly), 2)), unit=view.unit)
    return ""


def _fits(view: JobView, reading: Reading) -> bool | None:
    if view.sizing.checks:
        return view.sizing.checks[0].fits
    if reading.card_memory_gb:
        return view.sizing.estimate.gpus == 1 and view.sizing.estimate.per_gpu_gib.best <= reading.card_memory_gb * UNSEEN_SHARE * SHARE
    return any(pick.price is not None for pick in view.picks) if view.has_budget else None


def _need(view: JobView) -> str:
    check = next(iter(view.sizing.checks), None)
    return words.gib((check.required_gib if check else None) or view.sizing.estimate.per_gpu_gib.best)
