"""Copied sentences: a line of the draft that is worded like one of the answer must bring the figures and names of that one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from .draft_text import SENTENCE
from .patterns import CARD, LIST_ITEM, NAME, TOKEN, URL

SPOKEN = r"[二两三四五六七八九十百千]{1,6}(?=[张台块卡路个种类天年月周小倍层核步])|(?<![A-Za-z])(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|sixteen|twenty|thirty|forty|fifty|hundred|thousand)(?![A-Za-z])"
"""Numbers in words that count something."""
MASKED = re.compile(rf"(?P<url>{URL.pattern})|(?P<mark>\[\d{{1,3}}\])|(?P<name>(?:{NAME.pattern})|(?:{CARD.pattern})|(?:{TOKEN.pattern}))|(?P<figure>\d[\d,]*(?:\.\d+)?(?: ?(?:[KMGT]i?B(?![A-Za-z])|[KMBGTW](?![A-Za-z])|百万|千万|[万亿千]|%|小时|分钟|天|个月|(?:hours?|days?|months?|minutes?)(?![A-Za-z])))?|{SPOKEN})", re.I)
DROPPED = re.compile(r"[\s*_`|:：;,.。、()（）\[\]>-]+")
PARTS = re.compile(r"(\d[\d,]*(?:\.\d+)?)( ?\D*)")
LETTERS, LETTERS_OF_ROW = 4, 2
"""Characters besides figures and names that a wording has at least; shorter ones are no copies. A row of a table says more with less."""


@dataclass(frozen=True, slots=True)
class Worded:
    """A stretch of text as wording and what stands in it: figures and names with their places."""

    start: int
    end: int
    wording: str
    held: tuple[str, ...]
    spans: tuple[tuple[int, int, bool], ...]  # place, and whether it is a figure
    whole: bool = True  # a line, not a part of one

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(text for text, (_, _, figure) in zip(self.held, self.spans, strict=True) if not figure)


class Wordings:
    """The wordings of known texts, each with what it held."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.held: dict[str, set[tuple[str, ...]]] = {}
        for text in texts:
            for wording, held in _wordings_of(text):
                self.held.setdefault(wording, set()).add(held)

    def differing(self, worded: Worded) -> tuple[tuple[str, ...], list[int]] | None:
        """What the most similar text of this wording held, and the places that differ; None for a wording of its own."""
        known = self.held.get(worded.wording)
        if not known or not worded.held:
            return None
        nearest = min(known, key=lambda held: sum(not _same(*pair) for pair in zip(worded.held, held, strict=True)))
        return nearest, [at for at, pair in enumerate(zip(worded.held, nearest, strict=True)) if not _same(*pair)]


@lru_cache(256)
def _wordings_of(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Kept, as the texts of a thread come back in each of its turns."""
    return tuple((worded.wording, worded.held) for worded in (*worded_lines(text), *worded_sentences(text)) if worded.held)


def _same(said: str, known: str) -> bool:
    """Whether a figure or name is that of the known text, or that rounded: 62 for 62.0, 35 for 34.7."""
    if said == known:
        return True
    mine, theirs = (PARTS.fullmatch(text) for text in (said, known))
    if not (mine and theirs) or not _same_unit(mine[2].strip(), theirs[2].strip()) or said.startswith("0") and "." not in said:
        return False
    value, other = (float(part[1].replace(",", "")) for part in (mine, theirs))
    decimals = [len(part[1].partition(".")[2]) for part in (mine, theirs)]
    return decimals[0] <= decimals[1] and abs(value - other) <= (0.5 * 10.0 ** -decimals[0] if decimals[0] < decimals[1] else 0) + 1e-9 * other


def _same_unit(mine: str, theirs: str) -> bool:
    """Whether units are the same; that of memory may be left to the head of a table."""
    return mine == theirs or (not (mine and theirs) and (mine or theirs).endswith("ib"))


def worded_lines(text: str) -> Iterator[Worded]:
    """Each line as wording."""
    at = 0
    for line in text.split("\n"):
        if len(line) > LETTERS:
            yield from _worded(line, at)
        at += len(line) + 1


def worded_sentences(text: str) -> Iterator[Worded]:
    """Each sentence of a line that has several."""
    at = 0
    for line in text.split("\n"):
        ends = [m.end() for m in SENTENCE.finditer(line)]
        if ends and ends != [len(line.rstrip())]:
            start = 0
            for end in [*ends, len(line)]:
                if end - start > LETTERS:
                    yield from (replace(worded, whole=False) for worded in _worded(line[start:end], at + start))
                start = end
        at += len(line) + 1


def _worded(text: str, at: int) -> Iterator[Worded]:
    item = LIST_ITEM.match(text)
    begin = item.end() if item else 0  # the number of an item orders, it says nothing
    held: list[str] = []
    spans: list[tuple[int, int, bool]] = []

    def mask(match: re.Match[str]) -> str:
        if match.lastgroup == "mark" or match.start() < begin:
            return ""
        held.append(match.group().lower().rstrip(".-,"))
        spans.append((at + match.start(), at + match.end(), match.lastgroup == "figure"))
        return "#" if match.lastgroup == "figure" else "@"

    wording = DROPPED.sub("", MASKED.sub(mask, text))
    if len(wording) - len(held) >= (LETTERS_OF_ROW if text.startswith("|") else LETTERS):
        yield Worded(at, at + len(text), wording.lower(), tuple(held), tuple(spans))
