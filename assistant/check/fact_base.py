"""The facts of a turn, found by value: what texts say (answer, question, passages), what records hold, what the catalog knows."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator

from .agreement import BARE, Match, agree
from .figures import Figure
from .quantities import Quantity
from .records import Fact

BASES = {"memory": (1073741824.0, 1e9), "time": (3600.0, 1.0, 86400.0), "bandwidth": (1e9,), "compute": (1e12,), "network": (1e9,), "parameters": (1e9, 1.0)}
"""What a bare number may count of a dimension."""
COUNTED = frozenset({"cards", "machines", "users", "layers", "vcpu", "tp", "bits", "regions", "types"})


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
        best = min(fitting, key=lambda match: (-len(figure.labels & match.fact.labels), not match.subject, abs(match.fact.value - value)))
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
