"""Rows of one type: by the hour, by the month, by the year and spot, each with its total and what must be said beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from knowledge import facts
from tools.phrases import Language
from tools.prices import HOURS_PER_MONTH, break_even_hours, cost, price_notes
from tools.results import Price

from .figures import percent, price, sentence
from .results import CostRow
from .time import Usage


def newest(prices: Iterable[Price]) -> list[Price]:
    """Of each way, region and currency only the latest record."""
    latest: dict[tuple[str, str, str], Price] = {}
    for item in prices:
        key = (item.billing, item.region, item.currency)
        if key not in latest or item.as_of > latest[key].as_of:
            latest[key] = item
    return list(latest.values())


def price_row(name: str, item: Price, hourly: Price | None, use: Usage, language: Language) -> CostRow:
    """The row of a price; `hourly` is the pay-as-you-go price of the same region and currency, where there is one."""
    total = _total(item, use) if use.known else None
    high = _total(item.model_copy(update={"amount": item.amount_high}), use) if use.known and item.amount_high is not None else None
    prepaid = item.billing in ("month", "year")
    notes = [*_remarks(name, item, hourly, language), *price_notes(item, language)[1:]]
    return CostRow(
        way=item.billing, amount=item.amount, amount_high=item.amount_high, per=item.per, total=total, total_high=high,
        currency=item.currency, region=item.region, as_of=item.as_of, source_id=item.source_id,
        effective_hourly=_effective(item, use) if prepaid else None,
        break_even_hours=break_even_hours(hourly, item) if item.billing == "month" and hourly else None,
        note=("；" if language == "zh" else "; ").join(notes),
    )  # fmt: skip


def advice_row(name: str, region: str, currency: str, language: Language) -> CostRow | None:
    """Spot where the cloud's advice is known and no quote is: percentages with their day, and no amount made of them."""
    notes, rows = list(_advice(name, region, language)), [row for row in facts.spot_advice() if (row.instance_type, row.region) == (name, region)]
    if not notes:
        return None
    day, comma = rows[0].as_of, "；" if language == "zh" else "; "
    return CostRow(way="spot", currency=currency, region=region, as_of=day, source_id=f"ecs-api-{day}", note=comma.join(notes))


def _total(item: Price, use: Usage) -> Decimal:
    """Price × time × machines; a subscription is paid for whole months or years."""
    time: dict[str, Decimal | int] = {"hour": use.all_hours, "month": use.all_months, "year": use.all_years}
    return cost(item, amount_of_time=time[item.per], instances=use.machines)


def _effective(item: Price, use: Usage) -> Decimal:
    """Of a subscription: what an hour comes to, over the hours used in a month, else over all of them."""
    month = item.amount if item.per == "month" else item.amount / 12
    return (month / (use.monthly_hours or HOURS_PER_MONTH)).quantize(Decimal("0.0001"))


def _remarks(name: str, item: Price, hourly: Price | None, language: Language) -> Iterator[str]:
    """What is particular to a way of paying."""
    if item.billing == "month" and hourly:
        yield _break_even_words(item, hourly, language)
    if item.billing == "spot":
        zones = item.note.removeprefix("zones: ")
        yield sentence("spot.range" if zones != "1" else "spot.one_zone", language, zones=zones, date=item.as_of)
        yield from _advice(name, item.region, language)


def _break_even_words(month: Price, hourly: Price, language: Language) -> str:
    hours = break_even_hours(hourly, month)
    if hours >= HOURS_PER_MONTH:
        return sentence("month.never", language, payg=price(hourly.amount), payg_date=hourly.as_of)
    return sentence("month.beats", language, hours=f"{hours:,f}".removesuffix(".0"), payg=price(hourly.amount), payg_date=hourly.as_of)


def _advice(name: str, region: str, language: Language) -> Iterator[str]:
    """What the cloud's own advice said of the last 30 days, over the zones of the region."""
    rows = [row for row in facts.spot_advice() if (row.instance_type, row.region) == (name, region)]
    averages = [row.average_pct for row in rows if row.average_pct is not None]
    if averages:
        low, high = min(averages), max(averages)
        yield sentence("spot.average", language, average=f"{low}–{high}" if low != high else low, date=rows[0].as_of)
    rates = sorted({row.interruption or (percent(row.interruption_rate) + " %" if row.interruption_rate is not None else "") for row in rows} - {""})
    if rates:
        yield sentence("spot.interruption", language, rates=", ".join(rates), date=rows[0].as_of)
