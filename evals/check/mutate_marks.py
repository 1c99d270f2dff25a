"""Spoils citation marks: one that no source has, or that of another source."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from .change import Change
from .spans import find_marks

BESIDE = 12
"""Characters within which marks stand at the same claim."""


def unknown_marks(text: str, random: Random, *, sources: int) -> Iterator[Change]:
    """Each mark becomes one beyond the sources of the turn."""
    for span in find_marks(text):
        yield Change("mark_unknown", span.start, span.text, f"[{sources + random.randint(1, 9)}]")


def other_marks(text: str, random: Random, *, sources: int) -> Iterator[Change]:
    """Each mark becomes that of another source of the turn, one that is not cited at the same place already."""
    marks = find_marks(text)
    for span in marks:
        beside = {other.text for other in marks if abs(other.start - span.start) <= BESIDE}
        choices = [f"[{n}]" for n in range(1, sources + 1) if f"[{n}]" not in beside]
        if choices:
            yield Change("mark_other", span.start, span.text, random.choice(choices))
