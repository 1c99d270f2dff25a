"""The facts of a turn, found by value: what texts say (answer, question, passages), what records hold, what the catalog knows."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .figures import Figure, asides
from .quantities import Quantity
from .records import Fact
from .subjects import Subject

BARE = ""
BASES = {"memory": (1073741824.0, 1e9), "time": (3600.0, 1.0, 86400.0), "bandwidth": (1e9,), "compute": (1e12,), "network": (1e9,), "parameters": (1e9, 1.0)}
"""What a bare number may count of a dimension."""
PRICED = frozenset({"hour", "month", "year"})
CARD = frozenset({"card_size", "card_memory"})
COUNTED = frozenset({"cards", "machines", "users", "layers", "vcpu", "tp", "bits", "regions", "types"})
NEAR = 4
"""Facts looked at for the reason that a model is told."""


class Match(NamedTuple):
    """How a fact meets a figure: all three, and whether label and subject are shared rather than merely not opposed."""

    fact: Fact
    label: bool
    subject: bool


class FactBase:
    """Facts in order of their value, apart by dimension."""

    def __init__(self, known: Iterable[Fact]) -> None:
        by_dim: dict[str, list[Fact]] = {}
        for fact in set(known):
            by_dim.setdefault(fact.dim.partition("_")[0], []).append(fact)
        self._facts = {dim: sorted(items, key=lambda fact: fact.value) for dim, items in by_dim.items()}
        self._values = {dim: [fact.value for fact in items] for dim, items in self._facts.items()}

    def equal(self, figure: Figure, *, bare: bool = True) -> Iterator[Match]:
        """Facts of the figure's value at its printed precision that its unit, labels and subject do not contradict.

        `bare`: a number without a unit may be of any dimension, and a fact without one of any figure.
        """
        item = figure.quantity
        dim = item.dim.partition("_")[0]
        if dim == BARE:
            dims = list(self._facts) if bare else []
        else:
            dims = [dim, *([BARE] if bare else ())]
        for name in dims:
            yield from self._within(figure, name)

    def _within(self, figure: Figure, dim: str) -> Iterator[Match]:
        item = figure.quantity
        values = self._values.get(dim)
        if not values:
            return
        for value, slack in _scales(item, dim):
            at = bisect.bisect_left(values, value - slack * 2.2 - 1e-9 * value)
            most = value + slack * 2.2 + 1e-9 * value
            while at < len(values) and values[at] <= most:
                fact = self._facts[dim][at]
                at += 1
                if dim == "memory" == item.dim and fact.unit and item.plain and not _of_one_kind(value / item.plain, fact.unit):
                    continue
                if abs(fact.value - value) <= slack + 1e-9 * value and (match := agree(figure, fact)):
                    yield match

    def all_of(self, dim: str) -> list[Fact]:
        """All facts of a dimension."""
        return self._facts.get(dim, [])

    def nearest(self, figure: Figure) -> Fact | None:
        """The fact of the same dimension, label and subject whose value is nearest, for the reason."""
        facts = self._facts.get(figure.quantity.dim.partition("_")[0], [])
        value = figure.quantity.values[0]
        fitting = [match for fact in facts if (match := agree(figure, fact))]
        if not fitting:
            return None
        best = min(fitting, key=lambda match: (not match.label, not match.subject, abs(match.fact.value - value)))
        return best.fact if best.label or best.subject else None


def _scales(item: Quantity, dim: str) -> list[tuple[float, float]]:
    """The figure's possible values in the base of `dim`, each with its slack. A unit said loosely (80 GiB for 80 GB) is no rounding;
    counts are not rounded either."""
    slack, plain = item.slack, item.plain
    if dim in COUNTED and item.dim in ("", dim, "tp"):
        return [(value, 0.0 if plain < 1000 else slack) for value in item.values]
    if item.dim == BARE and dim != BARE:
        near, *loose = BASES.get(dim, (1.0,))
        return [(value * near, slack * near) for value in item.values] + [(value * unit, 1e-3 * slack * unit) for value in item.values for unit in loose]
    if dim == BARE and item.dim in COUNTED:
        return [(plain, 0.0)]
    if dim == BARE and item.dim != BARE and plain:
        return [(plain, slack * plain / item.values[0] if item.values[0] else slack)]
    return [(value, slack if value in item.strict else 1e-3 * slack) for value in item.values]


def _of_one_kind(unit: float, other: float) -> bool:
    """Whether both units are binary (GiB, MiB) or both decimal: what a text prints in one kind is no figure of the other."""
    return (unit % 1024 == 0) == (other % 1024 == 0)


def agree(figure: Figure, fact: Fact) -> Match | None:
    """The match of a figure and a fact of equal value; None where currency, rate, label or subject differ."""
    item = figure.quantity
    if item.dim.startswith("money_") and fact.dim.startswith("money_") and item.dim != fact.dim:
        return None
    if item.per and fact.per and item.per != fact.per:
        return None
    if fact.bound and not figure.ranged:
        return None
    if fact.dim.startswith("money_") and fact.per in PRICED and figure.subject.types and not figure.carried and fact.subject.named:
        if not figure.subject.types & fact.subject.types and (fact.carried or fact.subject.types):
            return None  # what a card or another type costs is not what this type costs
    shared = _share_label(figure, fact)
    if shared is None:
        return None
    if not _of_one_thing(figure, fact):
        return None
    return Match(fact, shared or not fact.labels - asides() - CARD, figure.subject.shares(fact.subject))


def _share_label(figure: Figure, fact: Fact) -> bool | None:
    """Whether they share a label; None where what they are called forbids that they are one."""
    dim = figure.quantity.dim
    mine, theirs = figure.labels - asides(), fact.labels - asides()
    shared = bool(mine & theirs) or bool(not mine and figure.labels & fact.labels)
    if "card_memory" in figure.labels and theirs & {"ram", "disk"} and not shared:
        return None
    if dim == "bandwidth" and ("nvlink" in figure.labels) != ("nvlink" in fact.labels) and figure.labels and fact.labels:
        return None
    if mine and "card_size" in theirs and not shared:
        return None
    if "card_size" in mine:
        return True if fact.labels & CARD else None
    if fact.dim == BARE != dim:
        if figure.labels & fact.labels:
            return True
        return False if dim == "memory" and not figure.labels and not figure.carried and figure.subject.shares(fact.subject) else None
    if shared or {"limit", "usable"} & mine and {"limit", "usable"} & theirs:
        return True
    if not mine and dim == "memory" and theirs & {"limit", "usable"} and figure.quantity.whole and figure.labels and not figure.carried:
        return None  # a size of a card is not what can be used of it
    if mine and not theirs and fact.labels & CARD and not figure.soft:
        return None
    if mine and theirs and not (figure.soft or fact.soft):
        return None
    if dim == BARE and figure.labels and not figure.soft and (fact.dim == BARE or theirs):
        return None
    return False


def _of_one_thing(figure: Figure, fact: Fact) -> bool:
    if figure.subject.agrees(fact.subject):
        return True
    if not (figure.carried or fact.carried):
        return False
    regions = figure.subject.regions & fact.subject.regions or not (figure.subject.regions and fact.subject.regions)
    own: Subject = figure.subject if fact.carried else fact.subject
    other: Subject = fact.subject if fact.carried else figure.subject
    counts = bool(own.types or other.types) or not (own.counts and other.counts) or bool(own.counts & other.counts)
    return bool(regions) and counts
