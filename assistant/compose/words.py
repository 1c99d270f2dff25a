"""How figures, cards, regions and prices are written, in both languages."""

from __future__ import annotations

from decimal import Decimal

from knowledge import facts
from knowledge.rows import Gpu
from tools.catalog import card_label
from tools.phrases import Language
from tools.results import Price

CURRENCY = {"CNY": ("元", "CNY"), "USD": ("美元", "USD")}
PER = {"hour": ("小时", "h"), "month": ("月", "month"), "year": ("年", "year")}


def gib(value: float) -> str:
    """GiB to one decimal, whole from 1,000 on."""
    return f"{value:,.1f}" if abs(value) < 1000 else f"{value:,.0f}"


def plain(value: float) -> str:
    """A number without a needless fraction: 96, 1.5."""
    return f"{value:,g}" if abs(value) < 1e6 else f"{value:,.0f}"


def tokens(count: int) -> str:
    """Tokens as engineers say them: 8K, 32K, 128K; other counts with separators."""
    return f"{count // 1024}K" if count >= 1024 and count % 1024 == 0 else f"{count:,}"


def money(amount: Decimal) -> str:
    """An amount as listed, at least two and at most four decimals."""
    exact = amount.quantize(Decimal("0.0001")).normalize()
    whole, _, fraction = f"{exact:,f}".partition(".")
    return f"{whole}.{fraction:0<2}"


def money_round(amount: Decimal) -> str:
    """An amount to the whole unit, for monthly sums."""
    return f"{amount.quantize(Decimal(1)):,f}"


def price(item: Price, language: Language) -> str:
    """`138.967 元/小时` or `138.967 CNY/h`; ranges with a dash."""
    column = 0 if language == "zh" else 1
    figure = money(item.amount)
    if item.amount_high is not None and item.amount_high != item.amount:
        figure = f"{figure}–{money(item.amount_high)}"
    return f"{figure} {CURRENCY[item.currency][column]}/{PER[item.per][column]}"


def region(region_id: str, language: Language) -> str:
    """`杭州` or `cn-hangzhou`."""
    row = facts.regions().get(region_id)
    return region_id if row is None or language == "en" else row.aliases[0]


def cards(gpu: Gpu, count: int, language: Language) -> str:
    """`4 × A100 80 GB`, with a card's name as the catalog allows it to be said."""
    return f"{count} × {card_label(gpu, language)}"


def yes_no(value: bool | None, language: Language) -> str:
    """A tri-state as a word; None is not stated."""
    if value is None:
        return "未注明" if language == "zh" else "not stated"
    return {True: ("有", "yes"), False: ("无", "no")}[value][0 if language == "zh" else 1]


def and_list(items: list[str], language: Language) -> str:
    """Items with the separator of the language."""
    return ("、" if language == "zh" else ", ").join(items)


def sentences(items: list[str], language: Language) -> str:
    """Sentences in a row, each with its full stop."""
    end, between = ("。", "") if language == "zh" else (".", " ")
    return between.join(item.rstrip("。. ") + end for item in items if item)
