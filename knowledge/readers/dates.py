"""Dates as documents write them, as ISO: 2026-07-19, 2026/7/19, 2026年7月19日, Jul 19, 2026, 19 July 2026, D:20260719…"""

from __future__ import annotations

import re
from datetime import date

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<{0}>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{{0,6}}\.?"
FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        r"(?<![\d.])(?P<y>(?:19|20)\d\d)\s?[-/.年]\s?(?P<m>\d{1,2})(?:\s?[-/.月]\s?(?P<d>\d{1,2})(?![\d.])\s?日?)?(?!\d)",
        r"D:(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)",
        r"(?<![a-z])" + _MONTH.format("m") + r"\s+(?P<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<y>(?:19|20)\d\d)(?!\d)",
        r"(?<!\d)(?P<d>\d{1,2})(?:st|nd|rd|th)?\s+" + _MONTH.format("m") + r",?\s+(?P<y>(?:19|20)\d\d)(?!\d)",
    )
)
LABEL = re.compile(
    r"(?:发布|发表|更新|最后更新|修订|修改|编辑|创建|日期|时间|published|posted|updated|last (?:updated|modified|reviewed)|date|created|written)"
    r"(?:时间|日期|于| on)?\s*[:：]?\s*",
    re.I,
)
NEAR_TOP = 10
"""Lines with words from the top in which a date line may stand."""
LONGEST_LINE = 120


def find_date(text: str) -> str:
    """The first date of `text`; empty if there is none that can be."""
    for form in FORMS:
        for match in form.finditer(text):
            if found := _iso(match):
                return found
    return ""


def date_near_top(text: str) -> str:
    """The date of a line near the top that begins with one, or with a word such as 发布时间 or "Updated"."""
    lines = [line.strip(" #>*-•|\t") for line in text.splitlines() if line.strip()]
    for line in lines[:NEAR_TOP]:
        if len(line) > LONGEST_LINE:
            continue
        label = LABEL.search(line)
        for start in (0, label.end() if label else 0):
            if any(form.match(line, start) for form in FORMS) and (found := find_date(line[start:])):
                return found
    return ""


def _iso(match: re.Match[str]) -> str:
    parts = match.groupdict()
    month = parts["m"] if parts["m"].isdigit() else str(MONTHS.index(parts["m"][:3].lower()) + 1)
    try:
        day = date(int(parts["y"]), int(month), int(parts["d"] or 1))
    except ValueError:
        return ""
    return day.isoformat() if parts["d"] else day.isoformat()[:7]
