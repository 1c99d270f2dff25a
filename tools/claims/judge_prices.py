"""Hourly and monthly prices of a type or family, compared with the list prices of the table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from knowledge import facts
from knowledge.facts import shipped_prices
from knowledge.kept import kept
from knowledge.rows import PriceRow
from tools.results import Verdict

from .cues import cue, negated
from .finding import Finding, Voice, join_sources, true_if
from .mentions import Mention
from .names import family, instance
from .occasions import Occasion, occasion_of
from .price_words import ends, say_price, say_range, say_regions
from .sentences import Clause

SLACK = Decimal("0.02")
HOME = "cn-hangzhou"
MONTH_HOURS = (650, 750)
"""Hours of a month by which people turn an hourly price into a monthly one, some slack with them."""
DURATION = re.compile(
    r"(?:(?<![\d.])(?!1 ?个?(?:小时|月|hour|month))\d{1,5}(?:\.\d)?|[两三四五六七八九十几半]|(?<![a-z])(?:two|three|four|five|six|eight|ten)) ?个?(?:小时|月|hours?|hrs?|months?)"
)
RANGE = re.compile(r"\d\s*(?:元|yuan|cny|¥|\$)?\s*(?:[~-]|至|到|to)\s*[¥$]?$")


def judge_prices(clause: Clause, voice: Voice) -> Iterator[Finding]:
    """ "gn7i 每小时 5 元", "ecs.gn7i-c8g1.2xlarge costs 9.53 CNY per hour": one type or family, and one price or two
    for different times."""
    sums = clause.of("money")
    periods = [_period(clause)] if len(sums) == 1 else [_beside(clause, money) for money in sums]
    if len(sums) > 2 or not all(periods) or len(set(periods)) < len(sums):
        return
    for money, per in zip(sums, periods, strict=True):
        if not _other_price(clause, money):
            yield from _judge(clause, money, per, voice)


def _judge(clause: Clause, money: Mention, per: str, voice: Voice) -> Iterator[Finding]:
    types = clause.inherited("type") if not clause.of("family") else clause.of("type")
    names = clause.inherited("family")
    if len(types) == 1 and instance(types[0].value):
        yield from _of_type(clause, types[0], money, per, voice)
    elif len(names) == 1 and not types and _has_card(names[0].value):
        yield from _of_family(clause, names[0], money, per, voice)


def _has_card(name: str) -> bool:
    row = family(name)
    return row is not None and row.kind != "cpu"


def _beside(clause: Clause, money: Mention) -> str:
    """What one of two prices is for: the words of the unit behind it, else those between it and what stands before."""
    unit = UNIT.match(clause.text, money.end - clause.start)
    first = max((item.end for item in clause.mentions if item.end <= money.start), default=clause.start)
    return _named(unit[0] if unit else clause.text[first - clause.start : money.start - clause.start])


def _period(clause: Clause) -> str:
    """What the price is for; a length of use ("8 小时花了 76 元") is none."""
    return _named(DURATION.sub("", clause.text))


def _named(text: str) -> str:
    if cue("types", "month").search(text):
        return "month"
    return "hour" if cue("types", "hour").search(text) else ""


def _other_price(clause: Clause, money: Mention) -> bool:
    """Not a list price of one instance: spot, a discount, a budget, a difference, a price per card, a range."""
    before = clause.text[: money.start - clause.start]
    return (
        cue("types", "other_price").search(clause.sentence.text) is not None
        or cue("types", "no_price").search(clause.text) is not None
        or RANGE.search(before) is not None
    )


def _of_type(
    clause: Clause, item: Mention, money: Mention, per: str, voice: Voice
) -> Iterator[Finding]:
    name = f"ecs.{item.value.removeprefix('ecs.')}"
    known = [row for row in _rows() if row.instance_type == name]
    rows = [row for row in known if row.per == per]
    occasion = occasion_of(clause, money)
    there = occasion.rows_there(rows)
    same = [row for row in there if row.currency == money.value]
    start, end = _reach(clause, item, money)
    if not same:
        fact, shown = _nothing_to_compare(name, per, known, rows, there, occasion, voice)
        yield Finding(start, end, name, "cannot_judge", fact, (shown.source_id,) if shown else ())
        return
    if per == "month" and _is_month_of_hours(known, occasion, money):
        return
    match = _nearest(same, money)
    shown = _now(match, same) if match else _home(_current(same))
    fact = say_price("price_row", shown, voice)
    if match is not None and match != shown:
        fact = voice.pick("", " ").join([fact, say_price("price_was", match, voice)])
    elif match is None and len({row.amount for row in same}) > 1:
        fact = voice.pick("", " ").join([fact, say_regions(_current(same), voice)])
    verdict = _verdict(match, same, money, occasion)
    if verdict in ("true", "wrong") and _denied(clause, money):
        verdict = "wrong" if verdict == "true" else "true"
    yield Finding(start, end, name, verdict, fact, join_sources([row.source_id for row in (shown, match) if row]))


def _verdict(match: PriceRow | None, same: list[PriceRow], money: Mention, occasion: Occasion) -> Verdict:
    """A price of another time than that of the rows, or between those of several regions where none is named, is
    neither right nor wrong by them."""
    if match is not None and (not occasion.dates or occasion.of_that_time(match)):
        return "true" if match in _current(same) or occasion.dated else "outdated"
    if occasion.dated and not any(occasion.of_that_time(row) for row in same):
        return "cannot_judge"
    low, high = ends(_current(same))
    if not occasion.region and not _outside(money, low, high):
        return "cannot_judge"
    return "wrong"


def _nothing_to_compare(
    name: str, per: str, known: list[PriceRow], rows: list[PriceRow], there: list[PriceRow], occasion: Occasion, voice: Voice
) -> tuple[str, PriceRow | None]:
    """Why the table cannot tell, with the price that it has."""
    if not known:
        return voice.say("price_none", name=name), None
    if there:
        return say_price("price_other", there[0], voice), there[0]
    shown = _home(_current(rows or known))
    if rows:
        region = facts.regions()[occasion.region]
        none = voice.say("price_none_region", name=name, region=voice.pick(region.name_zh, region.name_en))
    else:
        none = voice.say(f"price_none_{per}", name=name)
    return voice.pick("", " ").join([none, say_price("price_row", shown, voice)]), shown


def _is_month_of_hours(known: list[PriceRow], occasion: Occasion, money: Mention) -> bool:
    """A month of pay-as-you-go, worked out from the hourly price, is no price of a subscription."""
    hourly = [row for row in occasion.rows_there(known) if row.per == "hour" and row.currency == money.value]
    return any(MONTH_HOURS[0] * row.amount <= Decimal(str(money.amount)) <= MONTH_HOURS[1] * row.amount for row in hourly)


def _current(rows: list[PriceRow]) -> list[PriceRow]:
    """The newest row of each type, region and currency."""
    newest: dict[tuple[str, str, str], PriceRow] = {}
    for row in rows:
        key = (row.instance_type, row.region, row.currency)
        if key not in newest or row.as_of > newest[key].as_of:
            newest[key] = row
    return list(newest.values())


def _now(row: PriceRow, rows: list[PriceRow]) -> PriceRow:
    """The newest price of the type and region of an older one."""
    return next(new for new in _current(rows) if (new.instance_type, new.region) == (row.instance_type, row.region))


def _outside(money: Mention, low: PriceRow, high: PriceRow) -> bool:
    amount = Decimal(str(money.amount))
    return amount < low.amount * (1 - SLACK) or amount > high.amount * (1 + SLACK)


def _of_family(
    clause: Clause, item: Mention, money: Mention, per: str, voice: Voice
) -> Iterator[Finding]:
    """A price outside the whole range of a family's hourly prices is wrong; inside it depends on the type."""
    name = item.value
    rows = [row for row in _rows() if row.per == per and _family_of(row) == name]
    start, end = _reach(clause, item, money)
    if not rows:
        fact = voice.say("price_none", name=name)
        yield Finding(start, end, name, "cannot_judge", fact, ())
        return
    occasion = occasion_of(clause, money)
    same = [row for row in occasion.rows_there(rows) if row.currency == money.value]
    low, high = ends(_current(same or rows))
    fact = say_range(name, low, high, voice)
    if not same or per == "month" or occasion.dated or not _outside(money, low, high):
        match = _nearest(same, money)
        if match is not None:
            fact = voice.pick("", " ").join([fact, say_price("price_row", match, voice)])
        yield Finding(start, end, f"{name} price", "cannot_judge", fact, (low.source_id,))
        return
    verdict = true_if(_denied(clause, money))
    yield Finding(start, end, f"{name} price", verdict, fact, (low.source_id,))


