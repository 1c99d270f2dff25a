"""Whether a sentence says that a name is not there, or that a statement is not so: then it may hold what is wrong."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from .draft_text import DraftText
from .said import Said, sentences_of

STRUCK = re.compile(r"~~[^~\n]{1,300}~~")


@cache
def read_words(name: str) -> dict[str, Any]:
    """A word table (TOML) of this folder."""
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def words_pattern(table: str, part: str) -> re.Pattern[str]:
    """All words of a part of a table, Chinese and English, as one pattern; English ones are whole words."""
    words = read_words(table)[part]
    english = (rf"(?<![a-z]){word}" if word[0].isalpha() else word for word in words["en"])
    return re.compile("|".join([*words["zh"], *(f"{word}(?![a-z])" if word[-1].isalpha() else word for word in english)]))


def denies_name(draft: DraftText, said: Said) -> bool:
    """Whether the sentence says of the names in it that they are not in the catalog, are wrong, or asks what was meant."""
    text = said.text.lower()
    return bool(_own("absent", text) or _own("asks", text) or denies(draft, said))


def denies(draft: DraftText, said: Said) -> bool:
    """Whether the sentence, what follows it or what heads it says that it is not so."""
    text = said.text.lower()
    turns = _own("turns", text) and _own("reported", text)
    return bool(_own("wrong", text) or turns or STRUCK.search(said.text) or _headed(draft, said) or _turned(draft, said))


@lru_cache(maxsize=1024)
def _own(part: str, text: str) -> bool:
    return words_pattern("rejects", part).search(text) is not None


def _turned(draft: DraftText, said: Said) -> bool:
    """Whether the next sentence of the same line turns from this one: "… 。这是错的。"."""
    following = next((item for item in sentences_of(draft) if item.start >= said.end), None)
    return following is not None and following.line == said.line and _own("after", following.plain)


def _headed(draft: DraftText, said: Said) -> bool:
    """Whether a list stands under a line that calls it wrong; blank lines between are passed over."""
    if said.kind not in ("item", "row"):
        return False
    for line in reversed(draft.lines[: said.line]):
        if line.kind in ("item", "row", "blank"):
            continue
        head = draft.folded[line.start : line.end].lower().replace("*", "").strip()
        return words_pattern("rejects", "lead").search(head) is not None
    return False
