"""Figures of a draft that follow from others: sums written out, parts of a total, a price for a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

from .agreement import agree
from .equations import Equation, find_equations
from .figures import Figure
from .known import Known
from .labels import asides
from .operations import follows, is_bill, is_total
from .problem import Problem
from .records import Fact, specs

FREE = frozenset({"time", "", "months", "machines", "years"})
USUAL = frozenset({7.0, 24.0, 30.0, 31.0, 365.0, 720.0, 730.0, 744.0, 8760.0, 1.0, 12.0})
"""Times that a reckoning may use without being told: hours of a day, a month, a year."""
ROWS_ABOVE = 24
"""Lines above from which a total, a difference or a share may be taken."""
MOST_AROUND = 30
"""Figures of a line, or of the lines above, that are looked at."""
GIB = 1073741824.0
ON_TOP = re.compile(r" (?:more|less|cheaper|dearer|extra|on top)(?![A-Za-z])(?! (?:sequences|users|tokens|requests|sessions))")
REST = re.compile(r"其他|其它|其余|剩下|[Oo]thers?|[Rr]est|[Mm]isc")
JOINS = re.compile(r"[+、/&]|和|与|及| and ")
"""In the first cell of a row that adds several parts of a sum."""


class Reckoning:
    """The operations of one draft. `stands`: whether a figure holds on its own."""

    def __init__(self, text: str, known: Known, figures: list[Figure], *, stands: Callable[[Figure], bool]) -> None:
        self._text, self._known, self._stands = text, known, stands
        self.lines: dict[int, list[Figure]] = {}
        self._equations: dict[int, list[Equation]] = {}
        for figure in figures:
            self.lines.setdefault(figure.line, []).append(figure)

    def proves(self, figure: Figure) -> bool:
        """By an equation that adds up, by an operation that its line states, as the total of the rows above, or as a price for a time."""
        beside = _around(figure, self.lines[figure.line])
        if not figure.quantity.plain:
            return False
        mine = [equation for equation in self.equations(figure.line) if equation.meant and figure in equation.parts]
        if mine:
            return all(self._is_operand(figure, part, equation) for equation in mine for part in equation.parts)
        if "card_size" in figure.labels:
            return False
        paid = [o for o in beside if o.quantity.dim.startswith("money")]
        if not figure.quantity.dim and paid and ("万" in figure.quantity.text or (figure.quantity.plain >= 100 and ON_TOP.match(self._text, figure.quantity.end))):
            figure = replace(figure, quantity=replace(figure.quantity, dim=paid[0].quantity.dim))  # "差 1.06 万", "about 2,400 more"
        above = [other for number in range(figure.line - ROWS_ABOVE, figure.line) for other in self.lines.get(number, ())][-MOST_AROUND:]
        if figure.quantity.dim == "times":  # "3.6 times the price of the better choice", which comes below
            above = [*above, *(other for number in range(figure.line + 1, figure.line + 6) for other in self.lines.get(number, ()))][-MOST_AROUND:]
        if follows(figure, beside, above, self._text) or ("needed" in figure.labels and is_total(figure, [*above, figure])):
            return True
        if figure.quantity.dim == "memory" and self._is_sum_of_parts(figure):
            return True
        if figure.quantity.dim.startswith("money"):
            return is_bill(figure, beside, [*self._prices(figure), *self._dearer(figure, beside, above)])
        if figure.quantity.dim == "machines":
            return self._is_number_paid(figure, beside)
        return figure.quantity.dim in ("time", "", "months") and self._is_time(figure, beside, above)

    def _is_sum_of_parts(self, figure: Figure) -> bool:
        """Whether several parts of the sum, which its row or clause names, make it up; of "其他" any of them that stand together."""
        named, known = figure.labels - asides(), specs()
        start = self._text.rfind("\n", 0, figure.quantity.start) + 1
        cell = self._text[start : figure.quantity.start].strip("| *")
        most = 4 if REST.match(cell) else len(JOINS.findall(cell)) + 1 if self._text.startswith("|", start) else 0
        for subject, parts in self._known.walk.parts:
            if not figure.subject.agrees(subject):
                continue
            values = {name: part for name, part in parts.items() if name in known and part}
            told = [name for name in values if known[name][3] & named]
            groups = [tuple(told)] if len(named) > 1 else []
            groups += [group for size in range(2, min(most, 4) + 1) for group in combinations(values, size) if size == most or REST.match(cell) if {*told} <= {*group}]
            if any(len(group) > 1 and self._adds_up(figure, [values[name] for name in group]) for group in groups):
                return True
        return False

    @staticmethod
    def _adds_up(figure: Figure, values: list[float]) -> bool:
        """Whether the figure is that sum, of exact parts or of the printed ones."""
        item = figure.quantity
        return any(abs(sum(values) * GIB - v) <= item.slack * 1.02 * (1 if item.whole else len(values)) for v in item.strict)

    def _is_number_paid(self, figure: Figure, beside: list[Figure]) -> bool:
        """Whether an amount of the line is the price of so many machines."""
        bills = [other for other in beside if other.quantity.dim.startswith("money")]
        return any(is_bill(bill, [figure], [p]) and not is_bill(bill, [], [p]) for bill in bills for p in self._prices(bill))

    def _is_operand(self, figure: Figure, part: Figure, equation: Equation) -> bool:
        """Whether a part of an equation holds on its own; one part, the figure itself, follows from the others."""
        if part is figure or part is equation.parts[-1]:
            return True
        item = part.quantity
        return self._stands(part) or (item.whole and item.dim in FREE and item.plain <= 8760)

    def _is_time(self, figure: Figure, beside: list[Figure], above: list[Figure]) -> bool:
        """A number of hours, days or months of the draft's own: a usual one, or one for which an amount beside it is right."""
        item = figure.quantity
        shown = [o.quantity.plain for o in [*above, *beside] if o.quantity.dim == "time" and o.quantity is not item]
        if item.dim == "time" and any(abs(item.plain - value * k) < 0.01 or abs(item.plain * k - value) <= 0.5 for value in shown for k in (24.0, 30.0)):
            return True
        money = any(o.quantity.dim.startswith("money") for o in [*beside, *above])
        if money and item.dim != "" and item.plain in USUAL:
            return True
        bills = [o for o in beside if o.quantity.dim.startswith("money")]
        if any(self._is_bill_of(o, figure) for o in bills):
            return True
        times = [o.quantity.plain for o in beside if o.quantity.dim in ("time", "") and o.quantity is not item]
        if any(abs(item.plain * a - b) < 0.01 for a in [30.0, *times] for b in times if a is not b and a > 1):
            return True
        prices = [o.quantity.strict[0] for o in [*above, *beside] if o.quantity.dim.startswith("money")]
        hours = item.values[0] / 3600 if item.dim == "time" else item.plain
        return any(low and abs(high / low - hours) <= 0.5 for high in prices for low in prices if high > low)

    def _is_bill_of(self, bill: Figure, time: Figure) -> bool:
        hours = time.quantity.values[0] / 3600 if time.quantity.dim == "time" else time.quantity.plain
        value, slack = bill.quantity.values[0], bill.quantity.slack
        counts = {1.0, *(o.quantity.plain for o in self.lines[bill.line] if o.quantity.dim == "machines")}
        prices = [p.value * n for p in self._prices(bill) if p.per == "hour" for n in counts if slack <= 0.5 * p.value * n]  # else any hours would do
        return any(abs(price * hours - value) <= slack + 1e-9 * value for price in prices)

    def equations(self, line: int) -> list[Equation]:
        """The written-out sums of a line."""
        if line not in self._equations:
            self._equations[line] = list(find_equations(self._text, self.lines[line]))
        return self._equations[line]

    def wrong_sums(self) -> Iterator[Problem]:
        """Written-out sums that do not add up."""
        for line in self.lines:
            for equation in self.equations(line):
                if equation.meant and not equation.holds:
                    last = equation.parts[-1].quantity
                    yield Problem("number", last.text, last.start, f"The sum that ends in {last.text} does not add up: give figures of the tools, or sum them right.")

    def _beside(self, figure: Figure) -> list[Figure]:
        """The figures of its line; in a table those of its column above it too."""
        column = self._column(figure)
        above = [o for number in range(figure.line - ROWS_ABOVE, figure.line) for o in self.lines.get(number, ()) if column and self._column(o) == column]
        return [*above, *self.lines[figure.line]]

    def _column(self, figure: Figure) -> int:
        """The column of a table that a figure stands in; 0 outside of one."""
        start = self._text.rfind("\n", 0, figure.quantity.start) + 1
        return self._text.count("|", start, figure.quantity.start) if self._text.startswith("|", start) else 0

    def _dearer(self, figure: Figure, beside: list[Figure], above: list[Figure]) -> list[Fact]:
        """What one machine of the text costs more than another by the hour, where its line speaks of that."""
        if not any("dearer" in o.labels or "saves" in o.labels for o in [*beside, figure]):
            return []
        prices = [o for o in [*above, *beside] if o.quantity.per == "hour" and o.quantity.dim == figure.quantity.dim and self._stands(o)]
        return [Fact(abs(a.quantity.plain - b.quantity.plain), a.quantity.dim, "hour", frozenset(), figure.subject) for a, b in combinations(prices, 2)]

    def _prices(self, figure: Figure) -> list[Fact]:
        """Prices that the figure may be reckoned from: those of its machine, else all that it does not contradict."""
        shown = [o for o in self._beside(figure) if o.quantity.per in ("hour", "month", "year") and o.quantity.start < figure.quantity.start and o.quantity.dim == figure.quantity.dim]
        if figure.carried and shown and figure.quantity.per in ("", "day", "month"):  # "按 34.742 元/小时，跑 10 小时约 347 元"
            held = [Fact(o.quantity.plain, o.quantity.dim, o.quantity.per, o.labels, o.subject) for o in shown if self._stands(o)]
            if held:
                return held
        free = Figure(replace(figure.quantity, per=""), frozenset(), figure.subject, figure.carried, 0)
        bases = (self._known.said, self._known.records)
        prices = [f for base in bases for f in base.all_of("money") if agree(free, f)]
        named = [f for f in prices if figure.subject.shares(f.subject)]
        return named or prices


def _around(figure: Figure, line: list[Figure]) -> list[Figure]:
    """The figures of a line, of a very long one those around the figure."""
    if len(line) <= MOST_AROUND:
        return line
    at = next(number for number, other in enumerate(line) if other is figure)
    return line[max(0, at - MOST_AROUND // 2) : at + MOST_AROUND // 2]
