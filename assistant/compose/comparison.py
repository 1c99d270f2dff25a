"""Composes a comparison of cards, families or types, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from assistant.evidence import Evidence
from assistant.filters import asks_by_month, asks_cheaper
from assistant.read.reading import Reading
from knowledge import facts
from tools.describe import CardFacts, Described, TypeFacts
from tools.prices import HOURS_PER_MONTH, monthly_estimate
from tools.results import Price

from . import words
from .draft import Draft, Voice, paragraphs
from .guidance import best_points
from .price import price_line

Rows = list[tuple[CardFacts, TypeFacts | None]]
Ranked = list[tuple[str, float]]
Offers = dict[tuple[str, str], tuple[TypeFacts, Price]]
"""The cheapest type of one name and its price, by way of billing and region."""
MAX_REGIONS = 2


def compose_comparison(reading: Reading, evidence: Evidence) -> Draft | None:
    """A table over at least two known things, then what the guides say. None when fewer were found."""
    looked = evidence.of_tool("look_up_names")
    items = [d for finding in looked for d in finding.read_all(Described)]
    counts = {card.name: card.count for card in reading.cards if card.count}
    rows = list(_rows(items, counts))
    derived: list[float] = []
    cost = _cost(reading, evidence, counts, derived) if asks_cheaper(reading) else ""
    if len(rows) < 2 and not cost:
        return None
    voice = Voice("comparison", reading.language)
    unknown = [item for item in items if not item.check.known]
    lines = [voice("head"), *(_row(voice, evidence, card, cheapest) for card, cheapest in rows)] if len(rows) > 1 else []
    missing = "\n".join(
        (item.check.fact_zh if reading.language == "zh" else item.check.fact_en) + evidence.mark(item.check.source_ids)
        for item in unknown
    )
    more = best_points(reading, evidence, most=2)
    verdict = _verdict(voice, rows, derived, priced=not cost) if len(rows) > 1 else ""
    text = paragraphs(missing, cost, verdict, "\n".join(lines), voice("note"), more)
    return Draft(kind="comparison", text=text, derived=derived)


def _cost(reading: Reading, evidence: Evidence, counts: dict[str, int], derived: list[float]) -> str:
    """Which of the named things is cheaper, by the month or by the hour as asked, where all of them have a price; by
    the other way, and said so, where the way asked has no region in common. Empty when fewer than two are priced."""
    found = evidence.of_tool("get_prices")
    things = _things(reading, [item for f in found for item in f.read_all(Described) if item.check.known], counts)
    named = [offers for offers in things.values() if offers]
    voice = Voice("comparison", reading.language)
    if len(named) < 2:
        unpriced = words.and_list([f"`{name}`" for name, offers in things.items() if not offers], voice.language)
        lines = [_offer_line(reading, evidence, *offer) for o in named for offer in list(o.values())[:2]]
        return paragraphs(voice("unpriced", names=unpriced), "\n".join(lines)) if len(things) > 1 and named else ""
    asked = reading.regions or [str(found[0].args.get("region") or "")]
    wanted = "spot" if "spot" in reading.billing else "month" if asks_by_month(reading) else "payg"
    for way in (wanted, *(other for other in ("payg", "month") if other != wanted)):
        common = [region for offer_way, region in named[0] if offer_way == way and all((way, region) in o for o in named)]
        there = [region for region in asked if region in common] or _latest(common, way, named)
        if there:
            away = not set(there) & set(asked) and (bool(reading.regions) or way == "payg")
            places = words.and_list([words.region(region, voice.language) for region in asked], voice.language)
            notes = [voice(f"other_way_{wanted}", region=places)] if way != wanted else []
            notes += [voice("other_region", region=places)] if away and way == wanted else []
            verdicts = [_cheaper(voice, [o[way, region] for o in named], wanted, derived) for region in there]
            lines = [_offer_line(reading, evidence, *o[way, region]) for region in there for o in named]
            return paragraphs(" ".join(notes), "\n".join(verdicts), "\n".join(lines))
    lines = [_offer_line(reading, evidence, *offer) for o in named for offer in list(o.values())[:2]]
    return paragraphs(voice("nothing_common"), "\n".join(lines))


def _things(reading: Reading, items: list[Described], counts: dict[str, int]) -> dict[str, Offers]:
    """Offers of each thing that was named; a bare "A100" is one thing, whichever of its cards it means."""
    owner = {gpu_id: card.text for card in reading.cards for gpu_id in (card.name, *card.alternatives)}
    things: dict[str, Offers] = {}
    for item in items:
        known = things.setdefault(owner.get(item.name, item.name), {})
        for key, offer in _offers(item, counts).items():
            known[key] = min(known.get(key, offer), offer, key=lambda o: o[1].amount)
    return things


def _offers(item: Described, counts: dict[str, int]) -> Offers:
    """The cheapest type of a name by way of billing and region; of a card at the count asked for, where there is one."""
    cheapest: Offers = {}
    for row in item.types:
        wanted = counts.get(row.gpu_id) if item.check.kind == "card" else None
        if row.status == "phased_out" and item.check.kind != "instance" or wanted not in (None, row.gpu_count):
            continue
        for price in row.prices:
            known = cheapest.get((price.billing, price.region))
            if price.currency == "CNY" and (known is None or price.amount < known[1].amount):
                cheapest[price.billing, price.region] = row, price
    return cheapest


def _latest(common: list[str], way: str, named: list[Offers]) -> list[str]:
    """Regions to compare in where none was named: the newest prices first, those of the mainland before others."""
    regions = facts.regions()
    newest = {region: min(offers[way, region][1].as_of for offers in named) for region in common}
    order = sorted(common, key=lambda region: (regions[region].mainland, newest[region]), reverse=True)
    return order[:MAX_REGIONS] if way == "month" else order[:1]


def _cheaper(voice: Voice, offers: list[tuple[TypeFacts, Price]], wanted: str, derived: list[float]) -> str:
    """The verdict for one region; an hourly price that stands for a month is run through 730 hours and called so."""
    whole = wanted == "month" and offers[0][1].billing == "payg"
    shown = [(row, monthly_estimate(price) if whole else price) for row, price in offers]
    (best, low), (other, high) = min(shown, key=lambda o: o[1].amount), max(shown, key=lambda o: o[1].amount)
    if low.billing == "spot" and (low.amount_high or low.amount) >= high.amount:
        return voice("spot_overlap", region=words.region(low.region, voice.language))
    gap = low.model_copy(update={"amount": high.amount - low.amount, "amount_high": None})
    derived += [float(gap.amount), float(low.amount), float(high.amount), float(HOURS_PER_MONTH)]
    code = "cost_same" if low.amount == high.amount else "cost_estimate" if whole else f"cost_{low.billing}"
    return voice(
        code, region=words.region(low.region, voice.language), instance=best.instance_type, other=other.instance_type,
        price=_sum(low, voice, whole), other_price=_sum(high, voice, whole), gap=_sum(gap, voice, whole), hours=HOURS_PER_MONTH,
    )  # fmt: skip


def _sum(price: Price, voice: Voice, whole: bool) -> str:
    rounded = price.model_copy(update={"amount": price.amount.quantize(Decimal(1))}) if whole else price
    return words.price(rounded, voice.language).replace(".00 ", " ")


def _offer_line(reading: Reading, evidence: Evidence, row: TypeFacts, price: Price) -> str:
    return f"{price_line(Voice('price', reading.language), evidence, price)} `{row.instance_type}` ({row.cards})"


def _verdict(voice: Voice, rows: Rows, derived: list[float], *, priced: bool) -> str:
    """Which is cheaper to rent, which holds more, which reads memory faster: what the table says, in words."""
    known: Rows = [(card, row) for card, row in rows if row and row.price]
    rows = known if len(known) > 1 else rows  # a bare "A100" is two cards; the one with a price is the one to rent
    by_price = sorted((t for _, t in rows if t and t.price and t.price.currency == "CNY"), key=_amount)
    parts = []
    if priced and len(by_price) > 1 and _amount(by_price[0]) < _amount(by_price[1]):
        parts.append(
            voice("cheaper", instance=by_price[0].instance_type, price=_price(by_price[0], voice),
                  other=by_price[-1].instance_type, other_price=_price(by_price[-1], voice))
        )  # fmt: skip
    for code, figures in (("more_memory", _memory(rows)), ("faster", _bandwidth(rows))):
        (best, most), (_, least) = figures[0], figures[-1]
        if most > least:
            derived += [most, least]
            parts.append(voice(code, card=best, most=words.plain(most), least=words.plain(least)))
    return f"**{''.join(parts) if voice.language == 'zh' else ' '.join(parts)}**" if parts else ""


def _amount(row: TypeFacts) -> float:
    return float(row.price.amount) if row.price else 0.0


def _price(row: TypeFacts, voice: Voice) -> str:
    return words.price(row.price, voice.language) if row.price else "—"


def _memory(rows: Rows) -> Ranked:
    """Memory by card, times the count where a machine of that count stands for it; most first."""
    return sorted(((c.label, c.memory_gb * _count(t)) for c, t in rows), key=lambda item: -item[1])


def _bandwidth(rows: Rows) -> Ranked:
    return sorted(((c.label, (c.memory_bandwidth_gb_s or 0) * _count(t)) for c, t in rows), key=lambda item: -item[1])


def _count(row: TypeFacts | None) -> int:
    return row.gpu_count if row else 1


def _rows(items: list[Described], counts: dict[str, int]) -> Iterator[tuple[CardFacts, TypeFacts | None]]:
    """Each card once, with the cheapest priced type that carries it."""
    seen: set[str] = set()
    for item in items:
        for card in item.cards:
            if card.gpu_id not in seen:
                seen.add(card.gpu_id)
                wanted = counts.get(card.gpu_id)
                fitting = (t for t in item.types if t.gpu_id == card.gpu_id and t.price)
                yield card, next((t for t in fitting if wanted in (None, t.gpu_count)), None)


def _row(voice: Voice, evidence: Evidence, card: CardFacts, cheapest: TypeFacts | None) -> str:
    language = voice.language
    price = "—"
    if cheapest and cheapest.price:
        price = f"{cheapest.cards}: `{cheapest.instance_type}` {words.price(cheapest.price, language)}{evidence.mark([cheapest.price.source_id])}"
    return voice(
        "row",
        label=card.label,
        memory=words.plain(card.memory_gb),
        usable=words.gib(card.usable_gib),
        bandwidth=words.plain(card.memory_bandwidth_gb_s) if card.memory_bandwidth_gb_s else "?",
        fp16=words.plain(card.fp16_tflops) if card.fp16_tflops else "?",
        bf16=words.yes_no(card.bf16, language),
        fp8=words.yes_no(card.fp8, language),
        nvlink=words.yes_no(None if card.nvlink_gb_s is None else card.nvlink_gb_s > 0, language),
        families=words.and_list(card.families[:3], language) or "—",
        price=price,
        mark=evidence.mark(card.source_ids[:2]),
    )
