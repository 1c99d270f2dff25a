"""List prices as facts: one, the ends of several regions, the ends of a family."""

from __future__ import annotations

from knowledge import facts
from knowledge.rows import PriceRow

from .finding import Voice


def ends(rows: list[PriceRow]) -> tuple[PriceRow, PriceRow]:
    """The cheapest and the dearest."""
    return min(rows, key=lambda row: row.amount), max(rows, key=lambda row: row.amount)


def _words(row: PriceRow, voice: Voice) -> dict[str, str]:
    region = facts.regions()[row.region]
    currency = voice.pick(
        {"CNY": "元", "USD": "美元"}.get(row.currency, row.currency), row.currency
    )
    return {
        "as_of": row.as_of,
        "region": voice.pick(region.name_zh, region.name_en),
        "amount": f"{row.amount.normalize():f}",
        "currency": currency,
        "per": voice.pick({"hour": "小时", "month": "月"}[row.per], row.per),
    }


def say_price(code: str, row: PriceRow, voice: Voice) -> str:
    """The phrase `code` about one price."""
    return voice.say(code, name=row.instance_type, **_words(row, voice))


def say_regions(rows: list[PriceRow], voice: Voice) -> str:
    """Between which prices the regions lie."""
    low, high = ends(rows)
    high_amount = f"{high.amount.normalize():f}"
    return voice.say("price_regions", high=high_amount, **_words(low, voice))


def say_range(name: str, low: PriceRow, high: PriceRow, voice: Voice) -> str:
    """Between which prices the types and regions of a family lie."""
    words = _words(low, voice)
    top = _words(high, voice)
    return voice.say(
        "price_range",
        name=name,
        low_type=low.instance_type,
        high_type=high.instance_type,
        high=top["amount"],
        high_region=top["region"],
        **words,
    )
