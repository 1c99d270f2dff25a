"""One type, region by region: the prices on record, each of its own region and day."""

from __future__ import annotations

from typing import Literal

from knowledge import facts

from .names import show_instance
from .phrases import Language, read_phrases, say
from .prices import all_prices
from .results import Price, Result
from .site import current_site, site_currency
from .sold import region_name

Billing = Literal["payg", "month", "year", "spot"]


class RegionPrice(Result):
    """`dearer_pct` is against the cheapest of the same currency; None in another currency, and for spot ranges."""

    region: str
    region_name: str
    price: Price
    dearer_pct: float | None = None


class RegionComparison(Result):
    """Prices of the site in use first, the cheapest first; then those of the other site. `without`: regions with none."""

    instance_type: str
    billing: Billing
    rows: list[RegionPrice]
    without: list[str]
    note: str
    source_ids: list[str] = []


def compare_regions(instance_type: str, *, billing: Billing = "payg", language: Language = "en") -> RegionComparison:
    """The listed prices of a type in every region that has one; nothing is scaled from one region to another.

    Raises UnknownInstance for a type outside the catalog.
    """
    name = show_instance(instance_type, language=language).instance_type
    found = [price for price in all_prices(name) if price.billing == billing]
    own = {price.region for price in found if price.currency == site_currency()}
    prices = [price for price in found if price.currency == site_currency() or price.region not in own]
    first = prices[0] if prices and prices[0].currency == site_currency() and billing != "spot" else None
    rows = [
        RegionPrice(region=price.region, region_name=region_name(price.region, language), price=price, dearer_pct=_dearer(price, first))
        for price in prices
    ]
    with_price = {row.region for row in rows}
    return RegionComparison(
        instance_type=name,
        billing=billing,
        rows=rows,
        without=[region for region in facts.regions() if region not in with_price],
        note=_note(name, billing, rows, language),
        source_ids=list(dict.fromkeys(row.price.source_id for row in rows)),
    )


def _dearer(price: Price, first: Price | None) -> float | None:
    if first is None or price.currency != first.currency:
        return None
    return round(float(price.amount / first.amount - 1) * 100, 1)


def _note(name: str, billing: Billing, rows: list[RegionPrice], language: Language) -> str:
    table = read_phrases("tools", "phrases/sold.toml")
    if not rows:
        return say(table, "compare_none", language, name=name, billing=say(table, f"billing.{billing}", language))
    others = [row for row in rows if row.price.currency != site_currency()]
    note = say(table, "compare_note", language)
    if not others:
        return note
    site = say(table, f"site.{'intl' if current_site() == 'cn' else 'cn'}", language)
    return note + say(table, "compare_other_site", language, count=len(others), site=site)
