"""What a named machine costs for the time and the number asked, and how long a sum of money lasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from assistant.read.reading import Reading
from tools.describe import Described, TypeFacts
from tools.prices import HOURS_PER_MONTH, cost

from . import words
from .draft import Voice


def totals(voice: Voice, reading: Reading, items: Sequence[Described], derived: list[float]) -> Iterator[str]:
    """Hourly price × hours × machines, for each named type (or the one of the count asked for) with a price."""
    for row in _priced(reading, items):
        machines = reading.machines or 1
        if reading.hours:
            yield _line(voice, "total_hours", row, reading.hours, machines, derived)
        elif reading.months:
            yield _line(voice, "total_month", row, reading.months * HOURS_PER_MONTH, machines, derived)
        elif reading.budget and reading.budget.per == "once":
            yield from _lasts(voice, reading, row, derived)


def _priced(reading: Reading, items: Sequence[Described]) -> Iterator[TypeFacts]:
    for item in items:
        rows = [row for row in item.types if row.price and reading.gpus in (None, row.gpu_count)]
        yield from rows[:1]


def _line(voice: Voice, code: str, row: TypeFacts, hours: float, machines: int, derived: list[float]) -> str:
    assert row.price is not None  # the caller chose priced rows
    total = cost(row.price, amount_of_time=Decimal(str(hours)), instances=machines)
    months = hours / HOURS_PER_MONTH
    derived += [float(total), float(machines), hours, months]
    return voice(
        code,
        machines=machines,
        hours=words.plain(hours),
        months=words.plain(months),
        total=words.money_round(total),
        unit=words.CURRENCY[row.price.currency][0 if voice.language == "zh" else 1],
        instance=row.instance_type,
        price=words.price(row.price, voice.language),
    )


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
