"""Composes prices: what a type, family or card costs, where, on which date, and by which way of billing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from assistant.evidence import Evidence
from assistant.filters import asks_by_month, asks_where
from assistant.found import FoundInstances
from assistant.plan_more import sized_picks
from assistant.read.reading import Reading
from tools.describe import Described, TypeFacts
from tools.prices import price_notes
from tools.results import Price
from tools.site import site_currency

from . import words
from .catalog import compose_catalog, type_table
from .cost import totals
from .draft import Draft, Voice, paragraphs
from .guidance import best_points, compose_guidance
from .places import unknown_region
from .price_limits import affordable, other_site, unusable_budget

MAX_LINES = 8
BILLING_TOPICS = frozenset({"billing", "spot", "serverless"})


def compose_price(reading: Reading, evidence: Evidence) -> Draft | None:
    """The answer to a price question. None when nothing was priced and no passage speaks of billing."""
    priced = evidence.of_tool("get_prices")
    if priced:
        items = [d for finding in priced for d in finding.read_all(Described)]
        return _named(reading, evidence, items)
    found = evidence.of_tool("find_instances")
    if "within" in reading.asks and reading.budget and (reading.budget.per == "once" or reading.budget.currency != site_currency()):
        return unusable_budget(reading)
    if found and reading.budget is None and found[0].read(FoundInstances).types:
        draft = compose_catalog(reading, evidence)
        return draft and draft.model_copy(update={"text": paragraphs(unknown_region(reading, evidence), draft.text)})
    if found and reading.budget:
        return _within_budget(reading, evidence, found[0].read(FoundInstances))
    summed = any(finding.tool.startswith("size_") and not finding.error for finding in evidence.findings)
    draft = compose_guidance(reading, evidence) if not summed else None
    return draft.model_copy(update={"kind": "price"}) if draft else None


def _named(reading: Reading, evidence: Evidence, items: Sequence[Described]) -> Draft:
    voice = Voice("price", reading.language)
    reading = _with_places(reading, items)
    parts = [_one(voice, reading, evidence, item) for item in items]
    derived: list[float] = []
    limits = [*other_site(reading, evidence, items), affordable(reading, items, derived)]
    chosen, each = _chosen(voice, evidence, items)
    sums = list(totals(voice, reading, items, derived, each=each)) if "spot" not in reading.billing else []
    alone = not _by_name(reading) and (len(items) == 1 and items[0].check.kind == "instance" or bool(reading.hours))
    parts = [*sums, *parts] if alone else [*parts, *sums]
    text = "\n\n".join(dict.fromkeys(part for part in [unknown_region(reading, evidence), *limits, chosen, *parts] if part))
    wants_rules = BILLING_TOPICS & set(reading.topics) or set(reading.billing) - {"payg"}
    more = best_points(reading, evidence, most=1, skip=text) if wants_rules else ""
    closing = voice("check") if all(item.check.kind == "instance" for item in items) else ""  # tables say it themselves
    return Draft(kind="price", text=paragraphs(text, more, closing), derived=derived + _differences(reading, items))


def _with_places(reading: Reading, items: Sequence[Described]) -> Reading:
    """Where the region is what is asked for: as if the cheapest ones of the first type had been named."""
    row = next((row for item in items for row in item.types if row.prices), None)
    if not asks_where(reading) or row is None:
        return reading
    places = [p.region for p in row.prices if p.billing == _way(reading) and p.currency == "CNY"]
    return reading.model_copy(update={"regions": list(dict.fromkeys(places))[:MAX_LINES]})


def _chosen(voice: Voice, evidence: Evidence, items: Sequence[Described]) -> tuple[str, int]:
    """That the machine priced is the one chosen for the model before, and how many of it that takes."""
    picks = sized_picks(evidence)
    pick = picks[0] if picks else None
    if pick is None or [row.instance_type for item in items for row in item.types] != [pick.instance_type]:
        return "", 1
    return voice("pick" if pick.instances == 1 else "picks", name=pick.instance_type, machines=pick.instances), pick.instances


def _one(voice: Voice, reading: Reading, evidence: Evidence, item: Described) -> str:
    if not item.check.known:
        near = words.and_list([f"`{name}`" for name in item.check.nearest], voice.language)
        fact = item.check.fact_zh if voice.language == "zh" else item.check.fact_en
        return voice("unknown" if near else "unknown_plain", fact=fact, nearest=near, mark=evidence.mark(item.check.source_ids))
    if item.check.kind == "instance":
        return paragraphs(*_instance(voice, reading, evidence, item))
    if not item.types:
        return item.check.fact_zh if voice.language == "zh" else item.check.fact_en
    name = item.name if item.check.kind == "family" else item.cards[0].label
    other_ways = _other_ways(voice, reading, evidence, item, name)
    head = voice("table_of", name=name)
    known = sorted((row for row in item.types if row.prices), key=lambda row: -len(_in_regions(reading, row)))
    regions = _by_region(voice, reading, evidence, known[0]) if len(reading.regions) > 1 and known else ""
    return paragraphs(regions, *other_ways, head, type_table(Voice("catalog", voice.language), evidence, item.types))


def _other_ways(voice: Voice, reading: Reading, evidence: Evidence, item: Described, name: str) -> Iterator[str]:
    """Subscription and spot prices of the types of a name, where the question asks for them: of the region asked
    or, where it has none, that it has none and those of the others."""
    single, count = item.check.kind == "instance", reading.gpus
    rows = [row for row in item.types if single or count in (None, row.gpu_count)]
    name = name if single or count is None else f"{count} × {name}"
    for billing in ("month", "year", "spot"):
        if billing not in (_asked(reading) if not single else _by_name(reading)):
            continue
        found = [(row, p) for row in rows for p in row.prices if p.billing == billing]
        here = [(row, p) for row, p in found if p.region in reading.regions]
        shown = (here or found)[:MAX_LINES]
        if not shown:
            yield voice(f"nowhere_{billing}", name=name)
            continue
        lines = [price_line(voice, evidence, p) + ("" if single else f" `{row.instance_type}`") for row, p in shown]
        places = words.and_list([words.region(place, voice.language) for place in reading.regions], voice.language)
        elsewhere = reading.regions and not here
        head = voice(f"elsewhere_{billing}", name=name, region=places) if elsewhere else voice(f"head_{billing}", name=name)
        yield "\n".join([head, *lines])


def _by_name(reading: Reading) -> set[str]:
    """Ways of billing other than by the hour that were asked for by name."""
    return {"month", "year", "spot"} & set(reading.billing)


def _instance(voice: Voice, reading: Reading, evidence: Evidence, item: Described) -> Iterator[str]:
    row, led = item.types[0], _by_name(reading)
    yield from _other_ways(voice, reading, evidence, item, f"`{row.instance_type}`")
    if len(reading.regions) > 1:
        yield _by_region(voice, reading, evidence, row)
    elif row.price and not led:
        yield voice(
            "instance",
            name=row.instance_type,
            cards=row.cards,
            region=words.region(row.price.region, voice.language),
            price=words.price(row.price, voice.language),
            date=row.price.as_of,
            mark=evidence.mark([row.price.source_id]),
        )
    elif not row.price:
        yield voice("no_price", name=row.instance_type, reason=row.no_price, mark=evidence.mark(row.source_ids))
    home = row.price.region if row.price else (reading.region or "")
    listed = [row.price] if row.price and led and len(reading.regions) < 2 else []
    others = [p for p in _telling(row.prices, home, asked=_asked(reading)) if p.billing not in led and p.region not in reading.regions[1:]]
    lines = [price_line(voice, evidence, price) for price in [*listed, *others]]
    if lines:
        yield "\n".join([voice("also"), *lines])
    for billing in ("month", "year", "spot"):
        if billing in _asked(reading) - led and not any(price.billing == billing for price in row.prices):
            yield voice(f"nowhere_{billing}", name=f"`{row.instance_type}`")


def _by_region(voice: Voice, reading: Reading, evidence: Evidence, row: TypeFacts) -> str:
    """The price in each region that was named, or that none is known there; first, which is cheaper and by how much."""
    way = _way(reading)
    found = _in_regions(reading, row)
    lines = [
        price_line(voice, evidence, found[place]) if place in found else voice("none_region", region=words.region(place, voice.language))
        for place in reading.regions
    ]  # fmt: skip
    head = f"{voice(f'by_region_{way}')} `{row.instance_type}`"
    return paragraphs(_cheaper_region(voice, list(found.values())), "\n".join([head, *lines]))


def _way(reading: Reading) -> str:
    asked = _by_name(reading)
    return next((way for way in ("spot", "month") if way in asked), "payg")


def _in_regions(reading: Reading, row: TypeFacts) -> dict[str, Price]:
    ways = [(p.region, p) for p in reversed(row.prices) if p.billing == _way(reading)]
    return {region: price for region, price in ways if region in reading.regions}


def _cheaper_region(voice: Voice, found: Sequence[Price]) -> str:
    ranked = sorted(found, key=lambda p: p.amount)
    if len(ranked) < 2 or len({p.currency for p in ranked}) > 1 or any(p.billing == "spot" for p in ranked):
        return ""
    low, high = ranked[0], ranked[-1]
    names = {"low": words.region(low.region, voice.language), "high": words.region(high.region, voice.language)}
    prices = {"price": words.price(low, voice.language), "other": words.price(high, voice.language)}
    if low.amount == high.amount:
        return voice("region_same", **names, price=prices["price"])
    difference = low.model_copy(update={"amount": high.amount - low.amount, "amount_high": None})
    return voice("region_cheaper", **names, **prices, saving=words.price(difference, voice.language))


def _differences(reading: Reading, items: Sequence[Described]) -> list[float]:
    """The figures by which one named region is cheaper than another."""
    found = [[p.amount for p in _in_regions(reading, row).values()] for item in items for row in item.types]
    return [float(max(amounts) - min(amounts)) for amounts in found if len(reading.regions) > 1 and amounts]


def _asked(reading: Reading) -> set[str]:
    """Ways of billing asked for by name, or by asking for a month's or a year's price."""
    months = reading.months or (1 if reading.budget is None and asks_by_month(reading) else 0)
    if reading.billing and "months" in reading.carried:
        months = 0  # "and on spot?" after the price of a month
    return {*reading.billing, *(["month"] if 0 < months < 12 else []), *(["year"] if months >= 12 else [])}


def _telling(prices: Sequence[Price], home: str, *, asked: Collection[str]) -> Iterator[Price]:
    """Month and spot of the home region; the cheapest other region by the hour; every region where asked for spot."""
    months = [p for p in prices if p.billing in ("month", "year")]
    yield from ([p for p in months if p.region == home] or (months if "month" in asked else []))[:3]
    yield from [p for p in prices if p.billing == "spot" and (p.region == home or "spot" in asked)][:4]
    yield from [p for p in prices if p.billing == "payg" and p.region != home and p.currency == "CNY"][:2]


def price_line(voice: Voice, evidence: Evidence, price: Price) -> str:
    """One price as a list item: billing, region, date, source, and what must be said beside it."""
    return voice(
        f"line_{price.billing}",
        region=words.region(price.region, voice.language),
        price=words.price(price, voice.language),
        date=price.as_of,
        mark=evidence.mark([price.source_id]),
    ) + _doubts(price, voice)


def _doubts(price: Price, voice: Voice) -> str:
    """What must be said beside a price besides its date: whose it is, that it is one quote."""
    notes = [note.rstrip("。.") for note in price_notes(price, voice.language)[1:]]
    return voice("doubts", notes=("；" if voice.language == "zh" else "; ").join(notes)) if notes else ""


def _within_budget(reading: Reading, evidence: Evidence, found: FoundInstances) -> Draft:
    voice, catalog = Voice("price", reading.language), Voice("catalog", reading.language)
    budget = reading.budget
    assert budget is not None  # the caller looked
    if not found.types and budget.per == "month":
        return Draft(kind="price", text=voice("budget_month_none", amount=words.plain(budget.amount)))
    if not found.types:
        nearest = type_table(catalog, evidence, found.nearest) if found.nearest else ""
        return Draft(kind="price", text=paragraphs(f"**{found.none}**", nearest))
    if budget.per == "month":
        lines = [f"{price_line(voice, evidence, row.prices[0])} `{row.instance_type}` ({row.cards})" for row in found.types]
        head = voice("budget_month", amount=words.plain(budget.amount))
        return Draft(kind="price", text=paragraphs(head, "\n".join(lines[:MAX_LINES]), voice("check")))
    best = sorted(found.types, key=lambda row: -(row.gpu_memory_gb_total or 0))
    head = voice("budget", amount=words.plain(budget.amount), instance=best[0].instance_type, cards=best[0].cards)
    return Draft(kind="price", text=paragraphs(head, type_table(catalog, evidence, found.types), voice("check")))
