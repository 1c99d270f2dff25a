"""Figures that follow from others by a stated operation: hours of a price, parts of a sum, a product or a share shown beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from .figures import Figure
from .labels import allowed, asides
from .quantities import Quantity
from .records import Fact

GIB = 1073741824.0
HOURS = {"day": (24.0,), "month": (730.0, 720.0, 744.0), "year": (8760.0, 8640.0), "week": (168.0,)}
EVERY = (24.0, 168.0, 720.0, 730.0, 744.0, 8640.0, 8760.0)
MONTHS = (2.0, 3.0, 6.0, 9.0, 12.0, 24.0, 36.0)
COUNTS = ("cards", "machines", "users", "tp", "months", "years", "images", "times", "")


SUM = re.compile(r"\+|加|合计|总|共|一起|算下来|[Tt]otal|together|plus|sum|in all|altogether|=|≈|needed|需要|达到?")
DIFFERENCE = re.compile(r"差(?!不多)|余|剩|省|多|少|贵|便宜|缺|超|高|低|[-−–]|less|more|left|leav|spare|headroom|margin|minus|over|under|short|sav|free|room|cheaper|dearer|extra|differ|beyond|exceed|higher|lower|还有|富裕|空[间余]|冗余|缓冲")
PRODUCT = re.compile(r"[×x*÷/=≈]|每|共|合计|总|各|均|分|摊|就是|也就是|即|each|total|per|split|across|both|all|together|altogether|that is|i\.e\.|which is|makes|comes to")
"""Words and signs that state such an operation, close to its result."""
BEHIND_DIFFERENCE = re.compile(r"[^.;,\d]{0,14}(?:less|more|left|spare|cheaper|dearer|extra|over|short|free|headroom|higher|lower)|[^.;,、\d]{0,6}(?:富[余裕]|余量|空[间余]|冗余|缓冲|余地|裕量)")
ADDED = re.compile(r"(?<![A-Za-z])plus(?![A-Za-z])|加(?![速载密])|\+")
"""Says of the figures before a result that they are put together: "131.4 GiB plus 40 GiB, i.e. 171.4 GiB"."""
MORE = re.compile(r"[贵高多快](?:了|出)?(?:约|大约)? ?$|more|dearer")  # "贵 2.6 倍" may be that on top
BEFORE, BEHIND = 18, 12
DIFFERENT = frozenset({"saves", "dearer", "headroom", "beyond"})
"""Labels of what is left of one figure when another is taken from it."""
MOST_PARTS = 14
"""Parts of one sum."""


def follows(figure: Figure, beside: Sequence[Figure], above: Sequence[Figure], text: str) -> bool:
    """Whether a figure follows from those shown in its line, or as a difference or share from those of the lines above too.

    `text`: the whole draft.
    """
    item = figure.quantity
    around = text[max(0, item.start - BEFORE) : item.start] + " " + text[item.end : item.end + BEHIND]
    around = around.replace("**", "")
    if item.dim == "memory":
        beside, above = _in_gib(beside), _in_gib(above)
    line = [other for other in beside if other.quantity is not item]
    others = _nearest(figure, line, 8)
    if item.dim in ("percent", "times"):
        paid = [other for other in [*above, *line] if other.quantity.dim.startswith("money")]
        dearer = item.dim == "times" and bool(MORE.search(text, max(0, item.start - 6), item.start))
        return any(_is_share(figure, near, less=dearer) for near in (others, _nearest(figure, [*above, *line], 16), _nearest(figure, paid, 10)))
    if PRODUCT.search(around) and _is_product(figure, others):
        return True
    if (SUM.search(around) or (PRODUCT.search(around) and ADDED.search(text, max(0, item.start - 90), item.start))) and _is_sum(figure, line):
        return True
    taken = figure.labels & DIFFERENT or DIFFERENCE.search(text, max(0, item.start - BEFORE), item.start) or BEHIND_DIFFERENCE.match(text, item.end)
    return bool(taken) and _is_difference(figure, _nearest(figure, [*above, *line], 12))


def _in_gib(figures: Sequence[Figure]) -> list[Figure]:
    """Figures whose bare numbers, where they are called a part or the limit of a memory, count GiB: "21.9 GiB，上限 28.4"."""
    return [
        replace(f, quantity=replace(f.quantity, values=(f.quantity.plain * GIB,), strict=(f.quantity.plain * GIB,), slack=f.quantity.slack * GIB, dim="memory"))
        if not f.quantity.dim and not f.soft and f.labels & allowed()["memory"] - asides() else f
        for f in figures
    ]  # fmt: skip


def is_bill(figure: Figure, beside: Sequence[Figure], prices: Iterable[Fact]) -> bool:
    """Whether an amount is a price of its machine for a time: that of the line, or a day, a month or a year."""
    return figure.quantity.dim.startswith("money") and _is_bill(figure, beside, prices)


def _nearest(figure: Figure, others: Sequence[Figure], most: int) -> list[Figure]:
    """The others that stand nearest, in their order."""
    near = sorted(others, key=lambda other: abs(other.quantity.start - figure.quantity.start))[:most]
    return sorted(near, key=lambda other: other.quantity.start)


def is_total(figure: Figure, above: Sequence[Figure]) -> bool:
    """Whether a figure is the sum of two or more that stand right above it in its table or list."""
    item = figure.quantity
    same = [o.quantity for o in above if o.quantity.dim == item.dim and o.quantity is not item][-MOST_PARTS:]
    return any(
        _near(figure, sum(q.strict[0] for q in same[-size:]), max(q.slack for q in same[-size:]) * 1.1) for size in range(2, len(same) + 1)
    )


def _near(figure: Figure, value: float, slack: float = 0.0) -> bool:
    item = figure.quantity
    return any(abs(value - mine) <= item.slack + slack + 1e-9 * mine for mine in item.values)


def _is_bill(figure: Figure, beside: Sequence[Figure], prices: Iterable[Fact]) -> bool:
    """An hourly price for hours, a monthly one for months, of so many machines as the line says."""
    item = figure.quantity
    counts = {1.0, *(o.quantity.plain for o in beside if o.quantity.dim in ("machines", "times"))}
    hours = {o.quantity.values[0] / 3600 for o in beside if o.quantity.dim == "time"}
    months = {o.quantity.plain for o in beside if o.quantity.dim == "months"} | {12 * o.quantity.plain for o in beside if o.quantity.dim == "years"}
    days = {h / 24 for h in hours if h % 24 == 0} | {30.0}
    for fact in prices:
        if fact.per == "hour":
            each = HOURS.get(item.per, EVERY) if item.per != "hour" else (1.0,)
            shown = {h for h in hours if item.per != "hour"} | {h * d for h in hours if h <= 24 for d in days}
            times = {*(each if not shown or item.per in HOURS else ()), *shown, *(730.0 * m for m in months)}
        elif fact.per == "month":
            times = {1 / 30, 12 / 365} if item.per == "day" else {1.0, *months, 12.0} if item.per in ("", "month", "year") else {1 / 730, 1 / 720}
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
    if any(o.dim == item.dim == "memory" and o.unit != item.unit and _near(figure, o.strict[0], o.slack * 1.08) for o in same):
        return True  # the same in the other unit
    for other in same:
        rounded = 0.0 if other.whole else other.slack
        for count in counts:
            for value in other.strict:
                if _near(figure, value * count, rounded * count * 0.2) or (rounded / count <= item.slack and _near(figure, value / count, rounded / count)):
                    return True
    fractions = [o.quantity for o in others if o.quantity.plain in (0.9, 0.95, 0.85, 0.92, 0.94, 0.98)]
    return any(_near(figure, other.strict[0] * fraction.plain) for other in same for fraction in fractions)


def _is_sum(figure: Figure, others: Sequence[Figure]) -> bool:
    """The two parts before or behind it added; or all that stand before it."""
    item = figure.quantity
    same = [o.quantity for o in others if o.quantity.dim == item.dim]
    if item.dim in ("", "tp", "years"):
        return False
    before = [q for q in same if q.start < item.start][-MOST_PARTS:]
    runs: list[tuple[Quantity, ...]] = [(*before[-size:],) for size in range(2, len(before) + 1)] + [(*before[:size],) for size in range(2, len(before) + 1)]
    kind = item.text.lstrip("0123456789.,")
    alike = [q for q in before[-8:] if q.text.lstrip("0123456789.,") == kind]
    runs += list(combinations(alike, 2))
    behind = [q for q in same if q.start > item.start]
    runs += [(*behind[:size],) for size in range(2, min(7, len(behind)) + 1)]
    return any(_near(figure, sum(q.strict[0] for q in parts), max(0.0 if q.whole else q.slack for q in parts) * (0.2 if len(parts) == 2 else 1.1)) for parts in runs)


def _is_difference(figure: Figure, others: Sequence[Figure]) -> bool:
    """One of two others taken from the other, both of its dimension."""
    item = figure.quantity
    same = [o.quantity for o in others if o.quantity.dim == item.dim]
    if item.dim in ("", "tp", "years", "cards", "machines"):
        return False
    return any(_near(figure, abs(left.strict[0] - right.strict[0]), min(left.slack, right.slack) * 0.2) for left, right in combinations(same, 2))


def _is_share(figure: Figure, others: Sequence[Figure], *, less: bool = False) -> bool:
    """A percentage or a multiple of two figures of one dimension that the line shows; `less`: or what a multiple is above one."""
    item = figure.quantity
    for left, right in combinations([o.quantity for o in others], 2):
        if left.dim != right.dim or left.dim in ("percent", "times", "cards", "machines", "users", "tp") or not left.values[0] or not right.values[0]:
            continue
        if not left.dim and (left.whole and right.whole and max(left.plain, right.plain) < 20):
            continue
        ratio = left.strict[0] / right.strict[0]
        for value in (ratio, 1 / ratio):
            shown = [value * 100, abs(1 - value) * 100] if item.dim == "percent" else [value, *([value - 1] if less else [])]
            if any(abs(v - item.plain) <= item.slack * 1.05 for v in shown):
                return True
    return False
