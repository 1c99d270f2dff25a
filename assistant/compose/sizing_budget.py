"""What a budget says of the picks: that it leaves nothing and by how much, what a month of the pick costs, or that its currency is
another."""

from __future__ import annotations

from decimal import Decimal

from assistant.read.reading import Reading
from tools.budget import MonthCost, month_cost
from tools.demand import Wish
from tools.prices import HOURS_PER_MONTH
from tools.results import Recommendation
from tools.site import site_currency

from . import words
from .machine_view import MachineView


def over_budget(view: MachineView) -> str:
    """That the budget leaves nothing, the cheapest machine that fits, and by how much it is over."""
    dear = view.sizing.over_budget
    if dear is None or dear.price is None:
        return ""
    shared = {"instance": dear.instance_type, "cards": view.cards(dear), "price": view.price(dear), "unit": view.unit}
    if view.max_monthly is not None:
        return _over_month(view, dear, shared)
    if view.max_hourly is None:
        return ""
    over = float(dear.price.amount * dear.instances) - view.max_hourly
    budget = words.plain(round(view.derive(view.max_hourly), 2))
    return view.voice("over_budget", budget=budget, over=words.plain(round(view.derive(over), 2)), **shared)


def _over_month(view: MachineView, dear: Recommendation, shared: dict[str, str]) -> str:
    """The same for a budget by the month."""
    assert view.max_monthly is not None  # the caller looked
    month = month_cost(dear.instance_type, Wish(region=view.asked_region), machines=dear.instances)
    if month is None:
        return ""
    over = view.derive(float(month.amount) - view.max_monthly)
    return view.voice(
        "over_budget_month", monthly=words.plain(view.derive(view.max_monthly)), month=_month(view, month), over=words.money_round(Decimal(str(over))), **shared
    )


def _month(view: MachineView, month: MonthCost) -> str:
    """What a month costs, and on what that rests."""
    view.derive(float(month.amount))
    if month.estimated:
        view.derive(HOURS_PER_MONTH)
    amount = f"{words.money_round(month.amount)} {view.unit}"
    return view.voice("month_estimated" if month.estimated else "month_listed", amount=amount, date=month.price.as_of)


def within_month(view: MachineView) -> str:
    """What the pick costs a month, where the budget is one by the month; empty otherwise."""
    if view.max_monthly is None or not view.picks:
        return ""
    pick = view.picks[0]
    month = month_cost(pick.instance_type, Wish(region=view.asked_region), machines=pick.instances)
    if month is None or float(month.amount) > view.max_monthly:
        return ""
    return view.voice("within_month", monthly=words.plain(view.derive(view.max_monthly)), month=_month(view, month), unit=view.unit)


def other_money(view: MachineView, reading: Reading) -> str:
    """That the budget is in another currency than the prices, so that it chose nothing; empty otherwise."""
    budget = reading.budget
    if budget is None or budget.per == "once" or budget.currency == site_currency():
        return ""
    column = 0 if view.language == "zh" else 1
    return view.voice("budget_other_money", unit=words.CURRENCY[budget.currency][column], other=view.unit)
