"""Composes prices: what a type, family or card costs, where, on which date, and by which way of billing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from assistant.evidence import Evidence
from assistant.found import FoundInstances
from assistant.read.reading import Reading
from tools.describe import Described, TypeFacts
from tools.prices import price_notes
from tools.results import Price

from . import words
from .catalog import compose_catalog, type_table
from .cost import totals
from .draft import Draft, Voice, paragraphs
from .guidance import best_points, compose_guidance

MAX_LINES = 8
BILLING_TOPICS = frozenset({"billing", "spot", "serverless"})


def compose_price(reading: Reading, evidence: Evidence) -> Draft | None:
    """The answer to a price question. None when nothing was priced and no passage speaks of billing."""
    priced = evidence.of_tool("get_prices")
    if priced:
        items = [d for finding in priced for d in finding.read_all(Described)]
        return _named(reading, evidence, items)
    found = evidence.of_tool("find_instances")
    if found and reading.budget is None and found[0].read(FoundInstances).types:
        return compose_catalog(reading, evidence)
    if found and reading.budget:
        return _within_budget(reading, evidence, found[0].read(FoundInstances))
    draft = compose_guidance(reading, evidence) if not evidence.of_tool("size_llm") else None
    return draft.model_copy(update={"kind": "price"}) if draft else None


def _named(reading: Reading, evidence: Evidence, items: Sequence[Described]) -> Draft:
    voice = Voice("price", reading.language)
    parts = [_one(voice, reading, evidence, item) for item in items]
    derived: list[float] = []
    parts += list(totals(voice, reading, items, derived))
    text = "\n\n".join(dict.fromkeys(part for part in parts if part))
    wants_rules = BILLING_TOPICS & set(reading.topics) or set(reading.billing) - {"payg"}
    more = best_points(reading, evidence, most=1, skip=text) if wants_rules else ""
    closing = voice("check") if all(item.check.kind == "instance" for item in items) else ""  # tables say it themselves
    return Draft(kind="price", text=paragraphs(text, more, closing), derived=derived)


def _one(voice: Voice, reading: Reading, evidence: Evidence, item: Described) -> str:
    if not item.check.known:
        near = words.and_list([f"`{name}`" for name in item.check.nearest], voice.language)
        fact = item.check.fact_zh if voice.language == "zh" else item.check.fact_en
        return voice("unknown" if near else "unknown_plain", fact=fact, nearest=near, mark=evidence.mark(item.check.source_ids))
    if item.check.kind == "instance":
        return paragraphs(*_instance(voice, reading, evidence, item.types[0]))
    if not item.types:
        return item.check.fact_zh if voice.language == "zh" else item.check.fact_en
    name = item.name if item.check.kind == "family" else item.cards[0].label
    other_ways = _other_ways(voice, reading, evidence, item, name)
    head = voice("table_of", name=name)
    first = next((row for row in item.types if row.prices), None)
    regions = ""
    if len(reading.regions) > 1 and first:
        lines = list(_by_region(voice, reading, evidence, first))
        regions = "\n".join([f"{voice('by_region')} `{first.instance_type}`", *lines])
    return paragraphs(regions, *other_ways, head, type_table(Voice("catalog", voice.language), evidence, item.types))


def _other_ways(voice: Voice, reading: Reading, evidence: Evidence, item: Described, name: str) -> Iterator[str]:
    """Subscription and spot prices of a family's or card's types, where the question asks for them."""
    for billing in ("month", "spot"):
        if billing not in _asked(reading):
            continue
        found = [(row, p) for row in item.types for p in row.prices if p.billing == billing]
        here = [(row, p) for row, p in found if p.region == reading.region] if reading.region else found
        lines = [f"{price_line(voice, evidence, p)} `{row.instance_type}`" for row, p in (here or found)[:MAX_LINES]]
        yield "\n".join([voice(f"head_{billing}", name=name), *lines]) if lines else voice(f"none_{billing}", name=name)


def _instance(voice: Voice, reading: Reading, evidence: Evidence, row: TypeFacts) -> Iterator[str]:
    if row.price:
        yield voice(
            "instance",
            name=row.instance_type,
            cards=row.cards,
            region=words.region(row.price.region, voice.language),
            price=words.price(row.price, voice.language),
            date=row.price.as_of,
            mark=evidence.mark([row.price.source_id]),
        )
    else:
        yield voice("no_price", name=row.instance_type, reason=row.no_price, mark=evidence.mark(row.source_ids))
    if len(reading.regions) > 1:
        yield "\n".join([voice("by_region"), *_by_region(voice, reading, evidence, row)])
    home = row.price.region if row.price else (reading.region or "")
    lines = [price_line(voice, evidence, price) for price in _telling(row.prices, home, asked=_asked(reading))]
    if lines:
        yield "\n".join([voice("also"), *lines])
    for billing in ("month", "year", "spot"):
        if billing in _asked(reading) and not any(price.billing == billing for price in row.prices):
            yield voice(f"none_{billing}", name=f"`{row.instance_type}`")


def _by_region(voice: Voice, reading: Reading, evidence: Evidence, row: TypeFacts) -> Iterator[str]:
    """The hourly price in each region that was named, or that none is known there."""
    for place in reading.regions:
        found = next((p for p in row.prices if p.billing == "payg" and p.region == place), None)
        name = words.region(place, voice.language)
        yield price_line(voice, evidence, found) if found else voice("none_region", region=name)


def _asked(reading: Reading) -> set[str]:
    """Ways of billing asked for by name, or by asking for a month's or a year's price."""
    months = reading.months or 0
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
