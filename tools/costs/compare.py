"""Ways of paying for one machine side by side, in one region and one currency.

A price of another region stands apart and is never added to anything; CNY of the China site and USD of the international
site are never mixed.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import cast

from knowledge import facts
from knowledge.rows import Instance
from tools.names import show_instance
from tools.phrases import Language
from tools.prices import (
    DEFAULT_REGION,
    NoPrice,
    all_prices,
    hourly,
    is_promotion,
    region_id,
    why_no_price,
)
from tools.results import Price
from tools.site import site_currency

from .cheapest import cheapest_of
from .commitments import commitment_rows, commitment_sources
from .figures import currency_words, plain, price, sentence, unit
from .figures import place as place_words
from .idle import idle_sentences, idle_sources
from .results import WAYS, CostComparison, CostRow
from .time import Usage, usage
from .ways import advice_row, newest, price_row

ELSEWHERE_SHOWN = 3
"""Rows of other regions, for each way of which the asked one has no price."""


def compare_costs(
    instance_type: str, *, region: str = DEFAULT_REGION, machines: int = 1, hours: Decimal | float | None = None,
    months: int | None = None, currency: str | None = None, language: Language = "en",
) -> CostComparison:  # fmt: skip
    """Pay-as-you-go, month, year, spot, savings plans and reserved instances for `machines` of a type.

    `hours` are of each month where `months` is given, else of the whole job. `currency` is that of the site in use unless
    said; where a type has no price in it anywhere, its other currency is taken, and said. Raises UnknownInstance for a type outside the catalog, InputError for
    an unknown region or a number out of range.
    """
    instance = show_instance(instance_type, language=language)
    home, use = region_id(region, language=language), usage(machines, hours, months, language)
    prices = newest(all_prices(instance.instance_type))
    wished = (currency or site_currency()).strip().upper()
    spoken = _currency(prices, wished)
    mine = [item for item in prices if item.currency == spoken]
    here = _rows(instance, [item for item in mine if item.region == home], mine, use, language)
    payg = _payg(mine, home)
    if not any(row.way == "spot" for row in here) and (advised := advice_row(instance.instance_type, home, spoken, language)):
        here.append(advised)
    rows = [*here, *commitment_rows(instance, home, spoken, payg, use, language)]
    elsewhere = _elsewhere(instance, mine, home, use, language)
    way, said = cheapest_of(rows, use, home, language, local_disk=bool(instance.local_disk_gib))
    month = next((row for row in here if row.way == "month"), None)
    return CostComparison(
        instance_type=instance.instance_type, region=home, currency=spoken, machines=use.machines, hours=use.hours,
        months=use.months, rows=rows, elsewhere=elsewhere, break_even_hours=month.break_even_hours if month else None,
        cheapest_way=way, cheapest=said, idle=list(idle_sentences(instance, spoken, payg, use, language)),
        notes=_notes(instance, home, prices, spoken, wished, rows, elsewhere, use, language),
        source_ids=_sources(instance, rows, elsewhere),
    )  # fmt: skip


def _currency(prices: Sequence[Price], wished: str) -> str:
    """The wished currency, where the type has a price in it or none at all; else the one that it has."""
    known = [item.currency for item in prices]
    return wished if wished in known or not known else known[0]


def _payg(prices: Sequence[Price], region: str) -> Price | None:
    return next((item for item in prices if (item.billing, item.region) == ("payg", region)), None)


def _rows(instance: Instance, chosen: Sequence[Price], all_of_it: Sequence[Price], use: Usage, language: Language) -> list[CostRow]:
    """Rows of the chosen prices in the order of the ways, each with the hourly price of its own region beside it."""
    ordered = sorted(chosen, key=lambda item: (WAYS.index(item.billing), is_promotion(item), item.amount, item.region))
    return [price_row(instance.instance_type, item, _payg(all_of_it, item.region), use, language) for item in ordered]


def _elsewhere(instance: Instance, prices: Sequence[Price], home: str, use: Usage, language: Language) -> list[CostRow]:
    """Of each way that the region has no price of: the cheapest rows of others, promotions last."""
    have = {item.billing for item in prices if item.region == home}
    chosen: list[Price] = []
    for way in ("payg", "month", "year", "spot"):
        if way not in have:
            others = sorted((p for p in prices if p.billing == way), key=lambda item: (_far(item.region, home), is_promotion(item), item.amount, item.region))
            chosen += others[:ELSEWHERE_SHOWN]
    return _rows(instance, chosen, prices, use, language)


def _far(region: str, home: str) -> bool:
    """Whether a region lies on the other side of the border than the asked one."""
    return facts.regions()[region].mainland != facts.regions()[home].mainland


def _notes(
    instance: Instance, home: str, prices: Sequence[Price], spoken: str, wished: str, rows: Sequence[CostRow],
    elsewhere: Sequence[CostRow], use: Usage, language: Language,
) -> list[str]:  # fmt: skip
    """Why a price is missing, what the others are worth, and what no price holds."""
    notes, have = [], {row.way for row in rows if row.amount is not None}
    if spoken != wished:
        notes.append(sentence("note.other_currency", language, wished=currency_words(wished, language), unit=currency_words(spoken, language)))
    elif {item.currency for item in prices} - {spoken}:
        notes.append(sentence("note.two_currencies", language))
    if "payg" not in have:
        missing = hourly(instance.instance_type, region=home, currency=spoken)
        notes.append(why_no_price(missing, language) if isinstance(missing, NoPrice) else sentence("note.no_payg", language))
    if "month" not in have:
        notes.append(_no_month(elsewhere, home, language))
    if "year" not in have:
        notes.append(sentence("note.no_year", language, date=facts.billing_facts()["no-yearly-price"].as_of))
    if use.hours is not None and use.months is None and use.monthly_hours is None and "month" in have:
        notes.append(sentence("note.months_needed", language, months=use.all_months))
    notes.append(sentence("note.instance_only", language))
    return notes


def _no_month(elsewhere: Sequence[CostRow], home: str, language: Language) -> str:
    """That there is no monthly price here, and what the first other region says of it."""
    month = next((row for row in elsewhere if row.way == "month"), None)
    if month is None:
        return sentence("note.no_month", language, region=place_words(home, language))
    code = "note.month_elsewhere" if month.break_even_hours is None else "note.month_elsewhere_from"
    return sentence(
        code, language, region=place_words(home, language), other=place_words(month.region, language), date=month.as_of,
        month=price(cast(Decimal, month.amount)), unit=unit(month.currency, language), hours=plain(month.break_even_hours or 0),
    )  # fmt: skip


def _sources(instance: Instance, rows: Sequence[CostRow], elsewhere: Sequence[CostRow]) -> list[str]:
    ids = [row.source_id for row in (*rows, *elsewhere) if row.source_id]
    return list(dict.fromkeys([*ids, *commitment_sources(instance), *idle_sources()]))
