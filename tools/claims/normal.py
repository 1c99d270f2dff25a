"""Text made uniform (NFKC, lower case, plain dashes) with a way back to the offsets of the original; what it only
reports as wrong is hidden."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from .cues import cue

DASHES = frozenset("‐‑‒–—−﹣－")
INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")

HIDDEN = "\u2026"
"""Stands for every character of what is hidden. NFKC leaves no such character in a text."""
QUOTE = '["“「『`][^"”」』`\n]{1,160}["”」』`]'
LISTED = r"\s{0,3}(?:[,、;/]|和|及|与|或|(?<![a-z])(?:and|or)(?![a-z]))?\s{0,3}"
MARKS = r"[ \t*_>#|(•-]{0,12}(?:\d{1,2}[.)、]\s?)?[*_\"“]{0,3}"
LONGEST = 400
"""Characters of a sentence that are read; with it the time grows with the length of a text and no faster."""
ITEM = re.compile(r"\s*(?:[-•*·+]|\d{1,2}[.)、])\s*")
SENTENCE = re.compile(r"[^。!?.\n]*(?:\.(?!\s|$)[^。!?.\n]*)*")
ASKED = re.compile(r"\s{0,3}(?:吗|么|\?)")


@dataclass(frozen=True, slots=True)
class Normal:
    """`text[i]` comes from the character `origin[i]` of the original; `origin` has one entry more, the length."""

    text: str
    origin: tuple[int, ...] | range

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the original of the stretch [start, end) of `text`."""
        if end <= start:
            return self.origin[start], self.origin[start]
        return self.origin[start], self.origin[end - 1] + 1


@lru_cache(maxsize=8192)
def _plain(character: str) -> str:
    if character in DASHES:
        return "-"
    if character in INVISIBLE:
        return ""
    if character in "\r\v\f\x85\u2028\u2029":
        return "\n"
    return unicodedata.normalize("NFKC", character).lower()


def normalise(text: str) -> Normal:
    """Uniform text of `text`. Characters are taken one by one, so that every one keeps its place."""
    if text.isascii() and "\r" not in text:
        return Normal(text.lower(), range(len(text) + 1))
    pieces: list[str] = []
    origin: list[int] = []
    for place, character in enumerate(text):
        piece = _plain(character)
        pieces.append(piece)
        origin.extend([place] * len(piece))
    origin.append(len(text))
    return Normal("".join(pieces), tuple(origin))


def hide_reported(text: str) -> str:
    """The uniform `text`, of the same length, without what it says to be wrong: "错误：X，实际是 Y" and '"X" is wrong. Y.'
    state Y alone. A lead that answers ("不对：Y") is taken away, and what follows it stays."""
    letters = list(text)
    for start, end, mark in [*_addresses(text), *_led(text), *_quoted(text), *_heard(text), *_tags(text)]:
        for place in range(start, end):
            if letters[place] != "\n":
                letters[place] = mark
    return "".join(letters)


Stretch = tuple[int, int, str]
ADDRESS = re.compile(r"https?://[^\s<>\"'()\[\]，。；、）】」]{1,400}|\{#[^}\s]{1,80}\}|(?<=\]\()[^)\s]{1,200}(?=\))")


def _addresses(text: str) -> Iterator[Stretch]:
    """Links and anchors: what stands in them is a name, no statement."""
    for match in ADDRESS.finditer(text):
        yield *match.span(), HIDDEN


@cache
def _leads() -> re.Pattern[str]:
    lead, reply = cue("reported", "lead").pattern, cue("reported", "reply").pattern
    return re.compile(
        rf"(?:^|(?<=[。!?;|])|(?<=\. )){MARKS}(?:(?P<reply>{reply})|(?P<lead>{lead}))[*_ ]{{0,3}}:[*_ ]{{0,4}}",
        re.M,
    )


def _led(text: str) -> Iterator[Stretch]:
    """What stands behind a lead that calls it wrong, the lead with it; and of an answering lead the lead itself."""
    for match in _leads().finditer(text):
        start, end = match.span()
        if match["reply"]:
            yield *match.span("reply"), " "
        elif end < len(text) and text[end] != "\n":
            yield from _wrong(text, start, end)
        else:
            for place, item in _items(text, end):
                yield from _wrong(text, place, item)


def _items(text: str, place: int) -> Iterator[tuple[int, int]]:
    """(start of the line, start of its words) of the bullets right below a lead that heads them."""
    for line in text[place : place + 4000].split("\n"):
        item = ITEM.match(line)
        if item is not None:
            yield place, place + item.end()
        elif line.strip():
            return
        place += len(line) + 1


def _wrong(text: str, start: int, place: int) -> Iterator[Stretch]:
    """From `start` to the end of the quotation at `place`, else to where the sentence turns to what is right."""
    sentence = SENTENCE.match(text, place, place + LONGEST)
    stop = sentence.end() if sentence else place
    quote = re.compile(rf"{QUOTE}(?:{LISTED}{QUOTE}){{0,8}}[ ,;]{{0,4}}").match(text, place)
    if quote is not None:
        yield start, quote.end(), HIDDEN
    elif not ASKED.match(text, stop) and not text.endswith(("吗", "么"), place, stop):
        turn = cue("reported", "turn").search(text, place, stop)
        yield start, turn.start() if turn else stop, HIDDEN


@cache
def _hearsay() -> re.Pattern[str]:
    heard, turned, erratum = (cue("reported", key).pattern for key in ("heard", "turned", "erratum"))
    return re.compile(
        rf"(?:{heard})[^。!?\n]{{2,100}}?(?=[,;。.]\s{{0,2}}(?:{turned}))"
        rf"|(?:{erratum})[^。!?\n]{{2,60}}?(?=应为|应该?是|应改|改为|should (?:be|read))"
    )


def _heard(text: str) -> Iterator[Stretch]:
    """What others are said to say, from which the text turns: "有人说 gn7i 有 NVLink，其实没有", and what an erratum puts right."""
    for match in _hearsay().finditer(text):
        yield *match.span(), HIDDEN


@cache
def _called_wrong() -> re.Pattern[str]:
    return re.compile(
        rf"{QUOTE}(?:{LISTED}{QUOTE}){{0,4}}\s{{0,3}}(?:{cue('reported', 'quoted').pattern})[ ,;]{{0,4}}"
    )


@cache
def _asking() -> re.Pattern[str]:
    return re.compile(rf"(?:{cue('tag').pattern})(?=[\\s\"'”’)~]{{0,4}}(?:[?。.!,;]|$))", re.M)


def _tags(text: str) -> Iterator[Stretch]:
    """What only turns a statement into a question ("…，对不对", "…, isn't it?"): neither its denial nor its refutation."""
    for match in _asking().finditer(text):
        yield match.start(), match.end() - 1, " "
        yield match.end() - 1, match.end(), "?"


def _quoted(text: str) -> Iterator[Stretch]:
    """Quotations that the next words call wrong, and those words; not in a question."""
    for match in _called_wrong().finditer(text):
        if not ASKED.match(text, match.end()):
            yield *match.span(), HIDDEN
