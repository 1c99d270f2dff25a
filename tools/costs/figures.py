"""How the sentences about costs write money, hours, tokens and places."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from knowledge import facts
from tools.phrases import Language, read_phrases, say

PHRASES = "phrases/costs.toml"
_COUNTED = re.compile(r"(?<=[万亿）]) (?=[\u4e00-\u9fff])")
CENT = Decimal("0.01")
MYRIAD = 10_000
CHINESE_STEPS = ((10**12, " 万亿"), (10**8, " 亿"), (10**4, " 万"))
ENGLISH_STEPS = ((10**12, " trillion"), (10**9, " billion"), (10**6, " million"))


def sentence(code: str, language: Language, **arguments: object) -> str:
    """The costs' phrase of `code`; Chinese sets no space between 万 or 亿 and what is counted."""
    said = say(read_phrases("tools", PHRASES), code, language, **arguments)
    return _COUNTED.sub("", said) if language == "zh" else said


def unit(currency: str, language: Language) -> str:
    """元, CNY, 美元, USD."""
    return sentence(f"unit.{currency}", language)


def currency_words(currency: str, language: Language) -> str:
    """人民币, CNY, 美元, USD."""
    return sentence(f"currency.{currency}", language)


def price(amount: Decimal) -> str:
    """A listed price: at least two and at most four decimals."""
    whole, _, fraction = f"{amount.quantize(Decimal('0.0001')).normalize():,f}".partition(".")
    return f"{whole}.{fraction:0<2}"


def money(amount: Decimal) -> str:
    """A sum: to the cent, from ten thousand on whole."""
    step = Decimal(1) if amount >= MYRIAD else CENT
    return f"{amount.quantize(step, ROUND_HALF_UP):,f}"


def span(low: Decimal, high: Decimal | None) -> str:
    """One sum, or two with a dash."""
    return money(low) if high is None or high == low else f"{money(low)}–{money(high)}"


def price_span(low: Decimal, high: Decimal | None) -> str:
    """One price, or two with a dash."""
    return price(low) if high is None or high == low else f"{price(low)}–{price(high)}"


def plain(value: Decimal | float) -> str:
    """A number without a needless fraction: 480, 87.5, 2,000."""
    number = Decimal(str(value)).quantize(Decimal("0.1"), ROUND_HALF_UP)
    return f"{number:,f}".removesuffix(".0")


def hours_words(value: float) -> str:
    """Three figures: 0.42, 5.3, 87, 1,240."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def percent(share: float) -> str:
    """38, 4.2; over a thousand in whole thousands, as it only says «far too much»."""
    return f"{share:,.0f}" if share >= 10 else f"{share:.2g}"


def count(value: float, language: Language) -> str:
    """Large counts as people say them: 13.2 亿, 1.32 billion."""
    for size, name in CHINESE_STEPS if language == "zh" else ENGLISH_STEPS:
        if value >= size:
            figure = value / size
            return f"{figure:,.0f}{name}" if figure >= 1000 else f"{figure:.3g}{name}"
    return f"{value:,.0f}"


def place(region: str, language: Language) -> str:
    """A region's Chinese name, or its id."""
    row = facts.regions().get(region)
    return region if row is None or language == "en" else row.aliases[0]
