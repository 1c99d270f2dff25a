"""What a refresh is asked to fetch, and the steps that it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

What = Literal["types", "stock", "prices", "month", "year", "spot", "plans"]
"""Kinds of facts: specifications, what is sold where, list prices by the hour, by the month and by the year, spot quotes
with the advice on them, and the rates of savings plans."""

WHATS: tuple[What, ...] = get_args(What)
USUAL: tuple[What, ...] = ("types", "stock", "prices")

OTHERS = "others"
"""Name of the step that lists all types with a GPU, whatever their family."""

Kind = Literal["types", "stock", "bulk", "price", "advice", "spot", "plans"]
Charge = Literal["payg", "subscription", "spot"]
Unit = Literal["hour", "month", "year"]


@dataclass(frozen=True, slots=True)
class RefreshRequest:
    """Regions and families by their ids (`cn-hangzhou`, `gn7i`).

    bulk     list prices by the hour come from the price list of the billing interface, a few calls a region, in place of
             one call for each type
    others   families with a GPU that are not named are looked for as well
    """

    regions: tuple[str, ...]
    families: tuple[str, ...]
    what: tuple[What, ...] = USUAL
    bulk: bool = False
    others: bool = False
    site: Literal["cn", "intl"] = "cn"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to ask for. `name` is a type (price, spot), OTHERS (types) or empty; `way` a charge (stock) or a unit
    (price)."""

    kind: Kind
    region: str
    name: str = ""
    way: str = ""
    calls: int = 1  # about how many calls it takes

    @property
    def key(self) -> str:
        """Under which the journal keeps it."""
        return "/".join((self.kind, self.region, self.name, self.way))
