"""What is not to be had here: models whose weights are not published, and other clouds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from .lexicon import Hit, Lexicon, both_languages, read_table

_LIKENESS = "_not"


def find_closed(hits: Iterable[Hit]) -> list[str]:
    """Closed models named, each once, in order."""
    return list(dict.fromkeys(hit.name for hit in hits if hit.table == "closed" and hit.name != _LIKENESS))


def blank_closed(text: str, hits: Iterable[Hit]) -> str:
    """The text without the names of closed models, same length: 文心一言 is no open ERNIE."""
    for hit in hits:
        if hit.table == "closed":
            text = text[: hit.start] + "\x00" * (hit.end - hit.start) + text[hit.end :]
    return text


@cache
def _clouds() -> tuple[Lexicon, tuple[tuple[str, re.Pattern[str]], ...]]:
    table = read_table("clouds")
    types = tuple(
        (name, re.compile(rf"(?<![a-z0-9.\-])(?:{'|'.join(row['types'])})(?![a-z0-9])"))
        for name, row in table.items() if "types" in row
    )  # fmt: skip
    return Lexicon({"clouds": both_languages(table)}), types


def find_clouds(lower: str) -> list[str]:
    """Codes of other clouds named in lower-case text, by their own names or by their instance types."""
    names, types = _clouds()
    found = [(hit.start, hit.name) for hit in names.scan(lower)]
    found += [(match.start(), name) for name, pattern in types if (match := pattern.search(lower))]
    return list(dict.fromkeys(name for _, name in sorted(found)))
