"""A text that is pasted to be checked: an article, notes, a table, with "check this:" before, "is that right?" behind, or nothing."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from knowledge.cuts import width
from tools.claims.check import check_claims

from .language import find_language
from .lexicon import read_table
from .normalise import normalise
from .reading import Reading

LEAST, LEAST_BARE = 80, 300
"""From which size a text is an article: in characters with words that ask to check it, in widths without."""
LINES_BARE, STATED_BARE = 4, 3
"""Sentences, and statements that can be judged, of an article that comes without a word."""
LONG_BARE, STATED_LONG = 1200, 8
"""The same of one that asks and wants things itself, in characters and statements."""
OWN = 90
"""Longest line that may be the user's own words."""
SENTENCE_END = re.compile(r"[。！？!?\n]+|\.(?=\s|$)")
LEAD = re.compile(r"\s*(?P<own>[^\n:：]{2,60})[:：][ \t]*(?=\S|\n)")
MATERIAL = re.compile(r"\s*(?:[#>|*•·+-]|\d{1,2}[.)、])")


@dataclass(frozen=True)
class Pasted:
    """The slice [start, end) of a message that is pasted, and the user's own words beside it."""

    start: int
    end: int
    own: str


def find_pasted(text: str) -> Pasted | None:
    """The article of a message; None for a message that asks for something else than to check it."""
    if len(text) < LEAST or '"model_type"' in text:
        return None
    for found in (_behind_a_lead(text), _before_a_tail(text)):
        if found is not None and _is_article(text[found.start : found.end], found.own):
            return found
    whole = Pasted(*_trimmed(text, 0, len(text)), "")
    return whole if _is_bare_article(text) else None


def read_pasted(text: str, pasted: Pasted, *, language: str | None = None) -> Reading:
    """The reading of a message with an article: it is to be checked, and nothing else of it is understood."""
    said = unicodedata.normalize("NFKC", pasted.own) if re.search(r"[^\W\d_]{2}", pasted.own) else text[pasted.start : pasted.end]
    return Reading(
        text=text,
        normal=normalise(pasted.own or text[pasted.start : pasted.start + OWN]),
        language="zh" if (language or find_language(said)) == "zh" else "en",
        intents=["claim_check"],
        pasted=(pasted.start, pasted.end),
    )


def _behind_a_lead(text: str) -> Pasted | None:
    """ "check this: …", or a first line of the user's own."""
    lead = LEAD.match(text)
    if lead is not None and not MATERIAL.match(text) and _asks_to_check(lead["own"]):
        return Pasted(*_trimmed(text, lead.end(), len(text)), lead["own"].strip())
    start, stop = _trimmed(text, 0, len(text))
    line = text[start:stop].partition("\n")[0]
    if "\n" in text[start:stop] and len(line) <= OWN and not MATERIAL.match(line) and _asks_to_check(line):
        return Pasted(*_trimmed(text, start + len(line), stop), line.strip())
    return None


def _before_a_tail(text: str) -> Pasted | None:
    """A last line of the user's own: "以上哪些说法有问题？"."""
    start, stop = _trimmed(text, 0, len(text))
    line = text[start:stop].rpartition("\n")[2]
    if len(line) == stop - start or len(line) > OWN or MATERIAL.match(line) or not _asks_to_check(line):
        return None
    return Pasted(*_trimmed(text, start, stop - len(line)), line.strip()) if _finds("refers", line) else None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    first = start + len(piece) - len(piece.lstrip())
    return first, first + len(piece.strip())


def _asks_to_check(line: str) -> bool:
    return _finds("check", line) and not _finds("wish", line)


def _is_article(text: str, own: str) -> bool:
    """More than a sentence, in which something can be judged, or which the user calls a text."""
    if len(text) < LEAST or (text.strip().count("\n") < 1 and len(_sentences(text)) < 3):
        return False
    return _finds("article", own) or _stated(text) > 0


def _is_bare_article(text: str) -> bool:
    """Long, in several sentences, with statements that can be judged, and nothing in it wants something of the reader. A
    text of many statements may ask what it likes, but at its ends."""
    said = _sentences(text)
    if width(text) < LEAST_BARE or len(said) < LINES_BARE or any(_finds("wants", part) for part in (*said[:2], *said[-2:])):
        return False
    wanting = any(_finds("want", part) for part in said[1:])
    return (not wanting or len(text) >= LONG_BARE) and _stated(text) >= (STATED_LONG if wanting else STATED_BARE)


def _stated(text: str) -> int:
    return len(check_claims(text, language="en", questions=False).statements)


def _finds(words: str, text: str) -> bool:
    return _words()[words].search(_folded(text)) is not None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _sentences(text: str) -> list[str]:
    """The sentences with their marks, those of a few letters left out."""
    ends = [0, *(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
    return [part for one, other in zip(ends, ends[1:], strict=False) if len((part := text[one:other]).strip()) > 3]


@cache
def _words() -> dict[str, re.Pattern[str]]:
    """The lists of words/pasted.toml as patterns."""
    return {name: re.compile("|".join([*words["zh"], *(rf"(?<![a-z]){word}(?![a-z])" for word in words["en"])])) for name, words in read_table("pasted").items()}
