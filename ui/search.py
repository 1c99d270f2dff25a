"""The search of `xuanka instances`: what meets the conditions, and where nothing does, why, and what comes nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .speech import say

if TYPE_CHECKING:
    from assistant.found import FoundInstances
    from tools.describe import TypeFacts
    from tools.finder import InstanceListing, Sort
    from tools.phrases import Language

NEAREST = 3
"""Types shown when none meets the conditions."""


def search(
    conditions: dict[str, Any],
    region: str,
    language: Language,
    *,
    everything: bool = False,
    card: str | None = None,
    sort: Sort = "price",
) -> FoundInstances:
    """Types that meet the conditions; where none does, the reason and the nearest types, those with a price first.

    `card` is the card of the conditions as typed.
    """
    from assistant.found import FoundInstances
    from tools.describe import listing_facts
    from tools.finder import find_instances

    rows = find_instances(region=region, include_unavailable=everything, sort=sort, **conditions)
    wanted = [row for row in rows if row.gpu or everything or conditions.get("family")]
    estimated = _estimated(conditions, region, language) if conditions.get("max_monthly") else []
    reason, nearest = "", []
    if rows and not wanted:
        reason = say("catalog.only_cpu", language, count=len(rows))
    elif not rows and card and (reason := _not_carried(conditions["gpu_id"], card, language)):
        nearest = _as_large(conditions, region)
    elif not rows and estimated:
        reason = say("catalog.no_month_here", language, region=region) + _months_elsewhere(conditions, region, language)
    elif not rows:
        reason, nearest = _none(conditions, region, language, everything=everything)
    return FoundInstances(
        types=[listing_facts(row, language=language) for row in wanted],
        estimated=estimated,
        none=reason,
        nearest=[listing_facts(row, language=language) for row in _priced_first(nearest)],
    )


def _none(conditions: dict[str, Any], region: str, language: Language, *, everything: bool) -> tuple[str, list[InstanceListing]]:
    """Why nothing matches, and what comes nearest."""
    from tools.finder import explain_none, find_instances

    none = explain_none(region=region, include_unavailable=everything, with_gpu=not everything and not conditions.get("family"), **conditions)
    if none is None:
        return "", []
    others = [name for name, count in none.matches_without.items() if count and name != none.culprit]
    nearest = [*none.nearest, *(row for name in others for row in find_instances(region=region, **{**conditions, name: None}))]
    return none.say(language) + _months_elsewhere(conditions, region, language), nearest


def _estimated(conditions: dict[str, Any], region: str, language: Language) -> list[TypeFacts]:
    """Types without a listed subscription that keep a monthly budget at 730 hours of their hourly price; cheapest first."""
    from tools.describe import listing_facts
    from tools.finder import estimated_within
    from tools.prices import monthly_estimate

    others = {**conditions, "max_monthly": None}
    rows = [row for row in estimated_within(conditions["max_monthly"], region=region, **others) if row.gpu]
    facts = [listing_facts(row, language=language) for row in rows]
    return [row.model_copy(update={"monthly": monthly_estimate(row.price)}) for row in facts if row.price]


def _months_elsewhere(conditions: dict[str, Any], region: str, language: Language) -> str:
    """The cheapest listed subscription within the budget of another region; empty without a budget or one."""
    from tools.finder import find_instances
    from tools.prices import monthly_within, price_notes

    most = conditions.get("max_monthly")
    if most is None:
        return ""
    others = find_instances(region=region, **{**conditions, "max_monthly": None, "sold_here": None})
    matching = {row.instance.instance_type for row in others if row.gpu}
    listed = [(name, price) for name, price in monthly_within(most) if name in matching and price.region != region]
    if not listed:
        return ""
    name, price = min(listed, key=lambda item: item[1].amount)
    notes = ("；" if language == "zh" else "; ").join(price_notes(price, language))
    return say("catalog.month_elsewhere", language, region=price.region, type=name, amount=price.amount, currency=say(f"currency.{price.currency}", language), notes=notes)


def _not_carried(gpu_ids: set[str], card: str, language: Language) -> str:
    """What the catalog says of a card that no type on offer carries; empty for others."""
    from tools.catalog import exists
    from tools.finder import find_instances

    if find_instances(gpu_id=gpu_ids):
        return ""
    check = exists(card)
    retired = find_instances(gpu_id=gpu_ids, include_unavailable=True)
    hint = say("catalog.retired", language, count=len(retired)) if retired else ""
    return (check.fact_zh if language == "zh" else check.fact_en) + hint


def _as_large(conditions: dict[str, Any], region: str) -> list[InstanceListing]:
    """Whole cards with at least as much memory as the card asked for, under its other conditions or without them."""
    from knowledge.facts import gpus
    from tools.finder import find_instances

    memory = min(gpus()[name].memory_gb for name in conditions["gpu_id"])
    least = max(memory, conditions.get("min_card_memory_gb") or 0)
    others = {**conditions, "gpu_id": None, "status": None, "min_card_memory_gb": least}
    return find_instances(region=region, **others) or find_instances(region=region, min_card_memory_gb=memory, vgpu=False)


def _priced_first(rows: list[InstanceListing]) -> list[InstanceListing]:
    """Three at most, each once; those without a price only after all that have one."""
    once = list({row.instance.instance_type: row for row in rows}.values())
    return sorted(once, key=lambda row: row.price is None)[:NEAREST]
