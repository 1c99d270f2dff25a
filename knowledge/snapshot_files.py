"""The files of a snapshot as text: its six tables as CSV, and its manifest as JSON."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
from collections.abc import Iterable
from decimal import Decimal
from io import StringIO
from typing import Any

from .errors import DataError
from .rows import PriceRow, SpotRow
from .snapshot_rows import FORMAT, ListedType, Manifest, Offered, PlanRate, SpotAdvice
from .tables import read_csv

MANIFEST = "manifest.json"
TABLES: dict[str, tuple[str, type]] = {
    "types.csv": ("types", ListedType),
    "offered.csv": ("offered", Offered),
    "prices.csv": ("prices", PriceRow),
    "spot.csv": ("spot", SpotRow),
    "advice.csv": ("advice", SpotAdvice),
    "plans.csv": ("plans", PlanRate),
}
"""File name → field of Snapshot, and the type of its rows."""

_LISTS = ("regions", "families", "whole_families", "left_out")
_COUNTS = ("rows", "sha256")


def table_text(name: str, rows: Iterable[object]) -> str:
    """CSV of a table. DataError for a cell that could not be read back."""
    columns = [field.name for field in dataclasses.fields(TABLES[name][1])]
    text = StringIO()
    writer = csv.writer(text)  # lines end in CR LF: a cell with either in it is quoted
    writer.writerow(columns)
    for number, row in enumerate(rows, 2):
        writer.writerow(
            [_cell(getattr(row, column), f"{name}:{number}: {column}") for column in columns]
        )
    return text.getvalue()


def table_rows(name: str, content: bytes) -> tuple[Any, ...]:
    """Rows of a table that `table_text` wrote, as UTF-8. DataError names file and line."""
    try:
        return read_csv(TABLES[name][1], name, text=content.decode("utf-8"))
    except (csv.Error, UnicodeError) as error:
        raise DataError(f"{name}: not a table ({error})") from error


def table_column(content: bytes, column: str) -> frozenset[str]:
    """The different cells of one column of a table that `table_text` wrote."""
    rows = csv.reader(StringIO(content.decode("utf-8")))
    place = next(rows).index(column)
    return frozenset(cells[place] for cells in rows)


def manifest_text(manifest: Manifest) -> str:
    """JSON of a manifest."""
    return json.dumps(dataclasses.asdict(manifest), ensure_ascii=False, indent=1) + "\n"


def read_manifest(text: str, *, name: str) -> Manifest:
    """A manifest of this format. DataError names the file for anything else."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name}: not the manifest of a snapshot ({error})") from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        found = raw.get("format") if isinstance(raw, dict) else None
        raise DataError(
            f"{name}: a snapshot of format {found!r}; this version reads format {FORMAT}"
        )
    if wrong := _wrong_fields(raw):
        raise DataError(f"{name}: {', '.join(wrong)} cannot be used")
    known = {field.name for field in dataclasses.fields(Manifest)}
    values: dict[str, Any] = {
        key: tuple(value) if key in _LISTS else value for key, value in raw.items() if key in known
    }
    return Manifest(**values)


def _wrong_fields(raw: dict[str, Any]) -> list[str]:
    wrong = [key for key in _LISTS if not _is_list_of_text(raw.get(key))]
    wrong += [key for key in _COUNTS if not isinstance(raw.get(key), dict)]
    if not isinstance(raw.get("taken_at"), str):
        wrong.append("taken_at")
    if raw.get("site") not in ("cn", "intl"):
        wrong.append("site")
    return wrong


def _is_list_of_text(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _cell(value: object, place: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ";".join(value)
    if isinstance(value, (int, float, Decimal)) and not math.isfinite(value):
        raise DataError(f"{place}: {value} is no figure")
    return f"{value:f}" if isinstance(value, Decimal) else str(value)
