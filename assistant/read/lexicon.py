"""Word tables of both languages and one pass over a text that finds all of them.

A table is a TOML file under `words/`: `[name]` with `zh = [...]` and `en = [...]`. Hyphens, underscores and
slashes count as spaces, an English plural s is allowed, and the guards are ASCII only: a word may touch
Chinese characters on either side ("用vllm跑"), never Latin letters or digits.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_FLAT = str.maketrans({"-": " ", "_": " ", "/": " ", "\n": " ", "\t": " ", "’": "'"})


@dataclass(frozen=True, slots=True)
class Hit:
    """A word of a table found in a text; `start` and `end` are offsets in that text."""

    table: str
    name: str
    start: int
    end: int


@cache
def read_table(name: str) -> dict[str, Any]:
    """The table `words/<name>.toml`."""
    source = files(__package__).joinpath("words", f"{name}.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


def flatten(text: str) -> str:
    """Lower case with hyphens, underscores and slashes as spaces, same length as `text`."""
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow when lowered; offsets must stay
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lower.translate(_FLAT)


def is_ascii_word(character: str) -> bool:
    """Latin letter or digit: what must not touch an English word."""
    return character.isascii() and character.isalnum()


class Lexicon:
    """Several word tables, scanned together; within one table the longest word wins."""

    def __init__(self, tables: Mapping[str, Mapping[str, Iterable[str]]]) -> None:
        """`tables` maps table → name → words."""
        self._index: dict[str, list[tuple[str, str, str]]] = {}
        for table, names in tables.items():
            for name, words in names.items():
                for word in words:
                    for flat in _spellings(flatten(word)):
                        self._index.setdefault(flat[:2], []).append((flat, table, name))
        for found in self._index.values():
            found.sort(key=lambda entry: -len(entry[0]))

    def scan(self, text: str) -> list[Hit]:
        """All hits in the order of the text."""
        flat = flatten(text)
        hits: list[Hit] = []
        taken: dict[str, int] = {}
        for start in range(len(flat)):
            entries = self._index.get(flat[start : start + 2], [])
            for word, table, name in [*entries, *self._index.get(flat[start], [])]:
                if taken.get(table, 0) > start or not flat.startswith(word, start):
                    continue
                end = _end_of_word(flat, start, word)
                if end:
                    hits.append(Hit(table, name, start, end))
                    taken[table] = end
        return hits


def _spellings(flat: str) -> set[str]:
    """A word of both scripts with and without the space between them: 没有 gpu, 没有gpu."""
    joined = re.sub(r"(?<=[\u4e00-\u9fff]) (?=[a-z0-9])|(?<=[a-z0-9]) (?=[\u4e00-\u9fff])", "", flat)
    parted = re.sub(r"(?<=[\u4e00-\u9fff])(?=[a-z0-9])|(?<=[a-z0-9])(?=[\u4e00-\u9fff])", " ", joined)
    return {flat, joined, parted}


def _end_of_word(flat: str, start: int, word: str) -> int:
    """The end of `word` at `start` (a plural s included), 0 if it is a part of another word."""
    end = start + len(word)
    if is_ascii_word(word[0]) and start and is_ascii_word(flat[start - 1]):
        return 0
    if not is_ascii_word(word[-1]) or end == len(flat) or not is_ascii_word(flat[end]):
        return end
    plural = flat[end] == "s" and (end + 1 == len(flat) or not is_ascii_word(flat[end + 1]))
    return end + 1 if plural and word[-1].isalpha() else 0


def both_languages(table: Mapping[str, Mapping[str, list[str]]]) -> dict[str, list[str]]:
    """Name → words of zh and en."""
    return {name: [*row.get("zh", []), *row.get("en", [])] for name, row in table.items()}


@cache
def lexicon() -> Lexicon:
    """The word tables that are plain words: cues, topics, precision, methods, engines, networks, billing and the like."""
    names = ("precision", "methods", "engines", "networks", "tasks", "jobs", "billing", "topics", "cues", "rates", "features", "wishes", "switch", "closed")
    return Lexicon({name: both_languages(read_table(name)) for name in names})
