"""Rows of published measurements: what an adapter is given, what it returns, and how fields and units are read.

A row is a dict as the file has it: JSON values from JSONL, strings from CSV. `number`, `text` and `flag` read a field of
either. A memory figure becomes GiB only in `gib_of`, by the table units.csv.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Literal

from knowledge.errors import InputError
from tools.units import to_gib

Row = dict[str, object]
Quantity = Literal["weights", "kv_tokens", "peak", "tokens_per_s", "fits"]

EMPTY = ("", "none", "null", "nan", "n/a")
"""What an empty field looks like in CSV."""
YES, NO = ("true", "yes", "1"), ("false", "no", "0")


@dataclass(frozen=True)
class Measure:
    """One published figure beside ours: GiB, tokens or tokens/s; for `fits` 1.0 (ran) and 0.0 (did not)."""

    id: str
    quantity: Quantity
    measured: float
    predicted: float
    low: float | None = None
    high: float | None = None
    groups: dict[str, str] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Refusal:
    """A row that cannot be predicted; `reason` names the missing field, or the model or network that is not known."""

    id: str
    reason: str


@dataclass(frozen=True)
class Unit:
    """What one unit of memory is in bytes; `source_contains` narrows it to pages that print it otherwise."""

    source_contains: str
    unit: str
    bytes: int
    why: str


def gib_of(value: float, unit: str, *, source: str = "") -> float:
    """A published memory figure in GiB. `source`: address of the page, as some print GB and mean GiB.

    Raises InputError for a unit of no memory ("tokens/s only"): the row is then refused with that sentence.
    """
    plain = " ".join(unit.lower().split())
    known = [row for row in units() if row.unit == plain and row.source_contains in source]
    if not known:
        raise InputError(f"unit {unit!r} is not one of memory")
    return to_gib(value * max(known, key=lambda row: len(row.source_contains)).bytes)


@cache
def units() -> tuple[Unit, ...]:
    """The table of units."""
    lines = files("evals").joinpath("accuracy", "units.csv").read_text(encoding="utf-8").splitlines()
    return tuple(Unit(row["source_contains"], row["unit"], int(row["bytes"]), row["why"]) for row in csv.DictReader(lines))


def text(row: Row, name: str) -> str | None:
    """A field as text, None when it is empty or not there."""
    value = row.get(name)
    if value is None:
        return None
    plain = str(value).strip()
    return None if plain.lower() in EMPTY else plain


def number(row: Row, name: str) -> float | None:
    """A field as a finite number, None when it is empty or no number."""
    plain = text(row, name)
    if plain is None or isinstance(row[name], bool):
        return None
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def whole(row: Row, name: str) -> int | None:
    """A field as a whole number, None when it is empty or none."""
    value = number(row, name)
    return int(value) if value is not None and value.is_integer() else None


def flag(row: Row, name: str) -> bool | None:
    """A field as yes or no, None when it is not stated."""
    plain = (text(row, name) or "").lower()
    if plain in YES:
        return True
    return False if plain in NO else None


def need(row: Row, *names: str) -> None:
    """Raises InputError naming the fields that are empty: the row is then refused with that sentence."""
    missing = [name for name in names if text(row, name) is None]
    if missing:
        raise InputError(f"missing: {', '.join(missing)}")


def row_id(row: Row) -> str:
    """Name of a row: its id; in tables without one the model, with section and schedule where the table has them."""
    given = text(row, "id")
    if given:
        return given
    parts = (text(row, name) for name in ("section", "model", "lr_sched"))
    return " ".join(part for part in parts if part) or "(no name)"
