"""Figures of composed text: each must occur somewhere in evidence or question. Code has placed them, so that is enough.

Numbers may be rounded to the precision in which they are printed, and counted in 万, 亿 or K.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .draft_text import DraftText
from .patterns import blank_names
from .problem import Problem

if TYPE_CHECKING:
    from .support import Support

NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(\d{1,3}(?:,\d{3})+|\d{1,15})(\.\d{1,9})?(?![0-9])\s?(百万|千万|[万亿千]|[Kkw](?![A-Za-z0-9]))?")
SCALE = {"千": (1e3,), "万": (1e4,), "w": (1e4,), "百万": (1e6,), "千万": (1e7,), "亿": (1e8,), "k": (1000.0, 1024.0), "": (1.0,)}
ORDINARY = 3
"""Whole numbers up to this are words ("two choices", "第 3 步"), unless a unit follows."""
UNIT = re.compile(r"\s?(?:GiB|GB|MiB|MB|TB|G(?![A-Za-z])|元|块|CNY|USD|美元|%|TFLOPS|tokens?|W(?![A-Za-z]))")


def read_numbers(text: str) -> Iterator[tuple[float, int]]:
    """The numbers of a text (names left out) with their decimals, scaled by 万, 亿, K as written."""
    for match in NUMBER.finditer(blank_names(text)):
        scale = (match.group(3) or "").lower()
        base = float(match.group(1).replace(",", "") + (match.group(2) or ""))
        decimals = len(match.group(2) or ".") - 1
        for factor in SCALE[scale]:
            yield base * factor, decimals


def bad_loose_numbers(draft: DraftText, support: Support) -> Iterator[Problem]:
    plain = blank_names(draft.text)
    for match in NUMBER.finditer(plain):
        base = float(match.group(1).replace(",", "") + (match.group(2) or ""))
        decimals = len(match.group(2) or ".") - 1
        if base <= ORDINARY and not decimals and not UNIT.match(plain, match.end()):
            continue
        factors = SCALE[(match.group(3) or "").lower()]
        if not any(_supported(base, decimals, factor, support) for factor in factors):
            yield Problem("number", match.group().strip(), match.start())


def _supported(base: float, decimals: int, factor: float, support: Support) -> bool:
    if factor == 1.0:
        return support.has_number(base, decimals)
    slack = 0.5 * 10.0**-decimals * factor
    at = bisect.bisect_left(support.numbers, base * factor - slack)
    return support.has_number(base, decimals) or (
        at < len(support.numbers) and support.numbers[at] <= base * factor + slack
    )
