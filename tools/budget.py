"""What machines cost by the month, and whether they keep a budget. Money of two currencies is never compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from .demand import Wish
from .offers import hourly_price
from .prices import NoPrice, monthly, monthly_estimate, monthly_within
from .results import Price


@dataclass(frozen=True, slots=True)
class MonthCost:
    """Of all machines. `estimated`: no subscription is listed in the region, so 730 hours of the hourly price stand in."""

    amount: Decimal
    price: Price  # of one machine
    estimated: bool


def month_cost(instance_type: str, wish: Wish, *, machines: int = 1) -> MonthCost | None:
    """The subscription listed in the wish's region, else the estimate; None where the region has no price in its currency."""
    listed = monthly(instance_type, region=wish.region, currency=wish.currency)
    if listed is not None:
        return MonthCost(listed.amount * machines, listed, estimated=False)
    price = hourly_price(instance_type, wish.region, wish.currency)
    if isinstance(price, NoPrice) or price.currency != wish.currency:
        return None
    month = monthly_estimate(price)
    return MonthCost(month.amount * machines, month, estimated=True)


def month_elsewhere(instance_types: Iterable[str], wish: Wish) -> tuple[str, Price] | None:
    """Of these types the cheapest subscription, listed in another region, that keeps a budget by the month."""
    if wish.max_monthly is None:
        return None
    listed = dict(monthly_within(wish.max_monthly, currency=wish.currency))
    found = {name: listed[name] for name in instance_types if name in listed and listed[name].region != wish.region}
    return min(found.items(), key=lambda item: item[1].amount, default=None)


def cost_to_rank(instance_type: str, wish: Wish, *, machines: int = 1) -> Decimal | None:
    """What all machines cost by the hour, or by the month where the budget is one by the month."""
    if wish.max_monthly is not None:
        month = month_cost(instance_type, wish, machines=machines)
        return month.amount if month else None
    price = hourly_price(instance_type, wish.region, wish.currency)
    if isinstance(price, NoPrice) or price.currency != wish.currency:
        return None
    return price.amount * machines


def keeps_budget(wish: Wish, instance_type: str, *, machines: int = 1) -> bool | None:
    """Whether all machines keep what the wish may cost; None without a budget, or without a price to hold against it."""
    verdicts: list[bool | None] = []
    if wish.max_hourly is not None:
        hourly = cost_to_rank(instance_type, wish.without_month, machines=machines)
        verdicts.append(None if hourly is None else hourly <= wish.max_hourly)
    if wish.max_monthly is not None:
        month = month_cost(instance_type, wish, machines=machines)
        verdicts.append(None if month is None else month.amount <= wish.max_monthly)
    if False in verdicts:
        return False
    return None if not verdicts or None in verdicts else True
