"""A draft as the check reads it: folded to one width, in lines, sentences and clauses, its code apart."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

Kind = Literal["heading", "item", "row", "text", "code", "blank"]

CODE = re.compile(r"```[a-z]*\n(.*?)\n```", re.S)
INLINE = re.compile(r"`([^`\n]{1,400})`")
ITEM = re.compile(r"\s{0,12}(?:[-*+•·]|\d{1,2}[.)、])\s")
SENTENCE = re.compile(r"[。！？!?;]+|\.(?=\s|$)|(?<=[^\d\s])\.(?=[一-鿿])")
"""Where a sentence ends. A point inside 2.5 or gn7i.2xlarge ends none; a Chinese comma does, folded to `;` it parts only clauses."""
CLAUSE = re.compile(r"[。！？!?;、:()（）|]+|\.(?=\s|$)|,(?!\d{3}(?!\d))|—+|\s-\s|(?<![A-Za-z])(?:but|while|whereas|and)(?![A-Za-z])|但是?|而(?!且|已)")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the folded text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line with its kind; the header row of a table stands as row too."""

    start: int
    end: int
    text: str
    kind: Kind


@dataclass(frozen=True)
class DraftText:
    """`original` as written; `folded` is its NFKC, which has the same lines and is what places (`Problem.start`) count in.

    `text` is `folded` with "，" as ";", character by character: a comma of Chinese parts "TP=2，114 路", as a plain one it would join
    the figures.
    """

    original: str
    folded: str
    text: str

    @classmethod
    def of(cls, text: str) -> DraftText:
        return cls(text, unicodedata.normalize("NFKC", text), unicodedata.normalize("NFKC", text.replace("，", "；")))

    def blanked(self, spans: list[tuple[int, int]]) -> DraftText:
        """The same with these stretches as spaces; line breaks stay."""
        folded, text = self.folded, self.text
        for start, end in spans:
            blank = re.sub(r"[^\n]", " ", text[start:end])
            folded, text = folded[:start] + blank + folded[end:], text[:start] + blank + text[end:]
        return replace(self, folded=folded, text=text)

    @cached_property
    def blocks(self) -> list[Span]:
        """The code of each fence, without the fence."""
        return [Span(m.start(1), m.end(1), m.group(1)) for m in CODE.finditer(self.folded)]

    @cached_property
    def inline(self) -> list[Span]:
        """Code between single backticks, outside fences."""
        fences = [(m.start(), m.end()) for m in CODE.finditer(self.folded)]
        spans = (Span(m.start(1), m.end(1), m.group(1)) for m in INLINE.finditer(self.folded))
        return [span for span in spans if not any(start <= span.start < end for start, end in fences)]

    @cached_property
    def lines(self) -> list[Line]:
        """Every line with its kind."""
        return lines_of(self.text)

    @cached_property
    def sentences(self) -> list[Span]:
        """Sentences of all lines but code; a line ends one."""
        return [s for line in self.lines if line.kind not in ("code", "blank") for s in _split(line.text, line.start, SENTENCE)]

    @cached_property
    def clauses(self) -> list[Span]:
        """Clauses of all lines but code: what stands between marks, brackets, and words that set two things against each other."""
        return [s for line in self.lines if line.kind not in ("code", "blank") for s in _split(line.text, line.start, CLAUSE)]


def lines_of(text: str) -> list[Line]:
    """Every line of a text with its kind."""
    found, at, fenced = [], 0, False
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```")
        found.append(Line(at, at + len(line), line, "code" if fenced or fence else _kind(line)))
        fenced ^= fence
        at += len(line) + 1
    return found


def _kind(text: str) -> Kind:
    if not text.strip():
        return "blank"
    stripped = text.lstrip()
    if stripped.startswith("#"):
        return "heading"
    if stripped.startswith("|") or text.count("|") >= 2:
        return "row"
    return "item" if ITEM.match(text) else "text"


def _split(text: str, offset: int, at: re.Pattern[str]) -> list[Span]:
    found, start = [], 0
    for match in [*at.finditer(text), None]:
        end = match.start() if match else len(text)
        if text[start:end].strip():
            found.append(Span(offset + start, offset + end, text[start:end]))
        start = match.end() if match else end
    return found
