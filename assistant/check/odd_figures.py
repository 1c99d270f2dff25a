"""Figures in shapes that nobody reads aloud and no answer needs: 1.67e1 GiB, XVI GiB, "sixteen point seven": to be written in digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from .draft_text import DraftText
from .problem import Problem
from .promises import lower_of
from .rejecting import read_words
from .support import Support


def bad_odd_figures(draft: DraftText, support: Support) -> Iterator[Problem]:
    """Figures that are not written in plain digits, unless question or evidence write them so."""
    matches = [*_shapes().finditer(draft.folded)]
    lower = lower_of(draft.folded)
    if read_words("odd_figures")["spelt"]["hint"] in lower:
        matches += _spelt().finditer(lower)
    for match in matches:
        if match.group().strip().lower() not in support.lower:
            written = draft.folded[match.start() : match.end()].strip()
            yield Problem("number", written, match.start(), f"“{written}” is not written in plain digits: give the figure of the tool result as it stands there.")
    for match in _year().finditer(lower) if "20" in lower else ():
        year = next(part for part in match.groups() if part)
        if not re.search(rf"{year}[^\n]{{0,24}}(?:{_near()})|(?:{_near()})[^\n]{{0,24}}{year}", support.lower):
            yield Problem("number", match.group(), match.start(), f"no tool result has a price of {year}: give the date of the price as the result does.")


@cache
def _shapes() -> re.Pattern[str]:
    table = read_words("odd_figures")
    body = "|".join(table["shape"].values())
    firsts = r"(?=[0-9IVXLCDMOolAaHhTtSsd零壹贰貳叁參肆伍陆陸柒捌玖拾佰仟¥$CUR])"  # looked for first
    return re.compile(rf"{firsts}(?:{table['money']}(?:{body})(?![A-Za-z0-9.])|(?:{body})(?={table['unit']}))")


@cache
def _spelt() -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z]){read_words('odd_figures')['spelt']['words']}")


@cache
def _year() -> re.Pattern[str]:
    table = read_words("odd_figures")["year"]
    return re.compile(f"{table['zh']}|{table['en']}")


def _near() -> str:
    near: str = read_words("odd_figures")["year"]["near"]
    return near
