"""Names that look-ups, prices, costs and orders are asked about: whether they are those of the question, and not one with a digit off."""

from __future__ import annotations

import re
from typing import Any, Literal

from assistant.plan_jobs import names_subject
from assistant.read.reading import Reading

from .places import is_near_miss
from .said import Said
from .same import agrees
from .wanted import machines_of

NAMED = ("names", "name", "quote", "text")
"""Kinds that are judged here."""
_FIGURES = re.compile(r"[a-z0-9][a-z0-9.\-]*\d[a-z0-9.\-]*|\d[\d.]*", re.I)
Judged = tuple[Literal["differs", "unsaid", "omitted"], Any]


def judge_names(kind: str, given: Any, reading: Reading, said: Said) -> Judged | None:
    """What is wrong with names and quoted words, and what takes their place; None for nothing.

    `names` of a look-up may be any that are not a slip of those asked. The one `name` of a cost or an order must be named by the user,
    or have been found in this turn. `quote` is of the words of the user: its figures must be theirs. `text` is free.
    """
    if given in (None, "", []) or kind == "text":
        return None
    if kind == "quote":
        return _quoted(str(given), reading, said)
    asked = machines_of(reading)
    if kind == "names":
        return _looked_up([str(one) for one in (given if isinstance(given, list) else [given])], asked, said)
    return _one(str(given), asked, reading, said)


def _looked_up(given: list[str], asked: list[str], said: Said) -> Judged | None:
    missing = [name for name in asked if not _is_asked(name, given)]
    used = [one if _is_asked(one, asked) else _slip(one, missing, said) or one for one in given]
    return None if used == given else ("differs", list(dict.fromkeys(used)))


def _is_asked(name: str, asked: list[str]) -> bool:
    return any(agrees("name", name, one, call={}) for one in asked)


def _slip(name: str, missing: list[str], said: Said) -> str:
    """The name asked for that this one is a slip of."""
    if said.has_name(name):
        return ""
    return next((other for other in missing if is_near_miss(name, other)), "")


def _one(given: str, asked: list[str], reading: Reading, said: Said) -> Judged | None:
    if _is_asked(given, asked):
        return None
    near = [name for name in asked if is_near_miss(given, name) and name.startswith("ecs.")]
    if asked and (near or not names_subject(reading) or not said.has_name(given)):
        return "differs", (near or asked)[0]
    return None if said.has_name(given) else ("unsaid", given)


def _quoted(text: str, reading: Reading, said: Said) -> Judged | None:
    """Figures and names with a digit that the user did not write."""
    own = [found.strip(".-") for found in _FIGURES.findall(text)]
    if all(said.has_name(one) for one in own):
        return None
    return "differs", reading.text[slice(*reading.pasted)] if reading.pasted else reading.text
