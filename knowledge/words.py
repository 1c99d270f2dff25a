"""Words for keyword search, of Chinese and English in one stream.

Chinese text has no spaces: it is cut into pairs of neighbouring characters, which needs no dictionary.
Latin words, figures with their unit (`24 GB` → `24gb`) and identifiers stay whole; identifiers are given
in their parts as well. Words of one meaning (data/synonyms.toml) add a common mark, so that 爆显存 finds OOM.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from .tables import read_data

_TOKEN = re.compile(
    r"(?P<latin>[a-z0-9]+(?:[._+\-][a-z0-9]+)*\+*)|(?P<cjk>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)"
)
_UNIT = re.compile(
    r"(?<![a-z0-9.\-])(\d+(?:\.\d+)?)\s+(gib|gb|tib|tb|mib|mb|b|k|iops|gbps|gbit/s|mb/s|vcpu|bit)(?![a-z0-9])"
)
_PART = re.compile(r"[._+\-]+")
_LATIN = re.compile(r"[a-z0-9]")


@dataclass(frozen=True, slots=True)
class Synonyms:
    """`heads` gives the words of the table by their first character, longest first, with the marks they add."""

    start: re.Pattern[str]  # where a word can begin
    heads: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]
    stop: frozenset[str]


def tokens(text: str) -> list[str]:
    """Search words of a text, in order and with repeats; marks of meaning start with `@`."""
    normal = normalise(text)
    stop = synonym_table().stop
    return [word for word in _plain(normal) if word not in stop] + list(_marks(normal))


def normalise(text: str) -> str:
    """NFKC, lower case, single spaces, figures joined with their unit."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return _UNIT.sub(r"\1\2", plain)


@cache
def synonym_table() -> Synonyms:
    """The words of data/synonyms.toml."""
    table = tomllib.loads(read_data("synonyms.toml"))
    implied = table["implied"]
    heads: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for concept, words in table["concepts"].items():
        marks = tuple("@" + name for name in (concept, *implied.get(concept, ())))
        for word in {normalise(word) for word in words}:
            heads.setdefault(word[0], []).append((word, marks))
    return Synonyms(
        start=re.compile(rf"(?<![a-z0-9])[{''.join(re.escape(head) for head in heads)}]"),
        heads={head: tuple(sorted(rows, key=_longest_first)) for head, rows in heads.items()},
        stop=frozenset(word for words in table["stop"].values() for word in words),
    )


def _longest_first(row: tuple[str, tuple[str, ...]]) -> int:
    return -len(row[0])


def _marks(normal: str) -> Iterator[str]:
    """Marks of the table's words in the text, the longest word at each place."""
    table = synonym_table()
    at = 0
    while start := table.start.search(normal, at):
        at = start.end()
        for word, marks in table.heads[start[0]]:
            end = start.start() + len(word)
            if normal.startswith(word, start.start()) and not _splits_word(normal, end):
                yield from marks
                at = end
                break


def _splits_word(normal: str, end: int) -> bool:
    """Whether a Latin word goes on across `end`."""
    return bool(_LATIN.match(normal[end - 1]) and _LATIN.match(normal[end : end + 1]))


def _plain(normal: str) -> Iterator[str]:
    for match in _TOKEN.finditer(normal):
        if match["cjk"]:
            yield from _pairs(match["cjk"])
        else:
            yield from _latin(match["latin"])


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for at in range(len(run) - 1):
        yield run[at : at + 2]


def _latin(word: str) -> Iterator[str]:
    parts = [part for part in _PART.split(word) if part]
    yield _singular(word)
    if len(parts) > 1:
        yield from (_singular(part) for part in parts)
        if parts[0] == "ecs":  # ecs.gn7i-c8g1.2xlarge is also written without ecs.
            yield word.removeprefix("ecs.")


def _singular(word: str) -> str:
    """disks → disk. Both sides of the search are cut alike, so a wrong cut does no harm."""
    if len(word) > 3 and word.isalpha() and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word
