"""Cuts a normalised text into lines and sentences, and tells which lines head others."""

from __future__ import annotations

import re
from collections.abc import Iterator

BULLET = re.compile(r"([ \t]*)([•◦▪·*+\-–—○●■►✓√]+ +|\(?\d{1,2}[.)、] *|[•◦▪○●■►])?")
HEADING = re.compile(
    r"(?:#{1,6} |[a-z][.)、] |[一二三四五六七八九十]{1,3}[、.]|(?:场景|第|选项|方案|scene|option|part|step|case) ?[0-9a-z一二三四五六])"
)
STOP = re.compile(r"[。!?]+|(?<![a-z]\.[a-z])\.(?=\s|$)")
STOP_OR_BAR = re.compile(rf"{STOP.pattern}| \| ")
"""A bar parts sentences, but not the cells of a table row, which belong together."""
SHORT_LINE = 90
MAX_SENTENCE = 400
"""Longer ones are cut, so that the time to judge a text grows with its length and no faster."""


def lines(text: str) -> Iterator[tuple[int, str]]:
    """(where it begins, line) of every line."""
    place = 0
    for line in text.split("\n"):
        yield place, line
        place += len(line) + 1


def level_of(line: str) -> tuple[int, bool]:
    """Depth of a line and whether it may head others: lower is higher up."""
    match = BULLET.match(line)
    indent, mark = (len(match[1].expandtabs(4)), match[2]) if match else (0, None)
    body = line.strip()
    closed = body.endswith(("。", ".", "!", "?", ";"))
    if HEADING.match(body) or (
        indent == 0 and len(body) <= 40 and not closed and not (mark and mark.strip() in "•*-+")
    ):
        return -1, True
    return indent + (1 if mark else 0), bool(mark or indent) and len(body) <= SHORT_LINE


def cut(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int, int]]:
    """(start, end, end with the mark) of the pieces of `text` between the matches."""
    place = 0
    for match in pattern.finditer(text):
        yield place, match.start(), match.end()
        place = match.end()
    if place < len(text):
        yield place, len(text), len(text)


def sentences_of(line: str) -> Iterator[tuple[int, int, int]]:
    """The sentences of a line as (start, end, end with the mark); what has no stop for too long is cut by length."""
    stops = STOP if line.lstrip().startswith("|") else STOP_OR_BAR
    for first, stop, end in cut(line, stops):
        for begin in range(first, max(stop, first + 1), MAX_SENTENCE):
            last = begin + MAX_SENTENCE >= stop
            yield (
                (begin, stop, end) if last else (begin, begin + MAX_SENTENCE, begin + MAX_SENTENCE)
            )
