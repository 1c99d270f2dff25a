"""Composes a comparison of cards, families or types, side by side."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.evidence import Evidence
from assistant.read.reading import Reading
from tools.describe import CardFacts, Described, TypeFacts

from . import words
from .draft import Draft, Voice, paragraphs
from .guidance import best_points

Rows = list[tuple[CardFacts, TypeFacts | None]]
Ranked = list[tuple[str, float]]


def compose_comparison(reading: Reading, evidence: Evidence) -> Draft | None:
    """A table over at least two known things, then what the guides say. None when fewer were found."""
    looked = evidence.of_tool("look_up_names")
    items = [d for finding in looked for d in finding.read_all(Described)]
    counts = {card.name: card.count for card in reading.cards if card.count}
    rows = list(_rows(items, counts))
    if len(rows) < 2:
        return None
    voice = Voice("comparison", reading.language)
    unknown = [item for item in items if not item.check.known]
    lines = [voice("head"), *(_row(voice, evidence, card, cheapest) for card, cheapest in rows)]
    missing = "\n".join(
        (item.check.fact_zh if reading.language == "zh" else item.check.fact_en) + evidence.mark(item.check.source_ids)
        for item in unknown
    )
    more = best_points(reading, evidence, most=2)
    derived: list[float] = []
    verdict = _verdict(voice, rows, derived)
    text = paragraphs(missing, verdict, "\n".join(lines), voice("note"), more)
    return Draft(kind="comparison", text=text, derived=derived)


def _verdict(voice: Voice, rows: Rows, derived: list[float]) -> str:
    """Which is cheaper to rent, which holds more, which reads memory faster: what the table says, in words."""
    known: Rows = [(card, row) for card, row in rows if row and row.price]
    rows = known if len(known) > 1 else rows  # a bare "A100" is two cards; the one with a price is the one to rent
    priced = sorted((t for _, t in rows if t and t.price and t.price.currency == "CNY"), key=_amount)
    parts = []
    if len(priced) > 1 and _amount(priced[0]) < _amount(priced[1]):
        parts.append(
            voice("cheaper", instance=priced[0].instance_type, price=_price(priced[0], voice),
                  other=priced[-1].instance_type, other_price=_price(priced[-1], voice))
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
