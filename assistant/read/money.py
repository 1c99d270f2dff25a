"""A budget: an amount with a currency or a time, named as a limit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal, cast

from .lexicon import read_table
from .names import blank, find_names
from .normalise import parse_number, scale_of
from .quantities import read_quantities
from .reading import Money, Reading

_NEAR = 14  # characters between an amount and the word that makes it a limit


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    table = read_table("money")
    sign = _any(w for words in table["currency"].values() for w in words)
    per = _any(w for words in table["per"].values() for w in words)
    time_after = rf"\s?(?:/|每|一个?|per |an? |every |each )\s?(?P<after>{per})(?![a-z])|\s?(?P<adverb>hourly|monthly|yearly)|(?P<slash>)"
    amount = re.compile(
        rf"(?:(?:(?:每|一个?|per )(?P<before>{per})(?:的)?(?:预算|费用|成本)?|(?P<of>{per})(?:预算|费用|成本| ?budget| ?cost))\s?(?:of|是|为|大概|约|在|最多|不超过|控制在|:|=)?\s?)?(?P<sign1>{sign})?\s?"
        r"(?<![\d.a-z^])(?P<value>\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,2})?|\d{1,9}(?:\.\d{1,3})?|(?!一半|一个?(?:月|小时|钟头|时|天|日|年|周|张|台|块卡))[零一二两三四五六七八九十百千]{1,6})"
        rf"\s?(?P<scale>千万|百万|[k千万亿w](?![a-z]))?\s?(?P<sign2>{sign})?(?:{time_after})"
    )
    limit = re.compile(_any([*table["limit"]["zh"], *table["limit"]["en"]]))
    return amount, limit


@cache
def _lasting() -> re.Pattern[str]:
    return re.compile(_any([word for words in read_table("money")["lasting"].values() for word in words]))


def asks_how_long(lower: str) -> bool:
    """Whether a text asks how long a sum lasts: "100 美元能用多久"."""
    return _lasting().search(lower) is not None


def _any(words: Iterable[str]) -> str:
    ordered = sorted(set(words), key=len, reverse=True)
    return "|".join(f"{re.escape(w)}(?![a-z])" if w[-1:].isalpha() and w.isascii() else re.escape(w) for w in ordered)


def find_budget(lower: str, *, priced: bool = False) -> tuple[Money, tuple[int, int]] | None:
    """The first amount that is a limit, and its stretch, in lower-case text.

    An amount counts with a currency sign or a time beside it, or right after "预算"/"budget"; without a currency
    it is CNY, without a time `once`, unless it reads as an hourly or a monthly sum. `priced`: a machine is named, so that
    an amount per time without a word of limit is its price; else that is what may be spent ("with 20 CNY per hour").
    """
    for match in _patterns()[0].finditer(lower):
        if not _is_limit(lower, match, priced=priced):
            continue
        value = (parse_number(match["value"]) or 0.0) * scale_of(match["scale"] or "")
        if value > 0:
            return Money(amount=value, currency=_currency(_sign(match)), per=_per(_time(match))), match.span()
    return None


def is_budget_of_nothing(lower: str) -> bool:
    """Whether a budget of zero is told: "预算 0 元", "budget zero", "no budget" is none."""
    return re.search(r"(?:预算|budget)(?:\s?(?:is|of|=|:|是|为|只有))?\s?[¥$]?\s?(?:0(?:\.0+)?(?![\d.])|零|zero)", lower) is not None


def _sign(match: re.Match[str]) -> str | None:
    return match["sign1"] or match["sign2"]


def _time(match: re.Match[str]) -> str | None:
    return match["before"] or match["of"] or match["after"] or match["adverb"]


def _is_limit(lower: str, match: re.Match[str], *, priced: bool) -> bool:
    """Whether an amount is what may be spent."""
    limit, sign, per = _patterns()[1], _sign(match), _time(match)
    if sign is None and _measured().match(lower, match.start("value")):
        return False
    before, behind = lower[max(0, match.start() - _NEAR) : match.start()], lower[match.end() : match.end() + _NEAR]
    near = limit.search(match.group()) or limit.search(before) or limit.search(behind) or match["of"] or "预算" in match.group() or asks_how_long(lower)
    if not near:
        return bool(sign and per and not priced) and _may_be_spent(lower, match)
    named = re.search(r"(?:预算|budget)[^\d]{0,10}$", lower[max(0, match.start() - 16) : match.start("value")])
    told = per and (match["before"] or match["of"] or match["scale"] or "预算" in lower or "/" in match.group())
    return bool(sign or named or told)


@cache
def _measured() -> re.Pattern[str]:
    """A figure that a unit of measure follows: "5000 千瓦时", "300 kWh", "20 公里". Its 千 belongs to the unit."""
    return re.compile(rf"[\d,.]+\s?(?:[万亿]\s?)?(?:{_any(word for words in read_table('money')['measure'].values() for word in words)})")


def _may_be_spent(lower: str, match: re.Match[str]) -> bool:
    """An amount per time that is no price of anything: behind a word of spending, at the start, or all that is said."""
    before = lower[: match.start()].rstrip()
    return not before or before[-1] in ",，。.;；:：、?？!！" or _free().search(before) is not None


@cache
def _free() -> re.Pattern[str]:
    table = read_table("money")["free"]
    return re.compile(rf"(?:(?:{'|'.join(table['zh'])})|(?<![a-z])(?:{'|'.join(table['en'])})(?: only| just| about| up to| around)?)$")


def _currency(sign: str | None) -> Literal["CNY", "USD"]:
    return "USD" if sign in read_table("money")["currency"]["USD"] else "CNY"


def _per(word: str | None) -> Literal["hour", "day", "month", "year", "once"]:
    for unit, words in read_table("money")["per"].items():
        if word in words:
            return cast(Literal["hour", "day", "month", "year"], unit)
    return "once"


@cache
def _rate() -> re.Pattern[str]:
    """A price told per time: "一小时只要 2.86 元", "2.86 CNY an hour", "9.53/h"."""
    table = read_table("money")
    sign = _any(w for words in table["currency"].values() for w in words)
    per = _any([*(w for words in table["per"].values() for w in words), "周", "week"])
    value = r"(?<![\d.a-z])\d{1,6}(?:,\d{3})*(?:\.\d{1,6})?"
    first = rf"(?:每个?|一个?|(?<!\d)1 ?个?|per |an? |each )\s?(?:{per})[^\d,，。;；?？!！]{{0,12}}(?:(?:{sign})\s?{value}|{value}\s?(?:{sign}))"
    after = rf"(?:(?:{sign})\s?{value}|{value}\s?(?:{sign}))\s?(?:/|每个?|一个?|per |an? |every |each )\s?(?:{per})"
    return re.compile(rf"{first}|{after}|{value}\s?/\s?(?:{per})")


def quotes_rate(reading: Reading) -> bool:
    """Whether the question tells a price per time, which it takes for granted."""
    return reading.budget is None and _rate().search(reading.normal.lower()) is not None


def asked_time(reading: Reading) -> tuple[float | None, float | None]:
    """Hours or months that are to be paid for; the hour of a rate that is told beside them ("一小时 9.53 元") is none."""
    if not quotes_rate(reading):
        return (None if reading.hours == 1 and reading.months else reading.hours), reading.months
    lower = reading.normal.lower()
    rest = _rate().sub(lambda match: "\0" * len(match.group()), blank(lower, find_names(lower)))
    left = read_quantities(rest)
    if left.hours is not None:
        return left.hours, left.months
    return None, left.months or reading.months
