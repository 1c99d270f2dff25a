"""Copied sentences of a draft: those that hold what the known text holds, and those with another figure or name in them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .problem import Problem
from .templates import Worded, Wordings, worded_lines, worded_sentences


class Copies:
    """Which stretches of a draft are worded like a known text: those that hold the same, and those that do not."""

    def __init__(self, text: str, wordings: Wordings) -> None:
        self._proved: list[tuple[int, int]] = []
        self._others: dict[int, str] = {}  # start of a differing figure → what the known text has there
        self._names: list[tuple[int, str, str]] = []
        for worded in (*worded_lines(text), *worded_sentences(text)):
            if self.is_proved(worded.start) or not (found := wordings.differing(worded)):
                continue
            self._take(worded, *found)

    def _take(self, worded: Worded, nearest: tuple[str, ...], differing: list[int]) -> None:
        if not differing:
            if worded.whole or worded.names:  # a part of a line that names nothing may have been moved under another name
                self._proved.append((worded.start, worded.end))
            return
        names = [at for at in differing if not worded.spans[at][2]]
        if names and len(differing) == len(names) and len(names) == 1:
            self._names.append((worded.spans[names[0]][0], worded.held[names[0]], nearest[names[0]]))
        for at in differing:
            if worded.spans[at][2]:
                self._others[worded.spans[at][0]] = nearest[at]

    @property
    def lines(self) -> frozenset[int]:
        """Where the lines start that stand in a known text as they are."""
        return frozenset(start for start, _ in self._proved)

    def is_proved(self, place: int) -> bool:
        """Whether the place is in a stretch that stands in a known text, figures and names alike."""
        return any(start <= place < end for start, end in self._proved)

    def other(self, place: int) -> str:
        """What the known text of the same wording has in place of this figure; empty where there is none."""
        return self._others.get(place, "")

    def unread(self, read: set[int], text: str) -> Iterator[Problem]:
        """Differing numbers that are no figures: of dates, versions, addresses."""
        for start, known in self._others.items():
            if start not in read and not self.is_proved(start):
                said = re.match(r"[\d.,]*\d|[^\W\d]{1,12}", text[start:])
                if said:
                    yield Problem("number", said.group(), start, f"{said.group()} is in no tool result; the same sentence of the tools has {known} there.")

    def foreign_names(self) -> Iterator[Problem]:
        """Names that stand alone in place of another in a copied sentence."""
        for start, name, known in self._names:
            yield Problem("name", name, start, f"The tools' sentence is about {known}, not {name}.")
