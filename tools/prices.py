"""Prices as listed: instance only, Linux, each with its date, region and source.

No price is ever scaled from another region, another size or another way of billing, and none is converted: CNY prices of
the China site (regions abroad included) and USD prices of the international site (`site` is `intl`) stand apart. Where no
currency is named, that of the site in use counts (tools/site.py).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from knowledge.errors import InputError
from knowledge.facts import instances, price_rows, regions, spot_rows
from knowledge.kept import kept
from knowledge.rows import PriceRow, SpotRow

from .names import phrases, show_instance
from .phrases import Language, say
from .results import Price
from .site import current_site, site_currency

HOURS_PER_MONTH = 730
"""365 × 24 ÷ 12."""

DEFAULT_REGION = "cn-hangzhou"
NO_PRICE = Literal["never_seen", "other_region", "other_billing"]


@dataclass(frozen=True, slots=True)
class NoPrice:
    """Why there is no pay-as-you-go price, and the regions in which one is on record."""

    instance_type: str
    region: str
    code: NO_PRICE
    other_regions: tuple[str, ...] = ()


def region_id(name: str, *, language: Language = "en") -> str:
    """The region called `name`: an id, a Chinese or English name, or an alias. Raises InputError."""
    plain = unicodedata.normalize("NFKC", name).strip().lower()
    found = _region_names().get(plain)
    if found is None:
        raise InputError(say(phrases(), "unknown_region", language, name=plain[:40]))
    return found


def hourly(
    instance_type: str, *, region: str = DEFAULT_REGION, currency: str | None = None
) -> Price | NoPrice:
    """Pay-as-you-go price per hour in `region`, in `currency` where both sites list one, else the one listed.

    Raises UnknownInstance for a type outside the catalog, InputError for an unknown region.
    """
    name = show_instance(instance_type).instance_type
    place = region_id(region)
    wanted = currency or site_currency()
    rows = [row for row in _rows_by_type().get(name, ()) if row.billing == "payg"]
    here = sorted((r for r in rows if r.region == place), key=lambda r: r.currency != wanted)
    if here:
        return _price(here[0])
    if rows:
        return NoPrice(name, place, "other_region", _in_order(row.region for row in rows))
    priced_here = any(row.region == place for row in _rows_by_type().get(name, ()))
    return NoPrice(name, place, "other_billing" if priced_here else "never_seen")


def monthly(instance_type: str, *, region: str = DEFAULT_REGION, currency: str | None = None) -> Price | None:
    """The subscription price per month listed in `region`; None where none is on record.

    Raises UnknownInstance for a type outside the catalog, InputError for an unknown region.
    """
    name, place = show_instance(instance_type).instance_type, region_id(region)
    wanted = ("month", place, currency or site_currency())
    rows = (row for row in _rows_by_type().get(name, ()) if (row.billing, row.region, row.currency) == wanted)
    return next(map(_price, rows), None)


def is_known_in(instance_type: str, region: str) -> bool:
    """Whether a price or a spot quote of the type is on record for the region: it is, or was, sold there."""
    return bool(all_prices(instance_type, region))


def all_prices(instance_type: str, region: str | None = None) -> list[Price]:
    """Pay-as-you-go, month, year and spot range of each region (or of one), within a kind those of the site in use first,
    the cheapest first.

    Spot is the range over the zones quoted on one day; its note counts the zones.
    """
    name = show_instance(instance_type).instance_type
    place = None if region is None else region_id(region)
    rows = [_price(row) for row in _rows_by_type().get(name, ())]
    spots = [_spot_range(quotes) for quotes in _quotes_by_type().get(name, ())]
    order = {"payg": 0, "month": 1, "year": 2, "spot": 3}
    chosen = [price for price in rows + spots if place in (None, price.region)]
    currency = site_currency()
    return sorted(chosen, key=lambda p: (order[p.billing], p.currency != currency, p.currency, p.amount, p.region))


def monthly_within(most: Decimal, *, currency: str | None = None) -> list[tuple[str, Price]]:
    """Types with a listed subscription of at most `most` a month, each with its cheapest one; most GPU memory first."""
    best: dict[str, Price] = {}
    wanted = ("month", currency or site_currency())
    for row in price_rows():
        if (row.billing, row.currency) == wanted and row.amount <= most:
            price = _price(row)
            if row.instance_type not in best or price.amount < best[row.instance_type].amount:
                best[row.instance_type] = price
    memory = {name: instances()[name].gpu_memory_gb_total or 0.0 for name in best}
    return sorted(best.items(), key=lambda item: (-memory[item[0]], item[1].amount))


def why_no_price(missing: NoPrice, language: Language) -> str:
    """The reason as a sentence, with the regions that have a price."""
    names = ", ".join(missing.other_regions)
    code = f"no_price.{missing.code}"
    where = {"name": missing.instance_type, "region": missing.region, "regions": names}
    return say(phrases(), code, language, **where)


def price_notes(price: Price, language: Language) -> list[str]:
    """What must be said beside a price: its date and scope, whose price it is, how sure it is."""
    notes = [say(phrases(), "price_note.list_price", language, date=price.as_of)]
    if price.site == "cn" and not regions()[price.region].mainland:
        notes.append(say(phrases(), "price_note.abroad", language))
    elif price.site != current_site():
        notes.append(say(phrases(), f"price_note.only_{price.site}", language))
    if is_promotion(price):
        notes.append(say(phrases(), "price_note.promotion", language))
    if _is_one_quote(price):
        notes.append(say(phrases(), "price_note.one_quote", language))
    if price.note.startswith(_ESTIMATE):
        notes.append(say(phrases(), "price_note.estimate", language, hours=HOURS_PER_MONTH))
    return notes


def cost(price: Price, *, amount_of_time: Decimal | int = 1, instances: int = 1) -> Decimal:
    """What `instances` machines cost for that many hours (or months: the unit of `price.per`)."""
    if amount_of_time < 0 or instances < 1:
        raise InputError("time must not be negative and at least one machine is needed")
    return price.amount * Decimal(amount_of_time) * instances


def monthly_estimate(price: Price) -> Price:
    """An hourly price run through a month of 730 hours. It is an estimate and says so: no subscription price."""
    if price.per != "hour":
        raise InputError(
            f"an estimate by the month needs an hourly price, not one per {price.per}"
        )
    high = None if price.amount_high is None else price.amount_high * HOURS_PER_MONTH
    note = f"{_ESTIMATE}: hourly × {HOURS_PER_MONTH}"
    month = {
        "amount": price.amount * HOURS_PER_MONTH,
        "amount_high": high,
        "per": "month",
        "note": note,
    }
    return price.model_copy(update=month)


def break_even_hours(hourly_price: Price, monthly_price: Price) -> Decimal:
    """Hours a month beyond which the subscription is the cheaper one (one decimal; above 730: never).

    Raises InputError when the two are not of one region and currency: such prices cannot be compared.
    """
    if (hourly_price.per, monthly_price.per) != ("hour", "month"):
        raise InputError("break-even needs one hourly and one monthly price")
    if (hourly_price.region, hourly_price.currency) != (
        monthly_price.region,
        monthly_price.currency,
    ):
        raise InputError("prices of different regions or currencies cannot be compared")
    return (monthly_price.amount / hourly_price.amount).quantize(Decimal("0.1"))


_ESTIMATE = "estimate"
_PROMOTION = "Promotion"


def _price(row: PriceRow) -> Price:
    return Price.model_validate(
        {
            "amount": row.amount,
            "currency": row.currency,
            "per": row.per,
            "billing": row.billing,
            "region": row.region,
            "site": row.site,
            "as_of": row.as_of,
            "source_id": row.source_id,
            "note": row.note,
        }
    )


def _spot_range(quotes: tuple[SpotRow, ...]) -> Price:
    amounts = [row.spot_per_hour for row in quotes]
    first = quotes[0]
    return Price(
        amount=min(amounts),
        amount_high=max(amounts),
        currency=first.currency,
        per="hour",
        billing="spot",
        region=first.region,
        site="cn" if first.currency == "CNY" else "intl",
        as_of=first.as_of,
        source_id=first.source_id,
        note=f"zones: {len({row.zone for row in quotes})}",
    )


def is_promotion(price: Price) -> bool:
    """Whether the row says that the amount was a promotion: real, but nothing to plan with."""
    return price.note.startswith(_PROMOTION)


def _is_one_quote(price: Price) -> bool:
    return (price.source_id, price.amount) in _quotes()


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    known = list(regions())
    return tuple(sorted(set(names), key=known.index))


@kept
def _quotes() -> frozenset[tuple[str, Decimal]]:
    """Rows that rest on one user's word, by source and amount."""
    rows = (r for r in price_rows() if r.confidence == "low" or r.source_id.startswith("user-"))
    return frozenset((row.source_id, row.amount) for row in rows)


@kept
def _rows_by_type() -> dict[str, tuple[PriceRow, ...]]:
    grouped: dict[str, tuple[PriceRow, ...]] = {}
    for row in price_rows():
        grouped[row.instance_type] = (*grouped.get(row.instance_type, ()), row)
    return grouped


@kept
def _quotes_by_type() -> dict[str, list[tuple[SpotRow, ...]]]:
    """Spot quotes of each type, grouped by region, currency and day."""
    grouped: dict[tuple[str, str, str, str], list[SpotRow]] = {}
    for row in spot_rows():
        key = (row.instance_type, row.region, row.currency, row.as_of)
        grouped.setdefault(key, []).append(row)
    by_type: dict[str, list[tuple[SpotRow, ...]]] = {}
    for key, quotes in grouped.items():
        by_type.setdefault(key[0], []).append(tuple(quotes))
    return by_type


@kept
def _region_names() -> dict[str, str]:
    names: dict[str, str] = {}
    for row in regions().values():
        for name in (row.region, row.name_zh, row.name_en, *row.aliases):
            names.setdefault(unicodedata.normalize("NFKC", name).lower(), row.region)
    return names
