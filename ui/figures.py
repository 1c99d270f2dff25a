"""How the command line writes figures: prices, tokens, cards, sources."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from knowledge import facts
from tools.cards import card_label
from tools.phrases import Language
from tools.results import Price, Recommendation

from .speech import say


def price_words(price: Price | None, language: Language) -> str:
    """`138.967 CNY/h`, a range with a dash, or that there is no public price."""
    if price is None:
        return say("no_price", language)
    figure = money(price.amount)
    if price.amount_high is not None and price.amount_high != price.amount:
        figure = f"{figure}–{money(price.amount_high)}"
    unit = say(f"per.{price.per}", language)
    return f"{figure} {say(f'currency.{price.currency}', language)}/{unit}"


def price_amount(price: Price | None, language: Language) -> str:
    """The same without the unit of time, for columns that name it; other currencies than CNY are named."""
    if price is None:
        return "–"
    return money(price.amount) if price.currency == "CNY" else f"{money(price.amount)} {price.currency}"


def money(amount: Decimal) -> str:
    """The amount as listed: all its decimals, at least two."""
    whole, _, fraction = f"{amount.normalize():,f}".partition(".")
    return f"{whole}.{fraction:0<2}"


def gib(value: float) -> str:
    """One decimal; whole from a thousand on."""
    return f"{value:,.1f}" if abs(value) < 1000 else f"{value:,.0f}"


def tokens(count: int) -> str:
    """32,768 (32K)."""
    short = f" ({count // 1024}K)" if count >= 1024 and count % 1024 == 0 else ""
    return f"{count:,}{short}"


def cards(gpu_id: str, count: int, language: Language) -> str:
    """`4 × A100 80 GB`."""
    return f"{count} × {card_label(facts.gpus()[gpu_id], language)}" if gpu_id else "–"


def limit_of(pick: Recommendation) -> float:
    """What the job may use per GPU, GiB."""
    return pick.required_gib_per_gpu + pick.headroom_gib


def source_lines(source_ids: Iterable[str], language: Language) -> list[str]:
    """Title, date, trust and address of each source, each once."""
    rows = [facts.sources()[name] for name in dict.fromkeys(source_ids) if name in facts.sources()]
    return [source_line(row.title, row.published_on, row.trust, row.url, language, row.checked_on) for row in rows]


def source_line(
    title: str, published: str, trust: str, url: str, language: Language, checked: str = ""
) -> str:
    """`Title — published 2024-12-31, official, https://…`."""
    date = say("source_dates", language, published=published) if published else ""
    if not date and checked:
        date = say("source_read", language, checked=checked)
    comma = "，" if language == "zh" else ", "
    return f"{title} — " + comma.join(part for part in (date, trust, url) if part)
