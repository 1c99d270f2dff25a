"""What spot saved on its day: the quotes of a region's zones against the hourly price of the same region and currency.

A range with its date, never a flat percentage: spot moves with supply, and where a zone has none to spare it costs the full
price.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from tools.names import show_instance
from tools.phrases import Language
from tools.prices import all_prices
from tools.results import Price, Result

from .ways import newest


class SpotSaving(Result):
    """One region: spot's range over its zones on `spot_as_of`, the hourly price, and what that saves in percent of it.

    `least_pct` is that of the dearest zone, 0 where spot is no cheaper there.
    """

    region: str
    currency: str
    spot_low: Decimal
    spot_high: Decimal
    spot_as_of: str
    hourly: Decimal
    hourly_as_of: str
    least_pct: float
    most_pct: float
    source_ids: list[str]


def spot_savings(instance_type: str, *, currency: str = "CNY", language: Language = "en") -> list[SpotSaving]:
    """Regions with both a spot quote and an hourly price of a type, the largest saving first.

    Raises UnknownInstance for a type outside the catalog.
    """
    name = show_instance(instance_type, language=language).instance_type
    return sorted(_savings(newest(all_prices(name)), currency.upper()), key=lambda row: (-row.most_pct, row.region))


def _savings(prices: Iterable[Price], currency: str) -> Iterator[SpotSaving]:
    mine = [price for price in prices if price.currency == currency]
    hours = {price.region: price for price in mine if price.billing == "payg" and price.amount > 0}
    for spot in mine:
        if spot.billing != "spot" or spot.region not in hours:
            continue
        hour, high = hours[spot.region], spot.amount_high or spot.amount
        yield SpotSaving(
            region=spot.region, currency=currency, spot_low=spot.amount, spot_high=high, spot_as_of=spot.as_of, hourly=hour.amount,
            hourly_as_of=hour.as_of, least_pct=_saved(high, hour.amount), most_pct=_saved(spot.amount, hour.amount),
            source_ids=[spot.source_id, hour.source_id],
        )  # fmt: skip


def _saved(part: Decimal, whole: Decimal) -> float:
    """Percent of the whole that is saved, whole percent."""
    return float(max(Decimal(0), (1 - part / whole) * 100).quantize(Decimal(1)))
