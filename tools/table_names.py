"""Finds the rows of a small table in a text by the names people use, whatever the spelling: `SD 1.5`, `sd-1.5` and `ＳＤ１．５`.

A name is the letters and digits of its spelling, glued; between them a text may have spaces, dashes, dots, slashes. Longest
name first, none inside a longer word.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from knowledge.errors import UnknownModel

from .model_tokens import ONE_FORM
from .phrases import Language, read_phrases, say

LONGEST_TEXT = 100_000
LONGEST_NAME = 200
MOST_PIECES = 16
"""Pieces of a name; the longest of the tables has 14."""

_PIECE = re.compile(r"[a-z]+|\d+|[\u4e00-\u9fff]")
_GAP = re.compile(r"[\s\-_./:·]{0,3}")


@dataclass(frozen=True, slots=True)
class NamedSpan:
    """A row of the table named in a text, at `start` to `end`."""

    start: int
    end: int
    text: str
    id: str


def spellings(rows: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Glued name → id, of id → names; the first row that has a name keeps it."""
    found: dict[str, str] = {}
    for row_id, names in rows.items():
        for name in (row_id, *names):
            found.setdefault(_glued(name), row_id)
    return found


def find_named(text: str, names: Mapping[str, str]) -> tuple[NamedSpan, ...]:
    """All rows named, in order of their place. `names`: what `spellings` gives."""
    plain = _lowered(text[:LONGEST_TEXT].translate(ONE_FORM))
    pieces = list(_PIECE.finditer(plain))
    spans: list[NamedSpan] = []
    at = 0
    while at < len(pieces):
        after, row_id = _longest(plain, pieces, at, names)
        if row_id is not None:
            start, end = pieces[at].start(), pieces[after - 1].end()
            spans.append(NamedSpan(start, end, text[start:end], row_id))
        at = after
    return tuple(spans)


def look_up_named(name: str, names: Mapping[str, str], *, table: str, language: Language = "en") -> str:
    """Id of the row called `name`. Raises UnknownModel with the nearest ids; `table` is the code of what is looked for."""
    glued = _glued(name[:LONGEST_NAME])
    if glued in names:
        return names[glued]
    spans = find_named(name[:LONGEST_NAME], names)
    if spans:
        return max(spans, key=lambda span: span.end - span.start).id
    close = difflib.get_close_matches(glued, names, n=3, cutoff=0.6)
    nearest = tuple(dict.fromkeys(names[key] for key in close))
    phrases = read_phrases("tools", "phrases/tables.toml")
    code = "unknown_near" if nearest else "unknown"
    kind = say(phrases, table, language)
    raise UnknownModel(say(phrases, code, language, name=repr(name[:60]), kind=kind, nearest=", ".join(nearest)), nearest=nearest)


def _longest(plain: str, pieces: list[re.Match[str]], first: int, names: Mapping[str, str]) -> tuple[int, str | None]:
    """The longest name that starts at a piece: the piece after it, and the row; the next piece and None without one."""
    if _glued_to_word(plain, pieces[first].start()):
        return first + 1, None
    glued = ""
    found: tuple[int, str | None] = (first + 1, None)
    for at in range(first, min(len(pieces), first + MOST_PIECES)):
        if at > first and not _GAP.fullmatch(plain, pieces[at - 1].end(), pieces[at].start()):
            break
        glued += pieces[at].group()
        if glued in names and not _cut_off(plain, pieces[at].end(), pieces[at].group()):
            found = (at + 1, names[glued])
    return found


def _glued_to_word(plain: str, start: int) -> bool:
    """Whether a Latin letter or digit stands right before."""
    return start > 0 and plain[start - 1].isascii() and plain[start - 1].isalnum() and plain[start].isascii()


def _cut_off(plain: str, end: int, last: str) -> bool:
    """Whether the word goes on: letters after letters or a digit, digits after either; `1.5` does not end at 1."""
    rest = plain[end : end + 2]
    if not last.isascii() or not rest:
        return False
    if rest[0].isascii() and rest[0].isalnum():
        return True
    return last.isdigit() and len(rest) == 2 and rest[0] == "." and rest[1].isdigit()


def _lowered(text: str) -> str:
    """Lower case of the same length, so that offsets stay."""
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


def _glued(name: str) -> str:
    return "".join(_PIECE.findall(_lowered(name.translate(ONE_FORM))))
