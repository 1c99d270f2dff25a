"""Why no type meets all conditions: which ones to give up, and what there is then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .conditions import PRECISIONS, InstanceListing, failed
from .names import phrases
from .phrases import Language, say
from .site import site_currency

NEAREST = 3
Order = Callable[[InstanceListing], Any]


@dataclass(frozen=True, slots=True)
class NoMatch:
    """Why nothing matches.

    `culprit` is the condition to give up, or of several that have to be given up together (`given_up`) the one that rules
    out most. `matches_without` counts what there is without each single condition; `nearest` meets all but `given_up`.
    """

    culprit: str
    value: object
    matches_without: dict[str, int]
    nearest: tuple[InstanceListing, ...]
    given_up: tuple[str, ...]
    values: tuple[object, ...]
    count: int

    def say(self, language: Language) -> str:
        """The reason in one or two sentences."""
        names = [_condition(name, value, language) for name, value in zip(self.given_up, self.values, strict=True)]
        if len(names) == 1:
            return say(phrases(), "none_single", language, culprit=names[0], count=self.count)
        joint = say(phrases(), "none_and", language)
        worst = _condition(self.culprit, self.value, language)
        return say(phrases(), "none_several", language, names=joint.join(names), count=self.count, culprit=worst)


def find_culprits(rows: Iterable[InstanceListing], asked: dict[str, Any], order: Order) -> NoMatch | None:
    """The fewest conditions without which something is left, those that leave most; None when a row meets all.

    Every row says for itself what it fails: the smallest such set is the answer, however the conditions combine.
    """
    fails = [(failed(row, asked), row) for row in rows]
    if not asked or not fails or any(not names for names, _ in fails):
        return None
    refused = Counter(name for names, _ in fails for name in names)
    least = min(len(names) for names, _ in fails)
    groups: dict[frozenset[str], list[InstanceListing]] = {}
    for names, row in fails:
        if len(names) == least:
            groups.setdefault(names, []).append(row)
    chosen = max(groups, key=lambda names: (len(groups[names]), sum(refused[n] for n in names)))
    given_up = tuple(sorted(chosen, key=lambda name: -refused[name]))
    single = {name: len(groups.get(frozenset({name}), [])) for name in asked}
    return NoMatch(
        culprit=given_up[0],
        value=asked[given_up[0]],
        matches_without=single,
        nearest=tuple(sorted(groups[chosen], key=order)[:NEAREST]),
        given_up=given_up,
        values=tuple(asked[name] for name in given_up),
        count=len(groups[chosen]),
    )


def _condition(name: str, value: object, language: Language) -> str:
    """A condition in words; switches say which way they are set."""
    if isinstance(value, bool):
        return say(phrases(), f"none.{name}.{'yes' if value else 'no'}", language)
    return say(phrases(), f"none.{name}", language, value=_words(value), currency=say(phrases(), f"currency.{site_currency()}", language))


def _words(value: object) -> str:
    if isinstance(value, (set, frozenset, tuple, list)):
        return ", ".join(sorted(map(str, value)))
    return str(value).upper() if value in PRECISIONS else str(value)
