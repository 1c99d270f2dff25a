"""Reads a CSV or JSONL table into typed rows; an error names file and line."""

from __future__ import annotations

import csv
import dataclasses
import json
import types
from collections.abc import Callable, Mapping
from decimal import Decimal
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import DataError

Row = TypeVar("Row")
Text = Callable[[str], object]


def read_data(name: str) -> str:
    """Text of a table shipped in `knowledge/data/`."""
    return files("knowledge").joinpath("data", name).read_text(encoding="utf-8")


def read_csv(row_type: type[Row], name: str, *, text: str | None = None) -> tuple[Row, ...]:
    """Rows of a CSV table whose header names the fields of `row_type`, in any order.

    Raises DataError naming file and line for a missing column, a cell that does not convert, or an empty table.
    """
    reader = csv.reader(StringIO(read_data(name) if text is None else text))
    header = next(reader, [])
    fields = [f.name for f in dataclasses.fields(row_type)]  # type: ignore[arg-type]
    if sorted(header) != sorted(fields):
        raise DataError(f"{name}:1: columns {header}, expected {fields}")
    order = [header.index(column) for column in fields]
    read = {place: read for place, column in enumerate(fields) if (read := _cell_converter(row_type, column)) is not str}
    return tuple(_make_row(row_type, name, reader.line_num, order, read, cells) for cells in reader)


def read_jsonl(row_type: type[Row], name: str, *, text: str | None = None) -> tuple[Row, ...]:
    """Rows of a JSONL table, one object per line. Lists become tuples; `source_ids` is split at `;`."""
    lines = (read_data(name) if text is None else text).splitlines()
    return tuple(_object_row(row_type, name, number, line) for number, line in enumerate(lines, 1))


def read_path(row_type: type[Row], path: Path) -> tuple[Row, ...]:
    """Rows of a table outside the package: `.csv` or `.jsonl`."""
    read = read_jsonl if path.suffix == ".jsonl" else read_csv
    return read(row_type, path.name, text=path.read_text(encoding="utf-8-sig"))


def _make_row(
    row_type: type[Row], name: str, line: int, order: list[int], read: dict[int, Text], cells: list[str]
) -> Row:
    """`order` holds the place in the line of each field, `read` how a field is read that is no text, by its place in the row."""
    if len(cells) != len(order):
        raise DataError(f"{name}:{line}: {len(cells)} cells, expected {len(order)}")
    values: list[Any] = [cells[place] for place in order]
    for place, convert in read.items():
        try:
            values[place] = convert(values[place])
        except (ValueError, ArithmeticError) as error:
            column = dataclasses.fields(row_type)[place].name  # type: ignore[arg-type]
            raise DataError(f"{name}:{line}: column {column}: cannot read {values[place]!r}") from error
    return row_type(*values)


def _object_row(row_type: type[Row], name: str, line: int, text: str) -> Row:
    try:
        raw: Mapping[str, Any] = json.loads(text)
        values = {key: _object_value(key, value) for key, value in raw.items()}
        return row_type(**values)
    except (ValueError, TypeError, AttributeError) as error:
        raise DataError(f"{name}:{line}: {error}") from error


def _object_value(key: str, value: object) -> object:
    if key == "source_ids" and isinstance(value, str):
        return _split(value)
    return tuple(value) if isinstance(value, list) else value


def _split(cell: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in cell.split(";") if part.strip())


def _yes_no(cell: str) -> bool:
    if cell not in ("yes", "no"):
        raise ValueError(cell)
    return cell == "yes"


def _cell_converter(row_type: type, column: str) -> Text:
    hint = _hints(row_type)[column]
    if get_origin(hint) in (Union, types.UnionType):
        inner = next(arg for arg in get_args(hint) if arg is not type(None))
        convert = _simple_converter(inner)
        return lambda cell: None if cell == "" else convert(cell)
    return _simple_converter(hint)


def _simple_converter(hint: Any) -> Text:
    if get_origin(hint) is tuple:
        return _split
    plain: dict[Any, Text] = {bool: _yes_no, int: int, float: float, Decimal: Decimal, str: str}
    return plain[hint]


_HINTS: dict[type, dict[str, Any]] = {}


def _hints(row_type: type) -> dict[str, Any]:
    if row_type not in _HINTS:  # resolving string annotations is slow; once per row type
        _HINTS[row_type] = get_type_hints(row_type)
    return _HINTS[row_type]
