"""Assertions that no tool can back: stock, gifts, guarantees, deeds, who is speaking, how it was made, what others recommend.

They hold neither figure nor name. One may stand only where evidence or composed answer says it in the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from .draft_text import DraftText
from .problem import Problem
from .rejecting import denies, read_words
from .said import repeats, sentences_of
from .support import Support

SENTENCE_END = re.compile(r"[。!?;\n]|\.(?=\s|$)")
HANZI = re.compile("[一-鿿]{2}")
LATIN = re.compile(r"[a-z][a-z0-9]{2,}")


def bad_promises(draft: DraftText, support: Support) -> Iterator[Problem]:
    """At most one problem of each sentence."""
    lower = lower_of(draft.folded)
    kinds = [kind for kind, row in _kinds().items() if any(hint in lower for hint in row["hints"])]
    if not kinds:
        return
    for said in sentences_of(draft):
        text = lower[said.start : said.end]
        kind, match = next(((kind, match) for kind in kinds if (match := _asserted(kind, text))), ("", None))
        if match and not repeats(said, support.reference) and not denies(draft, said) and not _is_backed(kind, match.group(), text, support):
            yield Problem("claim", draft.folded[said.start + match.start() : said.start + match.end()], said.start + match.start(), f"“{said.plain[:80]}”: {_kinds()[kind]['why']}")


@lru_cache(maxsize=8)
def lower_of(text: str) -> str:
    """Lower case of the same length: some capitals grow."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


@cache
def _kinds() -> dict[str, Any]:
    kinds: dict[str, Any] = read_words("promises")["kind"]
    return kinds


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    return whole_words(_kinds()[kind])


@cache
def _unless() -> re.Pattern[str]:
    return whole_words(read_words("promises")["unless"])


def whole_words(row: dict[str, Any]) -> re.Pattern[str]:
    """The words of a row, Chinese and English, as one pattern; English ones are whole words."""
    english = (rf"(?<![a-z]){word}" if word[0] != "\\" else word for word in row["en"])
    return re.compile("|".join([*row["zh"], *(f"{word}(?![a-z])" for word in english)]))


def _asserted(kind: str, text: str) -> re.Match[str] | None:
    """Where the sentence asserts it: not where it asks, supposes, denies, or leaves it to a look-up."""
    match = _pattern(kind).search(text)
    return match if match is None or _kinds()[kind].get("unless") or not _is_open(text, *match.span()) else None


def _is_open(text: str, start: int, end: int) -> bool:
    """Whether words outside [start, end) make the sentence no assertion."""
    return any(not start <= other.start() < other.end() <= end for other in _unless().finditer(text))


def _is_backed(kind: str, words: str, said: str, support: Support) -> bool:
    """Whether evidence or composed answer asserts it in the same words, of something that the sentence names too."""
    if _kinds()[kind].get("unless"):
        return False
    text = support.lower
    at = text.find(words)
    while at >= 0:
        before = max((m.end() for m in SENTENCE_END.finditer(text, max(0, at - 200), at)), default=max(0, at - 200))
        after = SENTENCE_END.search(text, at + len(words))
        sentence = text[before : after.end() if after else len(text)][:400]
        if not _is_open(sentence, at - before, at - before + len(words)) and not _is_asked(sentence, support) and _topics(sentence, words) & _topics(said, words):
            return True
        at = text.find(words, at + 1)
    return False


def _topics(sentence: str, words: str) -> set[str]:
    """What a sentence speaks of beside those words: pairs of Chinese characters and longer English words."""
    common = read_words("promises")["common"]
    rest = sentence.replace(words, "\n")
    pairs = {rest[at : at + 2] for at in range(len(rest) - 1) if HANZI.fullmatch(rest, at, at + 2)}
    return (pairs | {*LATIN.findall(rest)}) - {*common["zh"], *common["en"]}


def _is_asked(sentence: str, support: Support) -> bool:
    """Whether it stands in the question, which vouches for nothing of this kind."""
    return sentence.strip() in support.question.lower()
