"""Where a question wants to run: cards at their count, families and types that it names, and what they may cost."""

from __future__ import annotations

from knowledge import facts
from tools.site import site_currency

from .read.reading import Money, NameMention, Reading


def places_of(reading: Reading) -> list[str]:
    """Cards at their count, families and types that the user named, as `size_llm` takes them."""
    gpu_ids = [(name, card.count) for card in reading.cards for name in gpu_ids_of(card)]
    gpu_ids += [(gpu_id, reading.gpus) for gpu_id in cards_of_size(reading.card_memory_gb)] if not gpu_ids else []
    machines = (reading.machines or 1) if (reading.job or "").endswith("training") else 1  # several train one model together
    cards = [f"{name}x{count * machines}" if (count := own or reading.gpus) else name for name, own in gpu_ids]
    named = [m.name for m in (*reading.families, *reading.instances) if m.known]
    return [*cards, *named]


MONTHS_PER_YEAR, HOURS_PER_DAY = 12, 24


def budget_of(budget: Money | None) -> dict[str, float]:
    """What the machines may cost, as the tools take it: by the hour or by the month, a day and a year as a part of these.

    Empty for a sum without a time, and for one in another currency than prices are told in: nothing is converted.
    """
    if budget is None or budget.currency != site_currency():
        return {}
    if budget.per in ("hour", "day"):
        return {"max_hourly": round(budget.amount / (HOURS_PER_DAY if budget.per == "day" else 1), 4)}
    if budget.per in ("month", "year"):
        return {"max_monthly": round(budget.amount / (MONTHS_PER_YEAR if budget.per == "year" else 1), 2)}
    return {}


def names_of(reading: Reading) -> list[str]:
    """What the user named, as looked up: a card by its id where known, else as typed."""
    mentions: list[NameMention] = [*reading.instances, *reading.families]
    names = [m.name if m.known and m.name else m.text for m in mentions]
    names += [gpu_id for card in reading.cards for gpu_id in gpu_ids_of(card) or [card.text]]
    return list(dict.fromkeys(names))


def gpu_ids_of(card: NameMention) -> list[str]:
    """The cards that a mention may mean: a bare "A100" is both sizes."""
    if not card.known:
        return []
    return [card.name] if card.memory_gb else [card.name, *card.alternatives]


def cards_of_size(memory_gb: float | None) -> list[str]:
    """The card of that memory that is easiest to get ("8 × 80 GB"): on sale before through sales."""
    whole = [family for family in facts.families().values() if family.kind in ("gpu", "bare_metal_gpu")]
    for status in ("on_sale", "contact_sales", "invite_only"):
        sold = {family.gpu_id for family in whole if family.status == status}
        found = [gpu.gpu_id for gpu in facts.gpus().values() if gpu.memory_gb == memory_gb and gpu.gpu_id in sold]
        if found:
            return found
    return []
