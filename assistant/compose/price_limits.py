"""What limits a price question: what may be spent on a named machine, and the site whose currency is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from assistant.evidence import Evidence
from assistant.plan_places import budget_of
from assistant.read.reading import Reading
from tools.budget import month_cost
from tools.demand import Wish
from tools.describe import Described, TypeFacts
from tools.prices import HOURS_PER_MONTH
from tools.site import CURRENCIES, current_site, site_currency

from . import words
from .draft import Draft, Voice

MOST = 4


def affordable(reading: Reading, items: Sequence[Described], derived: list[float]) -> str:
    """Which of the types keep the budget, or the cheapest and by how much it is over; empty without a budget per time."""
    limits, voice = budget_of(reading.budget), Voice("price", reading.language)
    costs = sorted(((cost, row) for item in items for row in item.types if (cost := _cost(row, limits)) is not None), key=lambda pair: pair[0])
    if not limits or not costs:
        return ""
    most, per = Decimal(str(next(iter(limits.values())))), "month" if "max_monthly" in limits else "hour"
    derived += [float(most), HOURS_PER_MONTH, *(float(cost) for cost, _ in costs[: MOST + 1])]
    shown = words.money_round if per == "month" else words.money
    within = [(cost, row) for cost, row in costs if cost <= most]
    said = {"amount": words.plain(float(most)), "unit": words.CURRENCY[site_currency()][0 if reading.language == "zh" else 1]}
    if not within:
        cost, row = costs[0]
        derived.append(float(cost - most))
        return voice(f"afford_none_{per}", name=row.instance_type, cost=shown(cost), over=shown(cost - most), **said)
    named = [f"`{row.instance_type}` {shown(cost)} {said['unit']}" for cost, row in within[-MOST:]]
    return voice(f"afford_{per}", names=words.and_list(named, reading.language), **said)


def _cost(row: TypeFacts, limits: dict[str, float]) -> Decimal | None:
    """By the month as a subscription, else 730 hours; by the hour as listed; in the region that the row is priced in."""
    if row.price is None or row.price.currency != site_currency():
        return None
    if "max_monthly" not in limits:
        return row.price.amount
    month = month_cost(row.instance_type, Wish(region=row.price.region))
    return month.amount if month else None


def other_site(reading: Reading, evidence: Evidence, items: Sequence[Described]) -> Iterator[str]:
    """Prices in the currency of the site that is asked for by name, or that there are none; nothing is converted."""
    if reading.site in (None, current_site()):
        return
    voice, currency = Voice("price", reading.language), CURRENCIES[reading.site or "cn"]
    rows = [(row, price) for item in items for row in item.types for price in row.prices if price.currency == currency]
    lines = [
        voice(
            f"line_{price.billing}", region=words.region(price.region, voice.language), price=words.price(price, voice.language),
            date=price.as_of, mark=evidence.mark([price.source_id]),
        ) + f" `{row.instance_type}`"
        for row, price in rows
    ]  # fmt: skip
    if lines:
        yield "\n".join([voice(f"site_{reading.site}"), *lines])
    else:
        yield voice(f"site_{reading.site}_none")


def unusable_budget(reading: Reading) -> Draft:
    """A sum without a time, or in the other site's currency: what is missing."""
    budget, voice = reading.budget, Voice("price", reading.language)
    code = "budget_once" if budget is None or budget.per == "once" else "budget_currency"
    column = 0 if reading.language == "zh" else 1
    return Draft(kind="clarify", text=voice(code, other=words.CURRENCY[site_currency()][column]), constant=True)
