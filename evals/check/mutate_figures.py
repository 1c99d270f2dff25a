"""Spoils figures: a digit, the decimal point, the unit, the scale, a numeral in words, a date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from random import Random
from tomllib import loads
from typing import Any

from .change import Change
from .spans import FENCE, Span, find_dates, find_figures

SCALE = re.compile(r" ?(?:万|亿)|[kKM](?![A-Za-z])")


def digits(text: str, random: Random) -> Iterator[Change]:
    """One digit of each figure becomes another; a first digit never becomes 0."""
    for span in find_figures(text):
        yield _other_digit(span, random)


def points(text: str, random: Random) -> Iterator[Change]:
    """The decimal point of each figure moves one place."""
    for span in find_figures(text):
        whole, point, part = span.text.replace(",", "").partition(".")
        if not point or float(span.text.replace(",", "")) == 0:
            continue
        right = f"{(whole + part[0]).lstrip('0') or '0'}{'.' + part[1:] if part[1:] else ''}"
        left = f"{whole[:-1] or '0'}.{whole[-1]}{part}"
        yield Change("point", span.start, span.text, random.choice((left, right)))


def units(text: str, random: Random) -> Iterator[Change]:
    """The unit behind each figure becomes another one."""
    swaps, pattern = _swaps()
    for match in pattern.finditer(text):
        old = match["unit"]
        yield Change("unit", match.start("unit"), old, random.choice(swaps[old]))


def scales(text: str, random: Random) -> Iterator[Change]:
    """A 万, 亿, k or M behind a figure is dropped."""
    for span in find_figures(text):
        if match := SCALE.match(text, span.end):
            yield Change("scale", match.start(), match[0], "")


def numerals(text: str, random: Random) -> Iterator[Change]:
    """A numeral in words that counts something becomes another one: 两张 → 三张, two cards → four cards."""
    table = _table()
    code = [match.span() for match in FENCE.finditer(text)]
    for words, counted in table["numerals"].values():
        pattern = re.compile(rf"(?<![A-Za-z第几数之{''.join(w for w in words if len(w) == 1)}])(?:{'|'.join(words)})(?= ?(?:{'|'.join(counted)}))", re.I)
        for match in pattern.finditer(text):
            if not any(start <= match.start() < end for start, end in code):
                yield Change("numeral", match.start(), match[0], random.choice([w for w in words if w != match[0].lower()]))


def dates(text: str, random: Random) -> Iterator[Change]:
    """One digit of each date becomes another: of its day or month, or of its year behind the century."""
    for span in find_dates(text):
        places = [i for i, char in enumerate(span.text) if char.isdigit()]
        year = span.text.find("20") if "20" in span.text else 0
        places = [i for i in places if i not in (year, year + 1)]
        yield _digit_at(span, random.choice(places), random, kind_is_date=True)


def _other_digit(span: Span, random: Random) -> Change:
    places = [i for i, char in enumerate(span.text) if char.isdigit()]
    return _digit_at(span, random.choice(places), random)


def _digit_at(span: Span, place: int, random: Random, *, kind_is_date: bool = False) -> Change:
    old = span.text[place]
    leading = not kind_is_date and place == 0 and len(span.text) > 1
    choices = [d for d in "0123456789" if d != old and not (d == "0" and (leading or len(span.text) == 1))]
    new = f"{span.text[:place]}{random.choice(choices)}{span.text[place + 1 :]}"
    return Change("date" if kind_is_date else "digit", span.start, span.text, new)


@cache
def _table() -> dict[str, Any]:
    return loads(files("evals").joinpath("check", "swaps.toml").read_text(encoding="utf-8"))


@cache
def _swaps() -> tuple[dict[str, list[str]], re.Pattern[str]]:
    """Unit → units it may become, and the pattern of a unit behind a figure."""
    swaps: dict[str, list[str]] = _table()["units"]
    longest = sorted(swaps, key=len, reverse=True)
    return swaps, re.compile(rf"(?:(?<=\d)|(?<=\d )|(?<=[万亿])|(?<=[万亿] ))(?P<unit>{'|'.join(map(re.escape, longest))})(?![A-Za-z])")
