"""Hourly and monthly prices of a type or family, compared with the list prices of the table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from knowledge import facts
from knowledge.kept import kept
from knowledge.rows import PriceRow

from .cues import cue, negated
from .finding import Finding, Voice, true_if
from .mentions import Mention
from .names import family, instance
from .sentences import Clause

SLACK = Decimal("0.02")
HOME = "cn-hangzhou"
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
    rows = [row for row in _rows() if row.instance_type == name and row.per == per]
    start, end = _reach(clause, item, money)
    chosen = _in_region(clause, rows)
    same = [row for row in chosen if row.currency == money.value]
    if not rows:
        other = [row for row in _rows() if row.instance_type == name]
        fact = voice.say(f"price_none_{per}" if other else "price_none", name=name)
        if other:
            fact = voice.pick("", " ").join([fact, _say("price_row", _home(other), voice)])
        yield Finding(start, end, name, "cannot_judge", fact, (other[0].source_id,) if other else ())
    elif not same:
        fact = _say("price_other", chosen[0], voice)
        yield Finding(start, end, name, "cannot_judge", fact, (chosen[0].source_id,))
    else:
        match = _nearest(same, money)
        shown = match or _home(same)
        fact = _say("price_row", shown, voice)
        if match is None and len({row.amount for row in same}) > 1:
            fact = voice.pick("", " ").join([fact, _say_regions(same, voice)])
        verdict = true_if((match is not None) != _denied(clause, money))
        yield Finding(start, end, name, verdict, fact, (shown.source_id,))


def _of_family(
    clause: Clause, item: Mention, money: Mention, per: str, voice: Voice
) -> Iterator[Finding]:
    """A price outside the whole range of a family's hourly prices is wrong; inside it depends on the type."""
    name = item.value
    rows = [row for row in _rows() if row.per == per and _family_of(row) == name]
    start, end = _reach(clause, item, money)
    same = [row for row in _in_region(clause, rows) if row.currency == money.value]
    if not rows:
        fact = voice.say("price_none", name=name)
        yield Finding(start, end, name, "cannot_judge", fact, ())
        return
    low, high = _ends(same or rows)
    fact = _say_range(name, low, high, voice)
    amount = Decimal(str(money.amount))
    outside = amount < low.amount * (1 - SLACK) or amount > high.amount * (1 + SLACK)
    if not same or per == "month" or not outside:
        match = _nearest(same, money)
        if match is not None:
            fact = voice.pick("", " ").join([fact, _say("price_row", match, voice)])
        yield Finding(start, end, f"{name} price", "cannot_judge", fact, (low.source_id,))
        return
    verdict = true_if(_denied(clause, money))
    yield Finding(start, end, f"{name} price", verdict, fact, (low.source_id,))


def _family_of(row: PriceRow) -> str:
    known = instance(row.instance_type)
    return known.family if known else row.instance_type.removeprefix("ecs.").split(".")[0]


@kept
def _rows() -> tuple[PriceRow, ...]:
    return tuple(row for row in facts.price_rows() if row.amount > 0)


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
    """The row the price agrees with: that of the home region first, else the closest."""
    amount = Decimal(str(money.amount))
    close = [row for row in rows if abs(row.amount - amount) <= SLACK * row.amount]
    return min(close, key=lambda row: (row.region != HOME, abs(row.amount - amount)), default=None)


def _home(rows: list[PriceRow]) -> PriceRow:
    return next((row for row in rows if row.region == HOME), rows[0])


def _ends(rows: list[PriceRow]) -> tuple[PriceRow, PriceRow]:
    return min(rows, key=lambda row: row.amount), max(rows, key=lambda row: row.amount)


def _denied(clause: Clause, money: Mention) -> bool:
    place = money.start - clause.start
    return negated(clause.text[max(0, place - 10) : place]) != clause.refuted


def _in_region(clause: Clause, rows: list[PriceRow]) -> list[PriceRow]:
    """The rows of the region that the sentence names; all of them when it names none, or one without prices."""
    text = clause.sentence.text
    for region in facts.regions().values():
        if any(word.lower() in text for word in (region.region, *region.aliases)):
            inside = [row for row in rows if row.region == region.region]
            if inside:
                return inside
    return rows


def _words(row: PriceRow, voice: Voice) -> dict[str, str]:
    region = facts.regions()[row.region]
    currency = voice.pick(
        {"CNY": "元", "USD": "美元"}.get(row.currency, row.currency), row.currency
    )
    return {
        "as_of": row.as_of,
        "region": voice.pick(region.name_zh, region.name_en),
        "amount": f"{row.amount.normalize():f}",
        "currency": currency,
        "per": voice.pick({"hour": "小时", "month": "月"}[row.per], row.per),
    }


def _say(code: str, row: PriceRow, voice: Voice) -> str:
    return voice.say(code, name=row.instance_type, **_words(row, voice))


def _say_regions(rows: list[PriceRow], voice: Voice) -> str:
    low, high = _ends(rows)
    high_amount = f"{high.amount.normalize():f}"
    return voice.say("price_regions", high=high_amount, **_words(low, voice))


def _say_range(name: str, low: PriceRow, high: PriceRow, voice: Voice) -> str:
    words = _words(low, voice)
    top = _words(high, voice)
    return voice.say(
        "price_range",
        name=name,
        low_type=low.instance_type,
        high_type=high.instance_type,
        high=top["amount"],
        high_region=top["region"],
        **words,
    )
