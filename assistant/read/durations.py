"""How long something runs: hours in all, or months."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .numbers import Number

HOURS_PER_DAY, HOURS_PER_WEEK, DAYS_PER_MONTH = 24, 168, 30


def find_time(values: Mapping[str, Sequence[float]]) -> tuple[float | None, float | None, float | None]:
    """Hours in all, months, and the hours of each month where a use is told by the month or the day.

    A part of each day or month ("每天 8 小时一个月", "每月 200 小时") is put into hours, in place of months.
    """
    months = [*values.get("months", []), *(12 * years for years in values.get("years", []))]
    months += [*values.get("per_month", []), *(12 * years for years in values.get("per_year", []))]
    span = months[0] if months else None
    each, a_day = _of_each(values, "month"), _of_each(values, "day")
    if each is not None:
        return each * (span or 1), None, each
    if a_day is not None:
        spans = bool({"days", "weeks"} & set(values))
        return a_day * _days(values, span), None, None if spans else a_day * DAYS_PER_MONTH
    return _hours(values), span, None


def _of_each(values: Mapping[str, Sequence[float]], period: str) -> float | None:
    """Hours of each month or day: as said behind the hours, or before them ("一个月开 300 小时")."""
    said_before = values.get("hours") if values.get(f"each_{period}") == [1] else None
    found = values.get(f"hours_per_{period}") or said_before
    return found[0] if found else None


def _days(values: Mapping[str, Sequence[float]], months: float | None) -> float:
    """Days of a use that is told by the day; a month where nothing is said."""
    if "days" in values:
        return values["days"][0]
    return 7 * values["weeks"][0] if "weeks" in values else DAYS_PER_MONTH * (months or 1)


_UNITS = {"hours": 1, "days": HOURS_PER_DAY, "weeks": HOURS_PER_WEEK, "per_day": HOURS_PER_DAY, "per_week": HOURS_PER_WEEK}


def _hours(values: Mapping[str, Sequence[float]]) -> float | None:
    return next((values[role][0] * hours for role, hours in _UNITS.items() if role in values), None)


PRICED_BY = {"hours": None, "days": "per_day", "weeks": "per_week", "months": "per_month", "years": "per_year"}
"""What "多少钱一天" asks for; an hour is the unit of the prices themselves."""


def is_a_rate(lower: str, number: Number) -> bool:
    """一小时 in "多少钱一小时", "15 块一小时", "an hour", "per 1 hour": a price's unit, not a length of time."""
    behind = lower[max(0, number.start - 6) : number.start].rstrip()
    return bool(re.search(r"(?:[钱块元刀/每]|per|费用?|成本|价格?)$", behind))
