"""Reads answers of the cloud: plain JSON values whose every level may be missing, null, or of another type than documented.

A cell that makes no sense is None or empty; what a row cannot do without is the reader's business.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

Json = Mapping[str, Any]

MOST_PER_HOUR = Decimal(100_000)
"""Above any instance ever listed, by two digits; in any of the currencies."""
HOURS = {"hour": 1, "month": 744, "year": 8784}
_TYPE = re.compile(r"ecs\.[a-z0-9][a-z0-9.-]{1,58}[a-z0-9]")
_ZONE = re.compile(r"[a-z0-9][a-z0-9-]{1,48}[a-z0-9]")
_REGION = re.compile(r"[a-z]{2}-[a-z0-9-]{2,40}[a-z0-9]")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def part(answer: object, *path: str) -> Json:
    """The object at the end of the path, empty where a level is missing or is no object."""
    for name in path:
        answer = answer.get(name) if isinstance(answer, Mapping) else None
    return answer if isinstance(answer, Mapping) else {}


def rows(answer: object, *path: str) -> list[Json]:
    """The objects of the list at the end of the path; an entry that is no object is an empty one, for its reader to drop."""
    *above, last = path
    found = part(answer, *above).get(last)
    return [row if isinstance(row, Mapping) else {} for row in found] if isinstance(found, list) else []


def text(row: Json, name: str, *, most: int = 120) -> str:
    """One line of text; empty for anything else, and for text that is too long to be what it should."""
    value = row.get(name)
    if not isinstance(value, str) or len(value) > most:
        return ""
    return _UNPRINTABLE.sub(" ", value).strip()


def type_name(row: Json, name: str) -> str:
    """Full name of an instance type, empty if it is none."""
    value = text(row, name)
    return value if is_type(value) else ""


def is_type(name: str) -> bool:
    """Whether a name is written like an instance type: `ecs.gn7i-c8g1.2xlarge`."""
    return bool(_TYPE.fullmatch(name))


def zone_name(row: Json, name: str) -> str:
    """Id of a zone, empty if it is none."""
    value = text(row, name)
    return value if _ZONE.fullmatch(value) else ""


def is_region(name: str) -> bool:
    """Whether a name is written like a region: it becomes a part of a host name."""
    return bool(_REGION.fullmatch(name))


def number(row: Json, name: str, *, most: float) -> float | None:
    """A number from 0 to `most`, also where it comes as text."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) and 0 <= found <= most else None


def whole(row: Json, name: str, *, most: int) -> int | None:
    """A whole number from 0 to `most`."""
    found = number(row, name, most=most)
    return int(found) if found is not None and found == int(found) else None


def amount(row: Json, name: str, *, per: str = "hour") -> Decimal | None:
    """Money above 0, to the millionth; None for nothing, less than nothing, and what no instance costs."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = Decimal(str(value).strip()) if len(str(value)) <= 40 else None
    except InvalidOperation:
        return None
    if found is None or not found.is_finite() or not 0 < found <= MOST_PER_HOUR * HOURS[per]:
        return None
    rounded = found.quantize(Decimal("0.000001")).normalize()
    if not rounded:
        return None
    return rounded.quantize(Decimal(1)) if rounded == rounded.to_integral() else rounded


def family_of(instance_type: str) -> str:
    """Family by the name of a type: ecs.gn7i-c8g1.2xlarge → gn7i, ecs.vgn6i-m4-vws.xlarge → vgn6i-vws."""
    head, *more = instance_type.removeprefix("ecs.").partition(".")[0].split("-")
    return "-".join([head, *(word for word in more if word.isalpha())])
