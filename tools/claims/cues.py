"""The word lists of words.toml as compiled patterns, each made once when first needed."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from .names import read_table

WORDS = "words.toml"


def _english(words: list[str]) -> list[str]:
    return [rf"(?<![a-z]){word}(?![a-z])" for word in words]


@cache
def cue(section: str, key: str = "words") -> re.Pattern[str]:
    """The list `key` of a section. Entries that begin with a plain Latin letter are whole words."""
    words: list[str] = read_table(WORDS)[section][key]
    body = [rf"(?<![a-z]){word}(?![a-z])" if re.match(r"[a-z(]", word) else word for word in words]
    return re.compile("|".join(body))


@lru_cache(maxsize=4096)
def says(section: str, key: str, text: str) -> bool:
    """Whether the stretch holds a word of the list. Of a clause that names a hundred things it is asked a hundred times."""
    return cue(section, key).search(text) is not None


@cache
def both(section: str) -> re.Pattern[str]:
    """The Chinese and English lists of a section together, the longest words first."""
    table = read_table(WORDS)[section]
    chinese = sorted(table["zh"], key=len, reverse=True)
    english = sorted(table["en"], key=len, reverse=True)
    return re.compile("|".join([*chinese, *_english(english)]))


@cache
def _connectors() -> re.Pattern[str]:
    table = read_table(WORDS)["connect"]
    chinese = sorted(table["zh"], key=len, reverse=True)
    english = sorted(table["en"], key=len, reverse=True)
    return re.compile("|".join([*chinese, *_english(english), table["marks"]]))


def connected(gap: str, *, limit: int = 40) -> bool:
    """Whether nothing but joining words stands in the gap between two mentions."""
    return len(gap) <= limit and not _connectors().sub("", gap)


REACH = 40
"""How far from a figure the word that says what it is may begin."""


@cache
def _around(section: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What stands before a figure and behind it when it is of the kind `section`: the word, then fillers."""
    word, filler = cue(section, "before").pattern, cue(section, "filler_before").pattern
    before = re.compile(rf"(?:{word})(?:[^\S\n]|[:=~*`]|{filler})*$")
    word, filler = cue(section, "after").pattern, cue(section, "filler_after").pattern
    return before, re.compile(rf"(?:[^\S\n]|[*`]|{filler})*(?:{word})")


def is_kind(section: str, text: str, start: int, end: int) -> bool:
    """Whether the words right beside the figure at [start, end) call it one of `section`: needed, a difference."""
    before, after = _around(section)
    return (
        before.search(text, max(0, start - REACH), start) is not None
        or after.match(text, end) is not None
    )


@cache
def _masks() -> re.Pattern[str]:
    words = sorted(read_table(WORDS)["negation"]["not_negation"], key=len, reverse=True)
    return re.compile("|".join(words))


@lru_cache(maxsize=1024)
def negated(text: str) -> bool:
    """Whether the stretch denies something; "有没有", "not only" and the like do not count."""
    return (
        both("negation").search(_masks().sub(lambda match: "·" * len(match[0]), text)) is not None
    )


def denied_at(text: str, start: int, end: int) -> bool:
    """Whether the stretch [start, end) is denied: inside it, by joined words right before, or right after it."""
    if negated(text[start:end]):
        return True
    match = both("negation").search(text, max(0, start - 20), start)
    if (
        match
        and negated(text[max(0, start - 20) : start])
        and connected(text[match.end() : start])
    ):
        return True
    return cue("denial", "refuted").match(text, end) is not None


def denied_until(text: str, end: int) -> bool:
    """Whether a clause denies what it says up to `end`, the end of the last thing named; what comes later does not
    count ("supports eRDMA without a clear rate") unless it is the verb ("NVLink on gn7i is not supported")."""
    return negated(text[:end]) or cue("denial", "object").match(text, end) is not None


@cache
def compared_before() -> re.Pattern[str]:
    words = read_table(WORDS)["compared"]["before"]
    return re.compile(
        rf"(?:{'|'.join(words)})\s*(?:上一代|前代|老款|旧款|nvidia|tesla|an?|the)?\s*(?:的)?\s*$"
    )
