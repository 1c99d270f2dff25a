"""Words for which card a family carries and where a card is, with their sources."""

from __future__ import annotations

from knowledge import facts
from tools.cards import card_label

from .finding import Voice, join_sources, sizes
from .names import cards, family, gpu_ids_of, is_cpu, memory_of, not_family

CATALOG = ("ali-gpu-families-zh", "ali-ebm-zh", "ali-families-zh")


def carries(name: str, voice: Voice) -> str:
    """Which card a family has."""
    if is_cpu(name):
        row = not_family(name)
        return (
            voice.pick(row.fact_zh, row.fact_en)
            if row
            else voice.say("family_no_gpu", family=name)
        )
    rows = [facts.gpus()[gpu_id] for gpu_id in sorted(gpu_ids_of(name))]
    card = voice.pick(" 或 ", " or ").join(card_label(row, voice.language) for row in rows)
    code = "family_card" if memory_of(name) <= {row.memory_gb for row in rows} else "family_slices"
    return voice.say(code, family=name, card=card, each=sizes(memory_of(name), voice))


def where(card: str, voice: Voice) -> str:
    """Which families have a card, or that none has."""
    row = cards()[card]
    if not row.offered:
        return voice.say("card_absent", card=card)
    return voice.say("card_in", card=card, families=voice.list(row.families)).strip()


def sources_of(name: str) -> tuple[str, ...]:
    row, other = family(name), not_family(name)
    return row.source_ids if row else other.source_ids if other else CATALOG


def card_sources(card: str) -> tuple[str, ...]:
    return join_sources(*(row.source_ids for row in cards()[card].rows()), CATALOG)[:4]
