"""Questions that go back: "back to the first one", "还是用原来的精度", "the one before". What they mean is taken from earlier readings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .carried import TOGETHER, said
from .earlier import Earlier, finds
from .reading import Intent, Reading
from .replies import HARDWARE, SUBJECT, TERSE

FIELDS = {
    "of_precision": ("weight_dtype",), "of_context": ("context",), "of_users": ("concurrency",), "of_budget": ("budget",),
    "of_region": ("region",), "of_hardware": HARDWARE, "of_model": SUBJECT,
}  # fmt: skip
"""What one thing of a conversation is, in fields of a reading."""
STATE = (*SUBJECT, *HARDWARE, "weight_dtype", "context", "concurrency", "budget", "region", "method", "job", "batch", "gpus")
"""Fields by which one state of a conversation differs from another."""


def recall(reading: Reading, previous: Reading | None, earlier: Earlier) -> Reading | None:
    """The reading that the question goes back to, in place of the one before; None for a question that goes back to nothing."""
    lower = reading.normal.lower()
    if previous is None or not earlier.readings or len(lower) > 2 * TERSE:
        return None
    to_first = finds("back", lower) is not None
    if not (to_first or finds("before", lower)):
        return None
    spoken = [name for name in FIELDS if finds(name, lower)]
    names = [name for name in spoken if not _has(reading, FIELDS[name])]
    if spoken and not names and not finds("whole", lower):
        return None  # "还是用原来的 8 并发" says all of it itself
    if not names:
        states = _states(earlier.readings)
        return _whole(states, previous, first=to_first)
    changes: dict[str, Any] = {}
    for name in names:
        changes |= _values(FIELDS[name], earlier.readings, previous, first=to_first)
    return previous.model_copy(update=changes)


def both(reading: Reading, previous: Reading | None, earlier: Earlier) -> dict[str, Any]:
    """The last two things of one kind that were spoken of one after the other, for a question that sets them side by side."""
    names_own = any(getattr(reading, name) for name in (*SUBJECT, *HARDWARE))
    lower = reading.normal.lower()
    if previous is None or names_own or len(lower) > 2 * TERSE:
        return {}
    if reading.weight_dtype and previous.weight_dtype not in (None, reading.weight_dtype) and finds("against", lower):
        precisions = [str(previous.weight_dtype), reading.weight_dtype]
        return {"weight_dtype": precisions[0], "weight_dtypes": precisions, "intents": ["sizing"]}
    if not finds("both", lower):
        return {}
    for name in ("cards", "families", "instances", "models", "weight_dtypes"):
        now = getattr(previous, name)
        for other in reversed(earlier.readings):
            before = getattr(other, name)
            if now and before and _names(before) != _names(now):
                return {name: [before[0], now[0]], "intents": _side_by_side(previous)}
    return {}


def _side_by_side(previous: Reading) -> list[Intent]:
    return ["sizing"] if _has(previous, SUBJECT) else ["comparison"]


def _names(mentions: Sequence[Any]) -> list[str]:
    return [mention if isinstance(mention, str) else getattr(mention, "name", None) or mention.text for mention in mentions]


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
