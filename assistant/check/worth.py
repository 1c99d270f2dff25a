"""What machines cost and how quick their cards are, as the evidence and the catalog have it, for words that compare them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from knowledge import facts
from knowledge.kept import kept
from tools.claims.names import gpu_ids_of

from .name_shapes import Name
from .support import Support

Prices = dict[str, float]
"""By region the lowest list price of an hour."""


def prices_of(name: Name, support: Support) -> Prices:
    """The lowest hourly list prices of this turn for a type, a family or a card."""
    found: Prices = {}
    for machine, prices in _prices(support).items():
        if is_of(machine, name):
            for region, amount in prices.items():
                found[region] = min(amount, found.get(region, amount))
    return found


def is_of(machine: str, name: Name) -> bool:
    """Whether a type is the named one, or of the named family or card."""
    row = facts.instances().get(machine)
    if name.kind == "type" or row is None:
        return machine == name.known
    return row.family == name.known if name.kind == "family" else row.gpu_id in {card.gpu_id for card in name.cards}


@lru_cache(maxsize=4)
def _prices(support: Support) -> dict[str, Prices]:
    found: dict[str, Prices] = {}
    for fact in support.known.walk.facts:
        if fact.dim.startswith("money_") and fact.per == "hour" and "payg" in fact.labels and len(fact.subject.types) == 1 and len(fact.subject.regions) == 1:
            region, machine = next(iter(fact.subject.regions)), next(iter(fact.subject.types))
            prices = found.setdefault(machine, {})
            prices[region] = min(fact.value, prices.get(region, fact.value))
    return found


def is_less(mine: Prices, other: Prices) -> bool | None:
    """Whether the first costs less than the second in some region where both have a price; None where none has both."""
    shared = mine.keys() & other.keys()
    return any(mine[region] < other[region] for region in shared) if shared else None


def fitting(support: Support) -> dict[str, float]:
    """The types that this turn's sums recommend and their hourly prices."""
    return dict(_fitting(support))


@lru_cache(maxsize=4)
def _fitting(support: Support) -> tuple[tuple[str, float], ...]:
    found: dict[str, float] = {}
    for finding in support.evidence.findings:
        advice = finding.data.get("advice") if isinstance(finding.data, dict) and finding.tool.startswith("size_") else None
        for row in advice.get("recommendations") or () if isinstance(advice, dict) else ():
            price = row.get("price") if isinstance(row, dict) else None
            if price and row.get("fits") and price.get("per") == "hour" and price.get("billing") == "payg":
                found.setdefault(row["instance_type"], float(price["amount"]) * (row.get("instances") or 1))
    return tuple(found.items())


def rates_of(name: Name) -> list[tuple[float, float]]:
    """Memory bandwidth and FP16 rate, each by all cards of a type, by one card for a family or a card."""
    row = facts.instances().get(name.known) if name.kind == "type" else None
    count = (row.gpu_count or 1) if row else 1
    ids: Iterable[str] = [row.gpu_id] if row and row.gpu_id else gpu_ids_of(name.known) if name.kind == "family" else [card.gpu_id for card in name.cards]
    cards = [facts.gpus()[gpu] for gpu in ids if gpu in facts.gpus()]
    return [(card.memory_bandwidth_gb_s * count, card.fp16_tflops * count) for card in cards if card.memory_bandwidth_gb_s and card.fp16_tflops]


@kept
def rates_sold() -> tuple[tuple[float, float], ...]:
    """Memory bandwidth and FP16 rate of each card that the catalog has in a family on sale or to be had on request."""
    sold = {row.gpu_id for row in facts.families().values() if row.status in ("on_sale", "contact_sales", "invite_only")}
    cards = [facts.gpus()[gpu] for gpu in sold if gpu in facts.gpus()]
    return tuple((card.memory_bandwidth_gb_s, card.fp16_tflops) for card in cards if card.memory_bandwidth_gb_s and card.fp16_tflops)
