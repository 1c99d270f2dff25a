"""What a named machine costs for the time and the number asked, and how long a sum of money lasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from assistant.read.money import asked_time
from assistant.read.reading import Reading
from tools.describe import Described, TypeFacts
from tools.prices import HOURS_PER_MONTH, cost
from tools.results import Price

from . import words
from .draft import Voice

ROUNDED_FROM = 100
"""Sums from here on are told in whole units."""


def totals(
    voice: Voice, reading: Reading, items: Sequence[Described], derived: list[float], *, each: int = 1
) -> Iterator[str]:
    """Price × time × machines, for each named type (or the one of the count asked for) with a price.

    `each`: machines that make one of what is asked for.
    """
    for row, price in _priced(reading, items):
        yield from _total(voice, reading, row, price, derived, each=each)
        if reading.budget and reading.budget.per == "once":
            yield from _lasts(voice, reading, row, derived)


def _total(voice: Voice, reading: Reading, row: TypeFacts, price: Price, derived: list[float], *, each: int) -> Iterator[str]:
    """What one type costs for the time and the machines asked, by the hour and, for months, by subscription."""
    machines, (hours, months) = (reading.machines or 1) * each, asked_time(reading)
    if not (hours or months) and machines > 1 and "month" in reading.billing:
        yield from _by_subscription(voice, reading, row, price, 1, machines, derived)
    if hours:
        yield _line(voice, "total_hours", row.instance_type, price, hours, machines, derived)
    elif months:
        yield from _by_subscription(voice, reading, row, price, months, machines, derived)
        yield _line(voice, "total_month", row.instance_type, price, months * HOURS_PER_MONTH, machines, derived)
    elif machines > 1:
        yield _line(voice, "total_machines", row.instance_type, price, 1, machines, derived)


def _by_subscription(
    voice: Voice, reading: Reading, row: TypeFacts, price: Price, months: float, machines: int, derived: list[float]
) -> Iterator[str]:
    """Months × machines at the subscription price of the region asked, or of every region on record where none was said."""
    if months != int(months) or (months == 1 and machines == 1) or "payg" in reading.billing:
        return
    listed = [p for p in row.prices if p.billing == "month"]
    shown = [p for p in listed if p.region == price.region] or ([] if reading.region else listed[:2])
    for monthly in {(p.amount, p.currency, p.as_of): p for p in shown}.values():
        alike = [p.region for p in shown if (p.amount, p.currency, p.as_of) == (monthly.amount, monthly.currency, monthly.as_of)]
        total = cost(monthly, amount_of_time=int(months), instances=machines)
        derived += [float(total), float(machines), months]
        yield voice(
            "total_subscription", machines=machines, months=words.plain(months), total=words.money(total).removesuffix(".00"),
            unit=_unit(monthly, voice), instance=row.instance_type, price=words.price(monthly, voice.language),
            region=words.and_list([words.region(place, voice.language) for place in alike], voice.language), date=monthly.as_of,
        )  # fmt: skip


def _priced(reading: Reading, items: Sequence[Described]) -> Iterator[tuple[TypeFacts, Price]]:
    """The type of each name that sums are made for; a type that has its price elsewhere only, with that price."""
    for item in items:
        rows = [(row, row.price) for row in item.types if row.price and reading.gpus in (None, row.gpu_count)]
        if not rows and item.check.kind == "instance":
            rows = [(row, p) for row in item.types for p in row.prices if p.billing == "payg"]
        yield from rows[:1]


def _line(voice: Voice, code: str, name: str, price: Price, hours: float, machines: int, derived: list[float]) -> str:
    total = cost(price, amount_of_time=Decimal(str(hours)), instances=machines)
    months = hours / HOURS_PER_MONTH
    derived += [float(total), float(machines), hours, months]
    return voice(
        code,
        machines=machines,
        hours=words.plain(hours),
        months=words.plain(months),
        total=words.money_round(total) if total >= ROUNDED_FROM else words.money(total),
        unit=_unit(price, voice),
        instance=name,
        price=words.price(price, voice.language),
        region=words.region(price.region, voice.language),
    )


def _unit(price: Price, voice: Voice) -> str:
    return words.CURRENCY[price.currency][0 if voice.language == "zh" else 1]


def _lasts(voice: Voice, reading: Reading, row: TypeFacts, derived: list[float]) -> Iterator[str]:
    budget = reading.budget
    if budget is None or row.price is None or budget.currency != row.price.currency:
        return
    hours = Decimal(str(budget.amount)) / row.price.amount
    derived.append(float(hours))
    yield voice(
        "budget_lasts",
        amount=words.plain(budget.amount),
        unit=words.CURRENCY[budget.currency][0 if voice.language == "zh" else 1],
        instance=row.instance_type,
        hours=words.money_round(hours),
        price=words.price(row.price, voice.language),
    )
