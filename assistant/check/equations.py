"""Sums that a draft writes out: `69.483 × 730 ≈ 50,723`. What does not add up is wrong; what does proves a part by the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .figures import Figure

OPERATOR = re.compile(r"(?:/ ?(?:h|hour|month|GPU|card|小时|月|年|卡|张)(?![A-Za-z]))?(?:[^\d+=≈×x*÷/−–-]{0,14}|\s?\([^()]{0,24}\)\s?)([+×x*÷/=≈−–-]|加上?|减|乘以?|除以|plus|minus|times)\s?(?:约|about |roughly |≈ ?|~ ?)?[$¥(]? ?")
SIGNS = {"加": "+", "加上": "+", "plus": "+", "减": "-", "minus": "-", "−": "-", "–": "-", "乘": "×", "乘以": "×", "x": "×", "*": "×", "times": "×", "除以": "÷", "/": "÷", "≈": "="}
MOST = 8
"""Parts of one equation."""


class Equation(NamedTuple):
    """Figures with the signs between them; the last sign is `=`."""

    parts: tuple[Figure, ...]
    signs: tuple[str, ...]
    exact: bool  # `=` rather than `≈`
    first: int = 0  # leading parts that stand in brackets

    @property
    def meant(self) -> bool:
        """Whether the result is of the dimension of a part: "1 machine × 320 h = 3,050" leaves the price out."""
        dim = self.parts[-1].quantity.dim
        return any(part.quantity.dim in (dim, "") for part in self.parts[:-1]) or not dim

    @property
    def holds(self) -> bool:
        """Whether the result is that of the printed parts, to its last place (one place more where it is said to be about)."""
        value, result, place = _value(self.parts, self.signs, self.first), self.parts[-1].quantity.plain, 2 * _half(self.parts[-1])
        if value == float("inf"):
            return False
        near = 1.0 if self.parts[-1].quantity.about or not self.exact else 0.51
        return abs(value - result) <= near * place + 1e-9 * abs(value)


def find_equations(text: str, figures: Sequence[Figure]) -> Iterator[Equation]:
    """The equations of one line, whose figures are given in order."""
    run: list[Figure] = []
    signs: list[str] = []
    match: re.Match[str] | None = None
    for figure in figures:
        if run:
            match = OPERATOR.fullmatch(text, _end(run[-1]), figure.quantity.start)
            sign = SIGNS.get(match[1], match[1]) if match else ""
            if not sign:
                run, signs = [], []
            elif signs and signs[-1] == "=":  # a = b × c = d: the result begins the next
                run, signs = [run[-1]], []
        if run:
            signs.append(sign)
        run.append(figure)
        if signs and signs[-1] == "=" and len(run) > 2 and len(run) <= MOST:
            yield Equation(tuple(run), tuple(signs), match is not None and match[1] == "=", _bracketed(text, run))


def _end(part: Figure) -> int:
    """Where a figure ends; the × of "4 × A10" is a sign."""
    return part.quantity.start + len(part.quantity.text.rstrip(" ×x*"))


def _bracketed(text: str, run: Sequence[Figure]) -> int:
    """How many parts a bracket holds that opens right before the first one and closes before the result: (38.6 + 80.0) / 2 = 59.3."""
    if text[: run[0].quantity.start].rstrip("$¥ ")[-1:] != "(":
        return 0
    return next((at for at in range(1, len(run) - 1) if ")" in text[_end(run[at - 1]) : run[at].quantity.start]), 0)


def _value(parts: Sequence[Figure], signs: Sequence[str], first: int = 0) -> float:
    """The left side; the `first` parts are reckoned before the rest."""
    total, minus, term = 0.0, False, _value(parts[: first + 1], signs[:first]) if first > 1 else parts[0].quantity.plain
    rest = max(first, 1)
    for sign, part in zip(signs[rest - 1 : -1], parts[rest:-1], strict=True):
        value = part.quantity.plain
        if sign == "×":
            term *= value
        elif sign == "÷":
            term = term / value if value else float("inf")
        else:
            total, term, minus = total + (-term if minus else term), value, sign == "-"
    return total + (-term if minus else term)


def _half(part: Figure) -> float:
    """Half of the last place of a figure, in its own unit."""
    item = part.quantity
    return item.slack * item.plain / item.values[0] if item.values[0] else item.slack
