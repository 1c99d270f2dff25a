"""Composes what the catalog says: a name that is in it, a name that is not, a list of types that meet conditions."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.answer import Caution
from assistant.evidence import Evidence
from assistant.filters import asks_cheapest
from assistant.found import FoundInstances
from assistant.read.reading import Reading
from knowledge.facts import CATALOG_READ_ON, catalog_day, untold_types
from tools.describe import CardFacts, Described, TypeFacts
from tools.usable import UNSEEN_SHARE

from . import words
from .draft import Draft, Voice, paragraphs
from .guidance import best_points
from .places import unknown_region

MAX_ROWS = 12


def compose_catalog(reading: Reading, evidence: Evidence) -> Draft | None:
    """The answer from catalog look-ups. None when nothing was looked up."""
    looked = evidence.of_tool("look_up_names")
    if looked:
        return _names(reading, evidence, [d for finding in looked for d in finding.read_all(Described)])
    found = evidence.of_tool("find_instances")
    return _listing(reading, evidence, found[0].read(FoundInstances)) if found else None


def _names(reading: Reading, evidence: Evidence, items: Sequence[Described]) -> Draft:
    voice = Voice("catalog", reading.language)
    # A name that is not in the catalog is the news; it comes before what is.
    ordered = sorted(items, key=lambda item: item.check.known)
    parts = [_one(voice, evidence, item) for item in ordered]
    text = "\n\n".join(dict.fromkeys(part for part in parts if part))
    more = best_points(reading, evidence, most=1, skip=text) if all(i.check.known for i in items) else ""
    cautions = [
        Caution(code="not_in_catalog", text=_fact(item, voice), source_ids=item.check.source_ids)
        for item in ordered if not item.check.known
    ]  # fmt: skip
    return Draft(kind="catalog", text=paragraphs(unknown_region(reading, evidence), text, more), cautions=cautions, derived=[100 * UNSEEN_SHARE])


def _one(voice: Voice, evidence: Evidence, item: Described) -> str:
    if not item.check.known:
        return unknown_name(voice, evidence, item)
    parts = [f"**{_fact(item, voice)}**{evidence.mark(item.check.source_ids)}"]
    if item.family and item.family.best_for:
        parts.append(voice("best_for", best_for=item.family.best_for))
    parts += [_card(voice, evidence, card) for card in item.cards]
    if item.check.kind == "instance":
        parts.append(_price_line(voice, evidence, item.types[0]))
    elif item.types:
        parts.append(type_table(voice, evidence, item.types))
    return paragraphs(*parts)


def unknown_name(voice: Voice, evidence: Evidence, item: Described) -> str:
    """That a name is not in the catalog of its date, why it is met, and the nearest real names."""
    near = words.and_list([f"`{name}`" for name in item.check.nearest], voice.language)
    fact = _fact(item, voice)
    known_rumour = CATALOG_READ_ON not in fact  # else the fact itself says that the catalog lacks it
    if item.check.name in untold_types():
        known_rumour = False
    return voice(
        ("unknown" if near else "unknown_plain") if known_rumour else ("unlisted" if near else "unlisted_plain"),
        name=item.name,
        date=CATALOG_READ_ON,
        fact=fact,
        nearest=near,
        mark=evidence.mark(item.check.source_ids),
    )


def _fact(item: Described, voice: Voice) -> str:
    return item.check.fact_zh if voice.language == "zh" else item.check.fact_en


def _card(voice: Voice, evidence: Evidence, card: CardFacts) -> str:
    return voice(
        "card",
        label=card.label,
        architecture=card.architecture,
        memory=words.plain(card.memory_gb),
        usable=words.gib(card.usable_gib),
        estimated=voice("estimated", share=f"{UNSEEN_SHARE:.0%}") if card.usable_is_estimated else "",
        bandwidth=words.plain(card.memory_bandwidth_gb_s) if card.memory_bandwidth_gb_s else "?",
        bf16=words.yes_no(card.bf16, voice.language),
        fp8=words.yes_no(card.fp8, voice.language),
        nvlink=words.yes_no(None if card.nvlink_gb_s is None else card.nvlink_gb_s > 0, voice.language),
        mark=evidence.mark(card.source_ids[:2]),
    )


def _price_line(voice: Voice, evidence: Evidence, row: TypeFacts) -> str:
    if row.price is None:
        return row.no_price or ""
    return voice(
        "price",
        region=words.region(row.price.region, voice.language),
        price=words.price(row.price, voice.language),
        date=row.price.as_of,
        mark=evidence.mark([row.price.source_id]),
    )


def type_table(voice: Voice, evidence: Evidence, rows: Sequence[TypeFacts]) -> str:
    """Types as a table, at most a dozen, with their hourly price and its source."""
    lines = [voice("table_head")]
    for row in rows[:MAX_ROWS]:
        price = f"{words.price(row.price, voice.language)}{evidence.mark([row.price.source_id])}" if row.price else "—"
        lines.append(
            voice(
                "table_row",
                instance=row.instance_type,
                cards=row.cards,
                vcpu=row.vcpu,
                memory="?" if row.memory_gib is None else words.plain(row.memory_gib),
                price=price,
                status=voice(f"status_{row.status}"),
            )
        )
    dates = sorted({f"{row.price.region} {row.price.as_of}" for row in rows[:MAX_ROWS] if row.price})
    note = voice("table_note", dates=words.and_list(dates, voice.language)) if dates else ""
    more = voice("table_more") if len(rows) > MAX_ROWS else ""
    return paragraphs("\n".join(lines), more, note)


def _cheapest(voice: Voice, reading: Reading, evidence: Evidence, found: FoundInstances) -> str:
    """The cheapest type on record in the region asked, or that none is priced there."""
    asked = str(evidence.of_tool("find_instances")[0].args.get("region") or "")
    region, first = words.region(asked, voice.language), found.types[0]
    if first.price is None:
        return voice("cheapest_none", region=region)
    price = {"price": words.price(first.price, voice.language), "date": first.price.as_of, "mark": evidence.mark([first.price.source_id])}
    return voice("cheapest", region=region, instance=first.instance_type, cards=first.cards, **price)


def _listing(reading: Reading, evidence: Evidence, found: FoundInstances) -> Draft:
    voice = Voice("catalog", reading.language)
    more = best_points(reading, evidence, most=1)
    if not found.types:
        nearest = type_table(voice, evidence, found.nearest) if found.nearest else ""
        return Draft(kind="catalog", text=paragraphs(f"**{found.none}**", nearest, more))
    families = words.and_list(list(dict.fromkeys(row.family for row in found.types)), voice.language)
    sources = list(dict.fromkeys(s for row in found.types for s in row.source_ids))[:2]
    head = voice("found", count=len(found.types), families=families, date=catalog_day(row.instance_type for row in found.types), mark=evidence.mark(sources))
    best = _cheapest(voice, reading, evidence, found) if asks_cheapest(reading) else ""
    return Draft(
        kind="price" if best else "catalog",
        text=paragraphs(best or head, type_table(voice, evidence, found.types), more),
        derived=[float(len(found.types))],
    )
