"""What of a conversation a question may point back at: readings of earlier questions, and texts that were pasted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from .lexicon import read_table

if TYPE_CHECKING:
    from .reading import Reading


@dataclass(frozen=True)
class PastedText:
    """A text of the user that later questions may point at. `kind`: article, config or text; `turn` counts from 1."""

    name: str
    text: str
    kind: str
    turn: int = 0


@dataclass(frozen=True)
class Earlier:
    """`readings`: what each turn built on, the first of the conversation before the last ones. `texts`: the newest last."""

    readings: tuple[Reading, ...] = ()
    texts: tuple[PastedText, ...] = ()


NOTHING = Earlier()
LONGEST = 200
"""Characters of a question that points back; what is longer brings its own matter."""


def finds(words: str, lower: str) -> re.Match[str] | None:
    """The first match of a list of words/earlier.toml."""
    return _patterns()[words].search(lower)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile("|".join([*words["zh"], *(rf"(?<![a-z])(?:{word})(?![a-z])" for word in words["en"])])) for name, words in read_table("earlier").items()}
