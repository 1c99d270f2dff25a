"""All ways to spoil an answer, and a seeded choice of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from . import mutate_figures, mutate_marks, mutate_names
from .change import Change, Kind

Mutator = Callable[[str, Random], Iterator[Change]]


def mutators(*, sources: int) -> dict[Kind, Mutator]:
    """Each kind with its mutator. `sources` is the number of sources that the turn has."""
    return {
        "digit": mutate_figures.digits,
        "point": mutate_figures.points,
        "unit": mutate_figures.units,
        "scale": mutate_figures.scales,
        "numeral": mutate_figures.numerals,
        "date": mutate_figures.dates,
        "type": mutate_names.types,
        "family": mutate_names.families,
        "card": mutate_names.cards,
        "misspelt": mutate_names.misspelt,
        "mark_unknown": partial(mutate_marks.unknown_marks, sources=sources),
        "mark_other": partial(mutate_marks.other_marks, sources=sources),
    }


def choose_changes(text: str, *, sources: int, each: int, seed: str) -> list[Change]:
    """At most `each` changes of every kind, the same ones for the same seed."""
    chosen: list[Change] = []
    for kind, mutator in mutators(sources=sources).items():
        random = Random(f"{seed} {kind}")  # a kind does not depend on how many others there are
        found = list(mutator(text, random))
        chosen += random.sample(found, min(each, len(found)))
    return chosen
