"""Text made uniform (NFKC, lower case, plain dashes) with a way back to the offsets of the original."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

DASHES = frozenset("‐‑‒–—−﹣－")
INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")


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
