"""A machine that the sum rules out must not be recommended."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from .name_shapes import Name
from .problem import Problem
from .rejecting import words_pattern
from .said import Said
from .support import Support


def bad_picks(names: list[Name], said: Said, support: Support) -> Iterator[Problem]:
    """Types that a sentence takes although every sum of this turn says that they do not hold the job."""
    machines = [name for name in names if name.kind == "type" and name.known]
    if not machines:
        return
    text = said.text.lower()
    if not words_pattern("names", "recommends").search(text) or words_pattern("names", "unfit").search(text):
        return
    for name in machines:
        if name.known in _ruled_out(support):
            written = said.text[name.start : name.end]
            yield Problem("name", written, said.start + name.start, f"“{written}” does not hold the job by the tool results: recommend one that fits, or say that this one does not.")


@lru_cache(maxsize=4)
def _ruled_out(support: Support) -> frozenset[str]:
    """Types of which every record of this turn's sums says that they do not fit; one that a change makes fit says nothing."""
    fits: dict[str, set[bool]] = {}
    stack: list[object] = [finding.data for finding in support.evidence.findings if finding.tool.startswith("size_")]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            verdict = value.get("fits")
            for item in value.values():
                if isinstance(item, str) and item.startswith("ecs."):
                    fits.setdefault(item, set()).add(verdict is not False)
            stack += [item for item in value.values() if isinstance(item, (list, dict))]
    return frozenset(name for name, said in fits.items() if said == {False})
