"""The stretches of a text that can be spoilt: figures, dates, marks. Written apart from the check, which must not measure itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(r"```.*?(?:```|\Z)", re.S)
DATE = re.compile(
    r"(?<![0-9A-Za-z.])(?:(?:19|20)\d\d-\d\d(?:-\d\d)?|(?:19|20)\d\d ?年(?: ?\d{1,2} ?月(?: ?\d{1,2} ?日)?)?"
    r"|(?:19|20)\d\d/\d{1,2}/\d{1,2}"
    r"|(?:January|February|March|April|May|June|July|August|September|October|November|December)(?: \d{1,2},)? (?:19|20)\d\d)(?![0-9A-Za-z])"
)  # fmt: skip
MARK = re.compile(r"\[(\d{1,3})\](?!\()")
URL = re.compile(r"https?://\S+")
IDENTIFIER = re.compile(r"(?<![0-9A-Za-z.])[A-Za-z_][A-Za-z0-9_.+/-]*")
"""A word that begins with a letter: its digits belong to a name such as A100, Qwen2.5-72B or --max-model-len."""
NUMBERING = re.compile(r"^[ \t>]*(?:#+ *)?(?:\*\*)?\d{1,2}(?:[.)、](?!\d)|[ \t]*步)", re.M)
FIGURE = re.compile(r"(?<![0-9A-Za-z_.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![0-9]|[.,]\d)")


@dataclass(frozen=True)
class Span:
    """A stretch `text` that begins at `start`."""

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def find_figures(text: str) -> list[Span]:
    """Figures of prose, tables and code. Digits of names, links, dates, marks and the numbering of lists are none."""
    taken = [match.span() for pattern in (IDENTIFIER, URL, DATE, MARK, NUMBERING) for match in pattern.finditer(text)]
    return _outside(text, FIGURE, taken)


def find_dates(text: str) -> list[Span]:
    """Dates in the ways in which both languages write them."""
    return _outside(text, DATE, [match.span() for match in URL.finditer(text)])


def find_marks(text: str) -> list[Span]:
    """Citation marks such as [3]; brackets in code are none."""
    return _outside(text, MARK, [match.span() for match in FENCE.finditer(text)])


def line_of(text: str, place: int) -> str:
    """The line, or row of a table, that holds a place."""
    start = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    return text[start : end if end >= 0 else len(text)]


def _outside(text: str, pattern: re.Pattern[str], taken: list[tuple[int, int]]) -> list[Span]:
    ordered = _merged(taken)
    return [Span(match.start(), match[0]) for match in pattern.finditer(text) if not _touches(match.span(), ordered)]


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same stretches in order, none overlapping another."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _touches(span: tuple[int, int], ordered: list[tuple[int, int]]) -> bool:
    from bisect import bisect_left

    place = bisect_left(ordered, (span[1], 0))
    return place > 0 and ordered[place - 1][1] > span[0]


def words_of(text: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    """Every match of a pattern as a stretch."""
    return (Span(match.start(), match[0]) for match in pattern.finditer(text))
