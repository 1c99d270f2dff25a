"""Figures that follow from others by a stated operation: hours of a price, parts of a sum, a product or a share shown beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations

from .figures import Figure
from .records import Fact

HOURS = {"day": (24.0,), "month": (730.0, 720.0, 744.0), "year": (8760.0, 8640.0), "week": (168.0,)}
EVERY = (24.0, 168.0, 720.0, 730.0, 744.0, 8640.0, 8760.0)
MONTHS = (2.0, 3.0, 6.0, 9.0, 12.0, 24.0, 36.0)
COUNTS = ("cards", "machines", "users", "tp", "months", "years", "images", "times", "")


SUM = re.compile(r"\+|加|合计|总|共|一起|算下来|[Tt]otal|together|plus|sum|in all|altogether|=|≈|需要|[Nn]eeded")
DIFFERENCE = re.compile(r"差|余|剩|省|多|少|贵|便宜|缺|超|[-−–]|less|more|left|spare|headroom|margin|minus|over|under|short|sav|free|room|cheaper|dearer|extra|difference|beyond|exceed")
PRODUCT = re.compile(r"[×x*÷/=]|每|共|合计|总|各|均|分|台|张|卡|路|each|total|per|by|times|split|across|both|all|together|altogether|GPU|card")
"""Words and signs of a line that states such an operation."""


def follows(figure: Figure, beside: Sequence[Figure], prices: Iterable[Fact], line: str) -> bool:
    """Whether a figure follows from those shown in its line, or from a price of its machine for a time."""
    item = figure.quantity
    if item.dim.startswith("money") and _is_bill(figure, beside, prices):
        return True
    others = [other for other in beside if other.quantity is not item]
    if item.dim in ("percent", "times"):
        return _is_share(figure, others)
    if PRODUCT.search(line) and _is_product(figure, others):
        return True
    return _is_sum(figure, others, line)


def is_total(figure: Figure, above: Sequence[Figure]) -> bool:
    """Whether a figure is the sum of two or more that stand right above it in its table or list."""
    item = figure.quantity
    same = [o.quantity for o in above if o.quantity.dim == item.dim and o.quantity is not item]
    return any(
        _near(figure, sum(q.strict[0] for q in same[-size:]), max(q.slack for q in same[-size:]) * 1.1) for size in range(2, len(same) + 1)
    )


def _near(figure: Figure, value: float, slack: float = 0.0) -> bool:
    item = figure.quantity
    return any(abs(value - mine) <= item.slack + slack + 1e-9 * mine for mine in item.values)


def _is_bill(figure: Figure, beside: Sequence[Figure], prices: Iterable[Fact]) -> bool:
    """An hourly price for hours, a monthly one for months, of so many machines as the line says."""
    item = figure.quantity
    counts = {1.0, *(o.quantity.plain for o in beside if o.quantity.dim == "machines")}
    hours = {o.quantity.values[0] / 3600 for o in beside if o.quantity.dim == "time"}
    months = {o.quantity.plain for o in beside if o.quantity.dim == "months"} | {12 * o.quantity.plain for o in beside if o.quantity.dim == "years"}
    days = {h / 24 for h in hours if h % 24 == 0} | {30.0}
    for fact in prices:
        if fact.per == "hour":
            each = HOURS.get(item.per, EVERY) if item.per != "hour" else (1.0,)
            times = {*each, *(h for h in hours if item.per != "hour"), *(h * d for h in hours if h <= 24 for d in days), *(730.0 * m for m in months)}
        elif fact.per == "month":
            times = {1.0, *months, 12.0} if item.per in ("", "month", "year") else {1 / 730, 1 / 720}
        elif fact.per == "year":
            times = {1.0, 1 / 12} if item.per != "hour" else {1 / 8760}
        else:
            times = {1.0}
        if any(_near(figure, fact.value * t * n) for t in times for n in counts):
            return True
    return False


def _is_product(figure: Figure, others: Sequence[Figure]) -> bool:
    item = figure.quantity
    same = [o.quantity for o in others if o.quantity.dim == item.dim or (not item.dim and o.quantity.dim == "memory")]
    counts = {o.quantity.plain for o in others if o.quantity.dim in COUNTS and o.quantity.whole and 1 < o.quantity.plain <= 4096}
    for other in same:
        for count in counts:
            for value in other.strict:
                if _near(figure, value * count, other.slack * count * 0.2) or _near(figure, value / count, other.slack / count):
                    return True
    fractions = [o.quantity for o in others if o.quantity.plain in (0.9, 0.95, 0.85, 0.92, 0.94, 0.98)]
    return any(_near(figure, other.strict[0] * fraction.plain) for other in same for fraction in fractions)


def _is_sum(figure: Figure, others: Sequence[Figure], line: str) -> bool:
    """Two of the others added or one taken from another; or all that stand before it."""
    item = figure.quantity
    same = [o.quantity for o in others if o.quantity.dim == item.dim][:14]
    if item.dim in ("", "tp", "years"):
        return False
    added, taken = bool(SUM.search(line)), bool(DIFFERENCE.search(line))
    for left, right in combinations(same, 2):
        slack = min(left.slack, right.slack) * 0.2
        if added and _near(figure, left.strict[0] + right.strict[0], slack):
            return True
        if taken and _near(figure, abs(left.strict[0] - right.strict[0]), slack):
            return True
    before = [q for q in same if q.start < item.start] if added else []
    return any(
        _near(figure, sum(q.strict[0] for q in parts), max(q.slack for q in parts) * 1.1)
        for size in range(3, len(before) + 1) for parts in (before[:size], before[-size:])
    )  # fmt: skip


def _is_share(figure: Figure, others: Sequence[Figure]) -> bool:
    """A percentage or a multiple of two figures of one dimension that the line shows."""
    item = figure.quantity
    for left, right in combinations([o.quantity for o in others], 2):
        if left.dim != right.dim or not left.values[0] or not right.values[0]:
            continue
        ratio = left.strict[0] / right.strict[0]
        for value in (ratio, 1 / ratio):
            shown = [value * 100, abs(1 - value) * 100] if item.dim == "percent" else [value]
            if any(abs(v - item.plain) <= item.slack * 1.05 for v in shown):
                return True
    return False
