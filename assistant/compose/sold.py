"""Composes where a machine is sold, as far as is known: the regions asked for first, the others after them."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.evidence import Evidence
from assistant.read.reading import Reading
from assistant.sold_tool import SoldOf
from knowledge import facts
from tools.catalog import card_label, resolve_card
from tools.sold import SoldIn, WhereSold, sold_in_words

from . import words
from .draft import Draft, Voice, paragraphs
from .places import unknown_region

MOST_PICKED = 4
"""Regions that the sentence under a sizing names."""


def compose_sold(reading: Reading, evidence: Evidence) -> Draft | None:
    """The answer from `where_sold`. None when nothing was looked up."""
    findings = [finding for finding in evidence.findings if finding.tool == "where_sold"]
    if not findings:
        return None
    voice, derived = Voice("orders", reading.language), list[float]()
    parts: list[str] = [unknown_region(reading, evidence)]
    for finding in findings:
        parts += [finding.error] if finding.error else _one(voice, evidence, finding.read(SoldOf), derived)
    return Draft(kind="catalog", text=paragraphs(*dict.fromkeys(parts)), derived=derived)


def _one(voice: Voice, evidence: Evidence, sold: SoldOf, derived: list[float]) -> list[str]:
    if not sold.regions:
        known = [found for found in sold.found if found.rows]
        unknown = words.and_list([f"`{found.name}`" for found in sold.found if not found.rows], voice.language)
        parts = [part for found in known for part in _everywhere(voice, evidence, found)]
        return [*parts, voice("sold_unknown", names=unknown)] if unknown else parts
    parts = [_in_region(voice, evidence, sold, region) for region in sold.regions]
    others = list(dict.fromkeys(row.region for found in sold.found for row in found.rows if row.region not in sold.regions))
    also = words.and_list([words.region(region, voice.language) for region in others], voice.language)
    notes = [sold.found[0].note.split("另有")[0]] if any(found.rows for found in sold.found) else [found.note for found in sold.found[:1]]
    return [*parts, voice("sold_also", regions=also) if also else "", *notes]


def _everywhere(voice: Voice, evidence: Evidence, found: WhereSold) -> Iterator[str]:
    lines = [
        voice("sold_line", said=said, mark=evidence.mark([row.source_id]))
        for row, said in zip(found.rows, sold_in_words(found, voice.language), strict=False)
    ]
    if lines:
        yield "\n".join([voice("sold_head", name=f"`{found.name}`"), *lines])
    yield found.note


def _in_region(voice: Voice, evidence: Evidence, sold: SoldOf, region: str) -> str:
    """What is on record for one region of everything that was named."""
    place = words.region(region, voice.language)
    here = [(found, row) for found in sold.found for row in found.rows if row.region == region]
    if not here:
        return voice("sold_not_known", region=place, name=_shown(sold, voice))
    lines = [_line(voice, evidence, found, row) for found, row in here]
    return "\n".join([voice("sold_here", region=place), *lines])


def _line(voice: Voice, evidence: Evidence, found: WhereSold, row: SoldIn) -> str:
    only = found.model_copy(update={"rows": [row]})
    said = f"`{found.name}`" + ("，" if voice.language == "zh" else ", ") + sold_in_words(only, voice.language)[0]
    return voice("sold_line", said=said, mark=evidence.mark([row.source_id]))


def _shown(sold: SoldOf, voice: Voice) -> str:
    """What was named: a type or family in code, a card as the catalog words it."""
    gpus = resolve_card(sold.name)
    return f"`{sold.name}`" if not gpus else card_label(gpus[0], voice.language) if len(gpus) == 1 else sold.name.upper()


def picked_where(reading: Reading, evidence: Evidence, *, home: str, derived: list[float]) -> str:
    """One short sentence under a sizing: where its pick is sold, the region asked for first. Empty where it was not looked up."""
    found = [finding.read(SoldOf) for finding in evidence.of_tool("where_sold")]
    if not found or not found[0].found:
        return ""
    voice, sold = Voice("orders", reading.language), found[0].found[0]
    best = [row for row in sold.rows if row.evidence == "offered"] or [row for row in sold.rows if row.evidence != "sold_out"]
    if not best:
        return voice("sold_pick_none")
    best = sorted(best, key=lambda row: (row.region != home, _is_mainland(row.region) != _is_mainland(home)))
    named = words.and_list([words.region(row.region, voice.language) for row in best[:MOST_PICKED]], voice.language)
    rest = len(best) - MOST_PICKED
    derived += [float(len(best)), float(rest)]
    more = voice("sold_more", count=len(best) if voice.language == "zh" else rest) if rest > 0 else ""
    code = "sold_pick_offered" if best[0].evidence == "offered" else "sold_pick"
    return voice(code, regions=named, more=more, date=max(row.as_of for row in best))


def _is_mainland(region: str) -> bool:
    row = facts.regions().get(region)
    return row is not None and row.mainland
