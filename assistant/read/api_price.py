"""What an API asks for its tokens: "每百万 token 2 元", "$0.5 per million input tokens and $1.5 output", "每千 token 0.02 元"."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from .lexicon import read_table
from .normalise import parse_number
from .reading import ApiRate, Reading
from .volumes import find_volumes

Span = tuple[int, int]
MILLION = 1_000_000
_API = re.compile(r"(?<![a-z])api(?![a-z])|接口")
_NEAR = 16
"""Characters between a price and the word or the unit that it belongs to."""


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    table, currencies = read_table("api"), read_table("money")["currency"]
    sign = "|".join(sorted((re.escape(w) + ("(?![a-z])" if w.isalpha() and w.isascii() else "") for ws in currencies.values() for w in ws), key=len, reverse=True))
    money = re.compile(table["money"].replace("<sign>", sign))
    return re.compile(table["unit"]), money, re.compile(table["input"]), re.compile(table["output"])


def find_api_rate(lower: str) -> tuple[ApiRate, list[Span]] | None:
    """Prices of an API per million tokens, and the stretches that say them, in lower-case text. None where none is said."""
    unit_pattern, money_pattern = _patterns()[:2]
    units = list(unit_pattern.finditer(lower))
    units = [unit for unit in units if unit["scale"]] or units  # "per 1M tokens" before a bare "1M tokens", which may be a volume
    moneys = [match for match in money_pattern.finditer(lower) if match["sign1"] or match["sign2"]]
    if not moneys or not (units or _tells_both(lower, moneys)):
        return None
    found: dict[str, float] = {}
    spans = [unit.span() for unit in units]
    sign = ""
    for at, match in enumerate(moneys):
        unit = min(units, key=lambda unit: _gap(unit, match), default=None)
        kind = _kind_of(lower, moneys, at, units)
        far = unit is None or _gap(unit, match) > _NEAR
        if kind == "all" and far:
            continue
        found.setdefault(kind, (parse_number(match["value"]) or 0.0) * MILLION / (_scale(unit) if unit else MILLION))
        sign = sign or match["sign1"] or match["sign2"]
        spans.append(match.span())
    if not found or max(found.values()) <= 0:
        return None
    both = found.get("all")
    rate = ApiRate(input=_shown(found.get("input", both)), output=_shown(found.get("output", both)), currency=_currency(sign))
    return rate, spans


def _tells_both(lower: str, moneys: list[re.Match[str]]) -> bool:
    """Prices of input and of output of an API without a unit: they are told per million tokens everywhere."""
    return len(moneys) > 1 and all(pattern.search(lower) for pattern in (*_patterns()[2:], _API))


def told_again(reading: Reading, previous: Reading) -> dict[str, object]:
    """Of a question after one about an API: its new price or volume without their units ("API 涨到 8 元呢", "每天 5 亿呢")."""
    lower, found = reading.normal.lower(), dict[str, object]()
    if previous.api is None:
        return found
    if reading.tokens_per_month is None and reading.budget is None:
        volumes = find_volumes(lower, training=False, priced=True)
        found |= {name: value for name in _VOLUMES if (value := getattr(volumes, name)) is not None}
    if reading.api is None and _SPOKEN.search(lower):
        prices = _prices_alone(lower)
        if prices:
            found["api"] = previous.api.model_copy(update=prices)
    return found


_VOLUMES = ("tokens_per_month", "input_per_month", "output_per_month")
_SPOKEN = re.compile(r"(?<![a-z])api(?![a-z])|接口|输入|输出|input|output|price|价|token")


def _prices_alone(lower: str) -> dict[str, float]:
    """Amounts with a currency as prices of input, output or both."""
    moneys = [match for match in _patterns()[1].finditer(lower) if match["sign1"] or match["sign2"]]
    found: dict[str, float] = {}
    for at, match in enumerate(moneys):
        kind, value = _kind_of(lower, moneys, at, []), parse_number(match["value"]) or 0.0
        found |= {name: value for name in ("input", "output") if kind in ("all", name)}
    return found


def _kind_of(lower: str, moneys: list[re.Match[str]], at: int, units: list[re.Match[str]]) -> str:
    """Whether a price is that of input or output tokens: by its own unit ("$10/M output"), by the word before it, else behind it; of
    prices whose words stand behind ("2 CNY in and 6 CNY out") the other way round."""
    match = moneys[at]
    own = next((unit for unit in units if 0 <= unit.start() - match.end() <= 2), None)
    begin = moneys[at - 1].end() if at else 0
    end = moneys[at + 1].start() if at + 1 < len(moneys) else len(lower)
    in_unit = own.group() + (re.match(r"\s?(?:的)?\s?[a-z输入出]{0,6}", lower[own.end() :]) or own).group() if own else ""
    before, behind = lower[max(begin, match.start() - _NEAR) : match.start()], lower[match.end() : min(end, match.end() + _NEAR + 8)]
    stretches = ((in_unit, False), (before, True), ("" if own else behind, False))
    if not own and _stand_behind(lower, moneys):
        stretches = stretches[::-1]
    for stretch, last in stretches:
        places = {kind: [m.start() for m in pattern.finditer(stretch)] for kind, pattern in zip(("input", "output"), _patterns()[2:], strict=True)}
        said = {kind: (max if last else min)(found) for kind, found in places.items() if found}
        if said:
            return (max if last else min)(said, key=lambda kind: said[kind])
    return "all"


def _stand_behind(lower: str, moneys: list[re.Match[str]]) -> bool:
    """Whether no word of input or output stands before the first price, and one behind the last."""
    first, last = moneys[0], moneys[-1]
    before, behind = lower[max(0, first.start() - _NEAR) : first.start()], lower[last.end() : last.end() + _NEAR]
    return not any(pattern.search(before) for pattern in _patterns()[2:]) and any(pattern.search(behind) for pattern in _patterns()[2:])


def _gap(unit: re.Match[str], money: re.Match[str]) -> int:
    return max(unit.start() - money.end(), money.start() - unit.end(), 0)


def _scale(unit: re.Match[str]) -> float:
    """Tokens of a unit, with the figure before its word: 百万, 1k, 100 万."""
    word = (unit["scale"] or unit["scale2"]).replace(",", "").removeprefix("1")
    hundred = 100 if re.search(r"100\s?万", unit.group()) else 1
    return float(read_table("api")["scale"][word]) * hundred


def _shown(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.10g}")


def _currency(sign: str) -> Literal["CNY", "USD"]:
    return "USD" if sign in read_table("money")["currency"]["USD"] else "CNY"
