"""Questions that go back: "back to the first one", "还是用原来的精度", "the one before". What they mean is taken from earlier readings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .carried import TOGETHER, said
from .earlier import Earlier, finds
from .reading import Reading
from .replies import HARDWARE, SUBJECT

FIELDS = {
    "of_precision": ("weight_dtype",), "of_context": ("context",), "of_users": ("concurrency",), "of_budget": ("budget",),
    "of_region": ("region",), "of_hardware": HARDWARE, "of_model": SUBJECT,
}  # fmt: skip
"""What one thing of a conversation is, in fields of a reading."""
STATE = (*SUBJECT, *HARDWARE, "weight_dtype", "context", "concurrency", "budget", "region", "method", "job", "batch", "gpus")
"""Fields by which one state of a conversation differs from another."""


def recall(lower: str, previous: Reading | None, earlier: Earlier) -> Reading | None:
    """The reading that the question goes back to, in place of the one before; None for a question that goes back to nothing."""
    if previous is None or not earlier.readings:
        return None
    to_first = finds("back", lower) is not None
    if not (to_first or finds("before", lower)):
        return None
    names = [name for name in FIELDS if finds(name, lower)]
    if not names:
        states = _states(earlier.readings)
        return _whole(states, previous, first=to_first)
    changes: dict[str, Any] = {}
    for name in names:
        changes |= _values(FIELDS[name], earlier.readings, previous, first=to_first)
    return previous.model_copy(update=changes)


def _whole(states: Sequence[Reading], previous: Reading, *, first: bool) -> Reading:
    """A whole state: the first one that had something to run, or the one before the last change."""
    if first:
        return next((state for state in states if _has(state, SUBJECT)), states[0])
    other = [state for state in states if _state(state) != _state(previous)]
    return other[-1] if other else previous


def _values(fields: Sequence[str], readings: Sequence[Reading], previous: Reading, *, first: bool) -> dict[str, Any]:
    """The value that these fields had at first, or before the last change; with the fields of the same thing."""
    had = [reading for reading in readings if _has(reading, fields)]
    if not first:
        had = [reading for reading in had if any(getattr(reading, name) != getattr(previous, name) for name in fields)][-1:]
    if not had:
        return {}
    together = {name for group in TOGETHER if group[0] in fields for name in group}
    return {name: getattr(had[0], name) for name in (*fields, *sorted(together - set(fields)))}


def _states(readings: Sequence[Reading]) -> list[Reading]:
    found: list[Reading] = []
    for reading in readings:
        if _has(reading, (*SUBJECT, *HARDWARE)) and (not found or _state(found[-1]) != _state(reading)):
            found.append(reading)
    return found or [*readings]


def _has(reading: Reading, fields: Sequence[str]) -> bool:
    return any(said(reading, name) for name in fields)


def _state(reading: Reading) -> list[Any]:
    return [getattr(reading, name) for name in STATE]
