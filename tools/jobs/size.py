"""Sizes one job of any kind: advice, checks of what the user named, what one change would do, the largest that fits."""

from __future__ import annotations

from dataclasses import replace

from knowledge import facts
from knowledge.errors import InputError
from tools.advise import advise
from tools.demand import Advice
from tools.offers import card_of
from tools.phrases import Language, read_phrases, say
from tools.places import Place, vgpu_names
from tools.results import Recommendation
from tools.usable import usable_gib
from tools.variants import REFERENCE_GPU

from .ask import JobAsk
from .changes import find_changes
from .places import check_places, fit_on
from .results import JobSizing, Solved
from .solve import PHRASES, places_of, solve_for

MOST_CARDS = 8


def size_job(ask: JobAsk, *, solve: str | None = None, language: Language = "en") -> JobSizing:
    """Everything known about the job. `solve` names a quantity whose largest value on the named places is wanted.

    Raises InputError when the job can be cut over no number of cards, or `solve` names what it has not.
    """
    ask = replace(ask, wish=replace(ask.wish, vgpu_names=vgpu_names(ask.on)))
    advice = advise(ask.demand, ask.wish, language=language, phrase_table=ask.phrase_table)
    shown = _shown_place(advice)
    estimate = fit_on(ask.demand, shown, ask.wish.utilization).estimate
    if estimate is None:
        shown = Place(shown.label, facts.gpus()[REFERENCE_GPU], MOST_CARDS)
        estimate = fit_on(ask.demand, shown, ask.wish.utilization).estimate
    if estimate is None:
        raise InputError(say(read_phrases("tools", PHRASES), "cannot_be_cut", language, subject=ask.subject))
    return JobSizing(
        job=ask.job,
        subject=ask.subject,
        settings=dict(ask.settings),
        estimate=estimate,
        estimate_gpu_id=shown.gpu.gpu_id,
        limit_gib=ask.wish.utilization * usable_gib(shown.gpu),
        advice=advice,
        checks=check_places(ask, language),
        changes=find_changes(ask, shown, estimate.per_gpu_gib.best, advice),
        solved=_solved(ask, solve, shown, advice, language),
        assumed=list(ask.assumed),
        cautions=list(ask.cautions),
        source_ids=list(dict.fromkeys([*ask.source_ids, *estimate.source_ids, *advice.source_ids])),
        over_budget=None if advice.recommendations or advice.multi else next(iter(advice.over_budget), None),
        region_has_prices=advice.region_has_prices,
    )


def _shown_place(advice: Advice) -> Place:
    """The first recommendation's machine, else the closest miss, else the reference card at its usual count."""
    for rows in (advice.recommendations, advice.multi, advice.over_budget, advice.price_unknown, advice.near_misses):
        if rows:
            first: Recommendation = rows[0]
            row = facts.instances()[first.instance_type]
            return Place(first.instance_type, card_of(row), first.gpu_count * first.instances, first.instance_type, row.vgpu)
    return Place(REFERENCE_GPU, facts.gpus()[REFERENCE_GPU], MOST_CARDS)


def _solved(
    ask: JobAsk, quantity: str | None, shown: Place, advice: Advice, language: Language
) -> list[Solved]:
    if quantity is None:
        return []
    first = next(iter([*advice.recommendations, *advice.multi]), None)
    return solve_for(ask, quantity, places_of(ask.on) or [shown], first=first, language=language)
