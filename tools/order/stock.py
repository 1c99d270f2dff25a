"""What the last refresh saw of a type in a region: zones that have it, zones that are sold out, other regions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.facts import active_snapshot, offered
from tools.phrases import Language

from .request import OrderRequest, said

CHARGES = {"payg": "payg", "month": "subscription", "spot": "spot"}


@dataclass(frozen=True, slots=True)
class Stock:
    """Without any zone the region does not sell the type in that way of billing."""

    zones: tuple[str, ...]
    sold_out: tuple[str, ...]
    elsewhere: tuple[str, ...]  # other regions that offer it
    as_of: str
    source_id: str

    @property
    def sold_here(self) -> bool:
        return bool(self.zones or self.sold_out)


def stock_of(request: OrderRequest) -> Stock | None:
    """None where no refresh asked for the family in that region and way of billing."""
    snapshot = active_snapshot()
    if snapshot is None or request.row.family not in snapshot.manifest.families:
        return None
    rows = [row for row in offered() if row.charge == CHARGES[request.billing]]
    if not any(row.region == request.region for row in rows):
        return None
    mine = [row for row in rows if row.instance_type == request.row.instance_type]
    here = [row for row in mine if row.region == request.region]
    return Stock(
        zones=tuple(sorted({row.zone for row in here if row.status == "available"})),
        sold_out=tuple(sorted({row.zone for row in here if row.status != "available"})),
        elsewhere=tuple(sorted({row.region for row in mine if row.status == "available"} - {request.region})),
        as_of=max((row.as_of for row in here), default=snapshot.manifest.as_of),
        source_id=snapshot.manifest.source_id,
    )


def not_sold(request: OrderRequest, stock: Stock, language: Language) -> str:
    """That the region does not sell the type, and which regions do."""
    where = {"type": request.row.instance_type, "region": request.region, "date": stock.as_of}
    billing = said(f"billing.{request.billing}", language)
    sentence = said("how.not_sold", language, billing=billing, **where)
    if not stock.elsewhere:
        return sentence
    return sentence + said("how.sold_in", language, regions=", ".join(stock.elsewhere))


def stock_cautions(request: OrderRequest, stock: Stock, language: Language) -> Iterator[str]:
    """Which zones have it, and which are sold out, on the day of the refresh."""
    where = {"type": request.row.instance_type, "region": request.region, "date": stock.as_of}
    if stock.zones:
        yield said("caution.zones", language, zones=", ".join(stock.zones), **where)
    if stock.sold_out:
        yield said("caution.sold_out", language, zones=", ".join(stock.sold_out), **where)
    if request.zone and request.zone not in stock.zones + stock.sold_out:
        yield said("caution.other_zone", language, zone=request.zone, **where)
