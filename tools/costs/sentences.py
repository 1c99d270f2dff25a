"""What faces and answers say of a result about costs, in order; the same sentences wherever it is shown."""

from __future__ import annotations

from functools import singledispatch

from tools.phrases import Language
from tools.results import Result

from .figures import hours_words, place, sentence, span, unit
from .rent_or_api import rent_sentence
from .results import CostComparison, FunctionsCost, OtherProducts, RentOrApi, TrainingCost

ECI_PRICE = "eci-price"
SPEAK_FOR_THEMSELVES = (ECI_PRICE, "fc-cu-cny-2026")
"""Facts that say in their own words what they rest on."""


@singledispatch
def cost_sentences(result: Result, language: Language) -> list[str]:
    """Sentences of a CostComparison, RentOrApi, TrainingCost, FunctionsCost or OtherProducts, the answer first."""
    raise TypeError(f"no sentences for {type(result).__name__}")


@cost_sentences.register
def _(result: CostComparison, language: Language) -> list[str]:
    """The cheapest way; notes on what is missing; what is billed while idle. The rows are for a table."""
    return [said for said in (result.cheapest, *result.notes, *result.idle) if said]


@cost_sentences.register
def _(result: RentOrApi, language: Language) -> list[str]:
    """The verdict, each way of renting, and what it all rests on."""
    return [result.verdict, *(rent_sentence(result, row, language) for row in result.rents), *result.notes]


@cost_sentences.register
def _(result: TrainingCost, language: Language) -> list[str]:
    """Hours and price in one sentence, then cautions and assumptions."""
    return [training_sentence(result, language), *([result.no_price] if result.no_price else []), *result.cautions, *result.assumptions]


@cost_sentences.register
def _(result: FunctionsCost, language: Language) -> list[str]:
    return list(result.sentences)


@cost_sentences.register
def _(result: OtherProducts, language: Language) -> list[str]:
    """One line a fact, under the product's name; what is not official says so."""
    colon, said = "：" if language == "zh" else ": ", []
    for product in result.products:
        for fact in product.facts:
            flag = "" if fact.official or fact.fact_id in SPEAK_FOR_THEMSELVES else sentence("product.unverified", language)
            dated = f"（{fact.as_of}）" if language == "zh" else f" ({fact.as_of})"
            said.append(f"{product.name}{colon}{fact.text}{flag}{dated if fact.as_of and fact.fact_id != ECI_PRICE else ''}")
    return said


def training_sentence(result: TrainingCost, language: Language) -> str:
    """Hours of a run, its price by the hour and spot, and that of all runs."""
    known = result.hours_low == result.hours_high
    code = "train.hours_given" if known else "train.hours"
    parts = [sentence(
        code, language, low=hours_words(result.hours_low), high=hours_words(result.hours_high), machines=result.machines,
        name=result.instance_type, cards=result.cards, s="" if result.cards == 1 else "s",
    )]  # fmt: skip
    for row in result.prices:
        parts.append(sentence(
            "train.price" if row.way == "payg" else "train.spot", language, way=sentence(f"way.{row.way}", language),
            total=span(row.low, row.high), unit=unit(row.currency, language), region=place(row.region, language), date=row.as_of,
        ))  # fmt: skip
        if result.runs > 1:
            parts.append(sentence("train.runs", language, runs=result.runs, total=span(row.all_low, row.all_high), unit=unit(row.currency, language)))
    return "".join(parts) + sentence("train.end", language)
