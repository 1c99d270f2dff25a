"""Cuts a text into slices: by heading, then by size between paragraphs and at sentence ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MAX_WIDTH = 900
"""Longest slice, in widths: a Latin character counts 1, a CJK character 2.25 (so about 400 of them)."""

CJK = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
CJK_LETTER = re.compile(f"[{CJK}]")
_SENTENCE = re.compile(r".+?(?:[。！？；!?;]+[”』」）)]*|\.(?=\s)|\n|$)\s*", re.S)
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)", re.S)
_FENCE = re.compile(r"\s*(```|~~~)")


@dataclass(frozen=True, slots=True)
class Piece:
    """The slice [start, end) of a document, without white space at its ends. `path` are the headings above it; `lead`
    is where those of them begin that stand right above it, else `start`."""

    lead: int
    start: int
    end: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading at `heading` (the text before the first one has none: None) and the slice [start, end) below it."""

    path: tuple[str, ...]
    heading: int | None
    start: int
    end: int


def pieces_of(text: str) -> Iterator[Piece]:
    """The pieces of a document in order. A heading with nothing below it and no heading under it is a piece itself.

    Every character but white space stands in exactly one piece or right above it.
    """
    lead: int | None = None  # of the headings whose text has not come yet
    sections = list(_by_heading(text))
    for section, later in zip(sections, [*sections[1:], None], strict=True):
        lead = section.heading if lead is None else lead
        body = cut(text, section.start, section.end)
        if not body and section.heading is not None and not _goes_on(section, later):
            body = cut(text, section.heading, section.end)
        for number, (start, end) in enumerate(body):
            above = lead if number == 0 and lead is not None else start
            yield Piece(above, start, end, section.path)
        if body:
            lead = None


def split_text(text: str, *, max_width: float = MAX_WIDTH) -> list[str]:
    """Pieces no wider than `max_width`, cut between paragraphs, else at sentence ends, else anywhere."""
    return [text[start:end] for start, end in cut(text, 0, len(text), max_width=max_width)]


def cut(text: str, start: int, end: int, *, max_width: float = MAX_WIDTH) -> list[tuple[int, int]]:
    """(start, end) of the pieces of text[start:end], without white space at their ends."""
    found: list[tuple[int, int]] = []
    first = last = start
    for part in _parts(text[start:end], max_width):
        if not text[first:last].strip():
            first = last
        elif width(text[first : last + len(part)]) > max_width:
            found.append(_stripped(text, first, last))
            first = last
        last += len(part)
    one, other = _stripped(text, first, last)
    return [*found, (one, other)] if one < other else found


def width(text: str) -> float:
    """Size of a text in Latin characters; a CJK character counts 2.25."""
    return len(text) + 1.25 * len(CJK_LETTER.findall(text))


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text; joined they give it again."""
    return _SENTENCE.findall(text)


def _goes_on(section: _Section, later: _Section | None) -> bool:
    """Whether the next section stands under the heading of this one."""
    return later is not None and later.path[: len(section.path)] == section.path and later.path != section.path


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def _parts(text: str, max_width: float) -> Iterator[str]:
    """Paragraphs that fit, else their sentences, else slices; joined they give the text again."""
    for paragraph in re.split(r"(?<=\n\n)", text):
        if width(paragraph) <= max_width:
            yield paragraph
            continue
        for sentence in sentences(paragraph):
            yield from _slices(sentence, max_width)


def _slices(sentence: str, max_width: float) -> Iterator[str]:
    if width(sentence) <= max_width:
        yield sentence
        return
    start, used = 0, 0.0
    for at, char in enumerate(sentence):
        step = width(char)
        if used + step > max_width:
            yield sentence[start:at]
            start, used = at, 0.0
        used += step
    yield sentence[start:]


def _by_heading(text: str) -> Iterator[_Section]:
    path: list[tuple[int, str]] = []
    heading: int | None = None
    start, place, fenced = 0, 0, False
    for line in text.splitlines(keepends=True):
        fenced ^= bool(_FENCE.match(line))
        match = None if fenced else _HEADING.fullmatch(line.strip().rstrip("#").rstrip())
        if match:
            yield _Section(_titles(path), heading, start, place)
            level = len(match[1])
            path = [entry for entry in path if entry[0] < level] + [(level, match[2])]
            heading, start = place, place + len(line)
        place += len(line)
    yield _Section(_titles(path), heading, start, place)


def _titles(path: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(title for _, title in path)
