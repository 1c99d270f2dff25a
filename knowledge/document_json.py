"""An added document as JSON, and back: every field is checked, as a file may be broken, foreign or hostile."""

from __future__ import annotations

import re
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from .documents import TRUSTS
from .judged import JudgedStatement

if TYPE_CHECKING:
    from .added import AddedDocument

DOCUMENT_TRUSTS = (*TRUSTS, "user")
VERDICTS = ("true", "wrong", "partly", "outdated", "not_in_catalog", "cannot_judge")
MAX_STATEMENTS = 100_000
LONGEST = {"title": 400, "origin": 4_200, "key": 4_300, "trust": 20, "lang": 2, "published_on": 10, "added_on": 10, "document_id": 64}
DATE = re.compile(r"(?:\d{4}(?:-\d\d(?:-\d\d)?)?)?")


def document_as_json(document: AddedDocument) -> dict[str, Any]:
    """Plain values of all fields."""
    return asdict(document)


def document_from_json(values: object, *, max_characters: int) -> AddedDocument:
    """The document. ValueError names the field that cannot be."""
    from .added import AddedDocument

    given = _object(values, {field.name for field in fields(AddedDocument)})
    statements = given.pop("statements", [])
    for name, value in given.items():
        if not isinstance(value, str) or len(value) > LONGEST.get(name, max_characters):
            raise ValueError(f"{name} is no text of the length allowed")
        value.encode("utf-8")  # a lone surrogate, which no file can hold, is a ValueError here
    for name in ("document_id", "title", "lang", "text"):
        if not given.get(name, "").strip():
            raise ValueError(f"{name} is missing")
    if given["lang"] not in ("zh", "en") or given.get("trust", "user") not in DOCUMENT_TRUSTS:
        raise ValueError("lang or trust is none that is known")
    if not all(DATE.fullmatch(given.get(name, "")) for name in ("published_on", "added_on")):
        raise ValueError("a date is not written as 2026-07-19")
    return AddedDocument(**given, statements=_statements(statements, len(given["text"])))


def _object(values: object, known: set[str]) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ValueError("no JSON object")
    if strange := sorted(set(map(str, values)) - known):
        raise ValueError(f"unknown field {strange[0][:40]!r}")
    return dict(values)


def _statements(values: object, length: int) -> tuple[JudgedStatement, ...]:
    if not isinstance(values, list) or len(values) > MAX_STATEMENTS:
        raise ValueError("statements are no list of the length allowed")
    return tuple(_statement(value, length) for value in values)


def _statement(values: object, length: int) -> JudgedStatement:
    given = _object(values, {field.name for field in fields(JudgedStatement)})
    sources = given.pop("source_ids", [])
    start, end = given.pop("start", None), given.pop("end", None)
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= length:
        raise ValueError("a statement lies outside the text")
    if not isinstance(sources, list) or not all(isinstance(item, str) for item in [*sources, *given.values()]):
        raise ValueError("a statement holds what is no text")
    if given.get("verdict") not in VERDICTS or set(given) != {"text", "subject", "verdict", "fact_zh", "fact_en"}:
        raise ValueError("a statement is not whole")
    return JudgedStatement(start=start, end=end, source_ids=tuple(sources), **given)
