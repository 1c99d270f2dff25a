"""The sentences of a draft, whole, and whether the composed answer says the same word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .draft_text import DraftText, Kind

ODD_MARK = r"\[\^?\d{1,3}(?:\s?[,;、~-]\s?\d{1,3})*\]|【\d{1,3}(?:\s?[,;、~-]\s?\d{1,3})*(?:†[^】\n]{0,40})?】|(?<=[^\s\d])\^\d{1,3}(?![\d.])"
MARKS = re.compile(ODD_MARK)
"""Citation marks in all spellings that models use."""
STOP = re.compile(rf"(?:[。!?;]+|\.(?=\s|$|[*_\"”』」)]{{0,3}}[\[【]))(?:[*_\"”』」)\s]{{0,4}}(?:{ODD_MARK}))*")
"""The end of a sentence, with the marks that stand behind it."""
LIST_SIGN = re.compile(r"^\s*(?:[-*+•·>#]+|\d{1,2}[.)、])\s+")
MARKDOWN = re.compile(r"[*`_~\\]+")
SPACES = re.compile(r"\s+")
TABLE_EDGE = re.compile(r"\s*\|\s*")
EDGES = " ,.;:!?。、|()（）-—"
LONGEST = 1200
"""Characters of one sentence that are read; a line without a stop is cut there."""


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence or table row: its place in the folded text, its words, and `plain`: lower case without markdown and marks."""

    start: int
    end: int
    text: str
    plain: str
    kind: Kind
    line: int


@lru_cache(maxsize=8)
def sentences_of(draft: DraftText) -> tuple[Said, ...]:
    """All sentences but code. A Chinese comma ends none; a table row is one."""
    found = []
    for number, line in enumerate(draft.lines):
        if line.kind in ("code", "blank"):
            continue
        text = draft.folded[line.start : line.end]
        stops = [] if line.kind == "row" else [match.end() for match in STOP.finditer(text)]
        start = 0
        for end in [*stops, len(text)]:
            part = text[start : min(end, start + LONGEST)]
            if part.strip():
                found.append(Said(line.start + start, line.start + end, part, plain_words(part), line.kind, number))
            start = end
    return tuple(found)


@lru_cache(maxsize=16)
def sentences_of_text(text: str) -> tuple[Said, ...]:
    """Sentences of a composed answer."""
    return sentences_of(DraftText.of(text))


@lru_cache(maxsize=2048)
def plain_words(text: str) -> str:
    """A sentence without list sign, markdown, marks and doubled spaces, in lower case."""
    text = MARKDOWN.sub("", MARKS.sub("", LIST_SIGN.sub("", text, count=1)))
    return SPACES.sub(" ", TABLE_EDGE.sub(" | ", text)).strip().rstrip(".。;!?").strip().lower()


@lru_cache(maxsize=16)
def _whole(text: str) -> tuple[frozenset[str], str]:
    said = sentences_of_text(text)
    return frozenset(item.plain for item in said), "\n".join(item.plain for item in said)


def repeats(said: Said, reference: str) -> bool:
    """Whether the reference says this sentence word for word, alone or as a part between stops and commas."""
    if not reference:
        return False
    alone, whole = _whole(reference)
    if said.plain in alone:
        return True
    needle = said.plain.strip(EDGES)
    if len(needle) < 8:
        return False
    at = whole.find(needle)
    while at >= 0:
        before, after = whole[at - 1 : at] or "\n", whole[at + len(needle) : at + len(needle) + 1] or "\n"
        if before in EDGES + "\n" and after in EDGES + "\n" and (before != " " or whole[max(0, at - 2)] in EDGES + "\n"):
            return True
        at = whole.find(needle, at + 1)
    return False


def code_of(draft: DraftText) -> Iterator[Said]:
    """The lines of code that stand in no evidence; the fences left out."""
    for number, line in enumerate(draft.lines):
        text = draft.folded[line.start : line.end]
        if line.kind == "code" and text.strip() and not text.lstrip().startswith("```"):
            yield Said(line.start, line.end, text[:LONGEST], text[:LONGEST].lower(), "code", number)