def _family_of(row: PriceRow) -> str:
    known = instance(row.instance_type)
    return known.family if known else row.instance_type.removeprefix("ecs.").split(".")[0]


@kept
def _rows() -> tuple[PriceRow, ...]:
    """List prices, those that a refresh has replaced among them: what was right on their day is out of date, not wrong."""
    now = facts.price_rows()
    return tuple(row for row in dict.fromkeys((*now, *shipped_prices())) if row.amount > 0)


def _reach(clause: Clause, item: Mention, money: Mention) -> tuple[int, int]:
    """From the name to the price, with the words of the unit behind it ("9.53 元/小时")."""
    unit = UNIT.match(clause.text, money.end - clause.start)
    end = clause.start + unit.end() if unit else money.end
    alone = any(item.end <= other.start < money.start for other in clause.of("money"))
    start = min(item.start, money.start) if item.start >= clause.start and not alone else money.start
    return start, max(end, item.end)


UNIT = re.compile(
    r"\s?(?:/ ?(?:小时|时|hours?|hr?|months?|月)|每小时|一小时|每月|(?:per|an|a) (?:hour|month))"
)


def _nearest(rows: list[PriceRow], money: Mention) -> PriceRow | None:
    """The row the price agrees with: a current one first, that of the home region first, else the closest."""
    amount = Decimal(str(money.amount))
    close = [row for row in rows if abs(row.amount - amount) <= SLACK * row.amount]
    newest = {id(row) for row in _current(rows)}
    return min(close, key=lambda row: (id(row) not in newest, row.region != HOME, abs(row.amount - amount)), default=None)


def _home(rows: list[PriceRow]) -> PriceRow:
    return next((row for row in rows if row.region == HOME), rows[0])


def _denied(clause: Clause, money: Mention) -> bool:
    place = money.start - clause.start
    return negated(clause.text[max(0, place - 10) : place]) != clause.refuted
