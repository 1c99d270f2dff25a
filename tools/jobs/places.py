"""A demand held against one place: the sum there, whether it fits, and which single change would make it fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tools.cards import card_label
from tools.demand import Demand
from tools.phrases import Language, read_phrases, say
from tools.places import Place, around, catalog_counts, places
from tools.results import Estimate
from tools.usable import usable_gib

from .ask import ChangedDemand, JobAsk
from .results import JobCheck


@dataclass(frozen=True, slots=True)
class Fit:
    """A demand on a place. `estimate` is None where it cannot be cut that way; `code` says why the card cannot run it."""

    estimate: Estimate | None
    code: str | None
    limit_gib: float

    @property
    def required_gib(self) -> float | None:
        return self.estimate.per_gpu_gib.best if self.estimate else None

    @property
    def fits(self) -> bool:
        return self.code is None and self.estimate is not None and self.estimate.per_gpu_gib.best <= self.limit_gib


def fit_on(demand: Demand, place: Place, utilization: float) -> Fit:
    """The way that needs least per card there."""
    ways = demand.estimates(place.gpu, place.gpus)
    best = min(ways, key=lambda way: (way.per_gpu_gib.best, way.gpus), default=None)
    return Fit(best, demand.blocked(place.gpu), utilization * usable_gib(place.gpu))


def check_places(ask: JobAsk, language: Language) -> list[JobCheck]:
    """One check per named count or type; of a bare card or family the smallest place and the smallest that fits."""
    return [check for name in ask.on for check in _telling([_check(ask, place, language) for place in places(name)])]


def _telling(checks: Sequence[JobCheck]) -> Iterable[JobCheck]:
    if len(checks) <= 1 or checks[0].blocked:
        return checks[:1]
    last = next((check for check in checks if check.fits), checks[-1])
    more_cards_help = last.fits or last.required_gib != checks[0].required_gib
    return [checks[0], last] if last is not checks[0] and more_cards_help else checks[:1]


def _check(ask: JobAsk, place: Place, language: Language) -> JobCheck:
    fit, counts = fit_on(ask.demand, place, ask.wish.utilization), catalog_counts(place.gpu.gpu_id)
    there = place.instance_type is not None or place.gpus in counts
    required = fit.required_gib
    return JobCheck(
        label=place.label,
        instance_type=place.instance_type,
        gpu_id=place.gpu.gpu_id,
        gpus=place.gpus,
        required_gib=required,
        usable_gib=usable_gib(place.gpu),
        limit_gib=fit.limit_gib,
        headroom_gib=None if required is None else fit.limit_gib - required,
        fits=fit.fits,
        tight=bool(fit.fits and fit.estimate and fit.estimate.per_gpu_gib.high > fit.limit_gib),
        blocked=reason(ask, fit, place, language),
        fits_with=[] if fit.fits else _what_helps(ask.changes, place, ask.wish.utilization),
        in_catalog=there,
        nearest_counts=[] if there else around(place.gpus, counts),
        cautions=_cautions(ask, place, language),
    )


def reason(ask: JobAsk, fit: Fit, place: Place, language: Language) -> str | None:
    """Why the card cannot run the job at all, as a sentence."""
    if fit.code is None:
        return None
    return say(read_phrases("tools", ask.phrase_table), fit.code, language, gpu=card_label(place.gpu, language))


def _what_helps(changes: Iterable[ChangedDemand], place: Place, utilization: float) -> list[str]:
    return [change.what for change in changes if fit_on(change.demand, place, utilization).fits]


def _cautions(ask: JobAsk, place: Place, language: Language) -> list[str]:
    table, name = read_phrases("tools", ask.phrase_table), card_label(place.gpu, language)
    said = [say(table, code, language, gpu=name) for code in ask.demand.cautions(place.gpu, place.gpus)]
    if place.vgpu:
        said.append(say(read_phrases("tools", "phrases/advise.toml"), "vgpu_slice", language))
    return said
