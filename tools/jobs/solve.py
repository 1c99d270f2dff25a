"""The largest value of a quantity that still fits: largest batch, longest sequence, highest rank."""

from __future__ import annotations

from knowledge.errors import InputError
from tools.phrases import Language, read_phrases, say
from tools.places import Place, places
from tools.results import Recommendation
from tools.solved import Solved
from tools.solved import largest as largest

from .ask import JobAsk, Solvable
from .places import fit_on, reason

PHRASES = "phrases/jobs.toml"


def solve_for(
    ask: JobAsk, quantity: str, named: list[Place], *, first: Recommendation | None, language: Language
) -> list[Solved]:
    """The largest value on each place. `first` is the machine that takes the job as asked.

    Raises InputError, naming what can be solved for, when the job has no such quantity.
    """
    solvable = next((item for item in ask.solve if item.quantity == quantity), None)
    if solvable is None:
        known = ", ".join(item.quantity for item in ask.solve) or "-"
        raise InputError(say(read_phrases("tools", PHRASES), "cannot_solve", language, quantity=quantity[:40], known=known))
    return [_solve(ask, solvable, place, first, language) for place in named]


def places_of(names: tuple[str, ...]) -> list[Place]:
    """All places of the names, each card and count once."""
    found = [place for name in names for place in places(name)]
    return list({(place.gpu.gpu_id, place.gpu.memory_gb, place.gpus): place for place in reversed(found)}.values())[::-1]


def _solve(
    ask: JobAsk, solvable: Solvable, place: Place, first: Recommendation | None, language: Language
) -> Solved:
    share = ask.wish.utilization
    value = largest(
        lambda tried: fit_on(solvable.demand_of(tried), place, share).fits,
        low=solvable.low, high=solvable.high, step=solvable.step,
    )  # fmt: skip
    fit = fit_on(solvable.demand_of(value or solvable.low), place, share)
    short = solvable.wished is not None and (value or 0) < solvable.wished
    return Solved(
        quantity=solvable.quantity,
        value=value or 0,
        label=place.label,
        instance_type=place.instance_type,
        gpu_id=place.gpu.gpu_id,
        gpus=place.gpus,
        required_gib=fit.required_gib,
        limit_gib=fit.limit_gib,
        capped=value is not None and value + solvable.step > solvable.high,
        blocked=reason(ask, fit, place, language),
        wished=solvable.wished,
        next_machine=first if short else None,
    )
