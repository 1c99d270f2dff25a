"""Where a type or family is sold, as far as is known: what a refresh found on offer, else where a price or a spot quote of a
day is on record. The catalog's pages hold no list of regions, so that nothing here says "not sold".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from knowledge import facts
from knowledge.kept import kept
from knowledge.snapshot_rows import Offered

from .names import show_family, show_instance
from .nearest import plain_name
from .phrases import Language, read_phrases, say
from .prices import all_prices
from .results import Price, Result
from .site import site_currency

Evidence = Literal["offered", "sold_out", "priced", "quoted_spot"]
BEST_FIRST: tuple[Evidence, ...] = ("offered", "priced", "quoted_spot", "sold_out")
FRESH_FIRST: tuple[Evidence, ...] = ("offered", "sold_out", "priced", "quoted_spot")
"""What tells of a region: what was asked of the cloud before what an older record says."""
STOCK = ("with_stock", "", "closed_with_stock", "without_stock", "closed_without_stock")
"""Best first (https://help.aliyun.com/en/ecs/developer-reference/api-ecs-2014-05-26-describeavailableresource); empty: offered, and nothing said of stock."""
MOST_SHOWN = 6


class SoldIn(Result):
    """One region. `types` counts the types of a family that the evidence is of; `price` is the cheapest by the hour there,
    that of `instance_type`; `as_of` and `source_id` are those of the evidence, the price carries its own."""

    region: str
    region_name: str
    evidence: Evidence
    instance_type: str
    types: int = 1
    zones: list[str] = []
    stock: str = ""
    price: Price | None = None
    as_of: str
    source_id: str


class WhereSold(Result):
    """Regions in which a type or family is, or was, to be had; those on offer first, then the cheapest."""

    name: str
    kind: Literal["instance", "family"]
    rows: list[SoldIn]
    note: str
    source_ids: list[str] = []


def where_sold(name: str, *, language: Language = "en") -> WhereSold:
    """Where the type or family called `name` is sold. Raises UnknownInstance for a name that is neither."""
    kind: Literal["instance", "family"]
    if plain_name(name) in facts.families():
        kind, shown = "family", plain_name(name)
        types = [row.instance_type for row in show_family(name, language=language).types]
    else:
        kind, shown = "instance", show_instance(name, language=language).instance_type
        types = [shown]
    rows = sorted(_merged([row for each in types for row in _rows_of(each, language)]), key=_order)
    note = _note(shown, rows, types, language)
    return WhereSold(name=shown, kind=kind, rows=rows, note=note, source_ids=_sources(rows))


def sold_in_words(sold: WhereSold, language: Language) -> list[str]:
    """One sentence a region, the best known first; those beyond `MOST_SHOWN` are counted in the note."""
    return [_sentence(row, sold.kind, language) for row in sold.rows[:MOST_SHOWN]]


def _rows_of(instance_type: str, language: Language) -> Iterable[SoldIn]:
    """One row a region of a type."""
    offers = _offers_by_type().get(instance_type, {})
    prices: dict[str, list[Price]] = {}
    for price in all_prices(instance_type):
        prices.setdefault(price.region, []).append(price)
    for region in dict.fromkeys((*offers, *prices)):
        listed = [price for price in prices.get(region, []) if price.billing != "spot"]
        hourly = next((price for price in listed if price.billing == "payg"), None)
        where = {
            "region": region, "region_name": region_name(region, language), "instance_type": instance_type, "price": hourly,
        }  # fmt: skip
        if region in offers:
            yield SoldIn.model_validate(where | _offer(offers[region]))
            continue
        first = (listed or prices[region])[0]
        evidence = "priced" if listed else "quoted_spot"
        yield SoldIn.model_validate(where | {"evidence": evidence, "as_of": first.as_of, "source_id": first.source_id})


def _offer(rows: list[Offered]) -> dict[str, object]:
    """What the zones of a region offer of a type, taken together."""
    open_rows = [row for row in rows if row.status == "available"]
    stocks = [row.stock if row.stock in STOCK else "" for row in open_rows or rows]
    day = max(row.as_of for row in rows)
    return {
        "evidence": "offered" if open_rows else "sold_out",
        "zones": sorted({row.zone for row in open_rows if row.zone}),
        "stock": min(stocks, key=STOCK.index),
        "as_of": day,
        "source_id": f"ecs-api-{day}",
    }


def _merged(rows: Iterable[SoldIn]) -> Iterable[SoldIn]:
    """One row a region of a family: its best evidence, the zones of all that share it, its cheapest price."""
    by_region: dict[str, list[SoldIn]] = {}
    for row in rows:
        by_region.setdefault(row.region, []).append(row)
    for found in by_region.values():
        best = min(found, key=lambda row: (FRESH_FIRST.index(row.evidence), _order(row)))
        alike = [row for row in found if row.evidence == best.evidence]
        zones = sorted({zone for row in alike for zone in row.zones})
        stock = min((row.stock for row in alike), key=STOCK.index)
        yield best.model_copy(update={"types": len(alike), "zones": zones, "stock": stock})


def _order(row: SoldIn) -> tuple[int, bool, bool, float, str]:
    price = row.price
    known = price is not None
    other_currency = price is not None and price.currency != site_currency()
    return BEST_FIRST.index(row.evidence), not known, other_currency, float(price.amount) if price else 0.0, row.region


def region_name(region: str, language: Language) -> str:
    """As people call it."""
    row = facts.regions()[region]
    return row.name_zh if language == "zh" else row.name_en


def _sentence(row: SoldIn, kind: str, language: Language) -> str:
    said = {"region": row.region_name, "id": row.region, "date": row.as_of, "types": row.types, "zones": ", ".join(row.zones)}
    text = _say(f"{row.evidence}_{kind}", language, **said)
    if row.stock and row.evidence == "offered":
        text += _say(f"stock.{row.stock}", language)
    if row.price is not None:
        figure = {"amount": f"{row.price.amount.normalize():f}", "currency": _say(f"unit.{row.price.currency}", language)}
        text += _say("price", language, **figure, date=row.price.as_of, type=row.instance_type)
    return text


def _note(name: str, rows: list[SoldIn], types: list[str], language: Language) -> str:
    """What the list rests on, and what it does not say."""
    asked = facts.active_manifest()
    if not rows:
        return _say("nowhere_asked" if asked else "nowhere", language, name=name, regions=", ".join(asked.regions) if asked else "")
    fresh = [row for row in rows if row.evidence in ("offered", "sold_out")]
    code = "note_offered" if fresh else "note_prices"
    day = max(row.as_of for row in fresh or rows)
    regions = ", ".join(asked.regions) if asked else ""
    more = _say("more", language, count=len(rows) - MOST_SHOWN) if len(rows) > MOST_SHOWN else ""
    gone = _say("gone", language, date=facts.active_day()) if facts.gone_types() & set(types) else ""
    return _say(code, language, date=day, regions=regions) + more + gone


def _sources(rows: list[SoldIn]) -> list[str]:
    prices = [row.price.source_id for row in rows if row.price]
    return list(dict.fromkeys([*(row.source_id for row in rows), *prices]))


def _say(code: str, language: Language, **arguments: object) -> str:
    return say(read_phrases("tools", "phrases/sold.toml"), code, language, **arguments)


@kept
def _offers_by_type() -> dict[str, dict[str, list[Offered]]]:
    """What zones offer of each type, by region, of its newest day; for any way of paying."""
    grouped: dict[str, dict[str, list[Offered]]] = {}
    for row in facts.offered():
        if row.region in facts.regions():
            grouped.setdefault(row.instance_type, {}).setdefault(row.region, []).append(row)
    for regions in grouped.values():
        for region, rows in regions.items():
            day = max(row.as_of for row in rows)
            regions[region] = [row for row in rows if row.as_of == day]
    return grouped
