"""Composes a comparison of cards, families or types, side by side."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.evidence import Evidence
from assistant.read.reading import Reading
from tools.describe import CardFacts, Described, TypeFacts

from . import words
from .draft import Draft, Voice, paragraphs
from .guidance import best_points


def compose_comparison(reading: Reading, evidence: Evidence) -> Draft | None:
    """A table over at least two known things, then what the guides say. None when fewer were found."""
    looked = evidence.of_tool("look_up_names")
    items = [d for finding in looked for d in finding.read_all(Described)]
    rows = list(_rows(items))
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
    return Draft(kind="comparison", text=paragraphs(missing, "\n".join(lines), voice("note"), more))


def _rows(items: list[Described]) -> Iterator[tuple[CardFacts, TypeFacts | None]]:
    """Each card once, with the cheapest priced type that carries it."""
    seen: set[str] = set()
    for item in items:
        for card in item.cards:
            if card.gpu_id not in seen:
                seen.add(card.gpu_id)
                yield card, next((t for t in item.types if t.gpu_id == card.gpu_id and t.price), None)


def _row(voice: Voice, evidence: Evidence, card: CardFacts, cheapest: TypeFacts | None) -> str:
    language = voice.language
    price = "—"
    if cheapest and cheapest.price:
        price = f"`{cheapest.instance_type}` {words.price(cheapest.price, language)}{evidence.mark([cheapest.price.source_id])}"
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
