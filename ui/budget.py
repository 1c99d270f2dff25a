"""What machines may cost, as it is typed: `--budget 15/h`, `5000/month`, `每月5000元`, `$2/h`."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from .options import LEAST, default_region, shortened

if TYPE_CHECKING:
    from tools.demand import Wish

Currency = Literal["CNY", "USD"] | None
MOST = 10**9
MAX_CHARACTERS = 80
_SCALES = {"k": 1000, "千": 1000, "万": 10_000}
_TOKENS = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,.])|\d+(?:\.\d+)?(?![\d,.]))\s*(?P<scale>(?:k|千|万)(?![a-z]))?"
    r"|(?P<USD>us\$|\$|(?:usd|dollars?)(?![a-z])|美元|美金)|(?P<CNY>(?:cny|rmb|yuan)(?![a-z])|人民币|块钱|块|元|¥)"
    r"|(?P<hour>(?:hourly|hours?|hrs?|h)(?![a-z])|小时)|(?P<month>(?:monthly|months?|mo|m)(?![a-z])|个月|月)"
    r"|(?P<filler>/|每|个|一|以内|以下|不超过|最多|预算|的|(?:per|an?|each|every|at most|up to|within|under|budget|of)(?![a-z])|[\s:=])"
)


@dataclass(frozen=True)
class Budget:
    """An amount per hour or month of all machines, in one currency."""

    amount: Decimal
    per: Literal["hour", "month"]
    currency: Literal["CNY", "USD"] | None  # None: that of the site in use


def read_budget(text: str) -> Budget:
    """The budget of a text: one amount, one unit of time, at most one currency, and no more."""
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    found: dict[str, str] = {}
    at = 0
    while at < len(plain) <= MAX_CHARACTERS and (token := _TOKENS.match(plain, at)):
        at = token.end()
        named = {kind: value for kind, value in token.groupdict().items() if value and kind != "filler"}
        if named.keys() & found.keys():
            raise _refused(text)
        found |= named
    per, currency = found.keys() & {"hour", "month"}, found.keys() & {"USD", "CNY"}
    if at < len(plain) or "number" not in found or len(per) != 1 or len(currency) > 1:
        raise _refused(text)
    amount = Decimal(found["number"].replace(",", "")) * _SCALES.get(found.get("scale", ""), 1)
    if not LEAST <= amount < MOST:
        raise _refused(text)
    return Budget(amount, "hour" if "hour" in per else "month", cast(Currency, next(iter(currency), None)))


def _refused(text: str) -> typer.BadParameter:
    return typer.BadParameter(f"{shortened(text)!r} is not a budget such as 15/h, 5000/month, ¥15/小时 or $2/h (at least {LEAST})")


BudgetOption = Annotated[
    Budget | None,
    typer.Option("--budget", parser=read_budget, metavar="15/h|5000/month", help="At most this for all machines, e.g. 15/h, 5000元/月, $2/h."),
]


def wish_for(region: str | None, budget: Budget | None, **more: Any) -> Wish:
    """The wish for machines of a region that keep the budget."""
    from tools.demand import Wish
    from tools.site import site_currency

    place = default_region(region)
    if budget is None:
        return Wish(region=place, **more)
    hourly, monthly = (budget.amount, None) if budget.per == "hour" else (None, budget.amount)
    return Wish(region=place, max_hourly=hourly, max_monthly=monthly, currency=budget.currency or site_currency(), **more)
