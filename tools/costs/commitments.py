"""Savings plans and reserved instances: a refreshed rate where there is one, else the official ceiling as what it is.

The ceilings (76 and 79 %) hold over all products; a plan's rate for a GPU family is known only where it was asked of the
billing interface, or from one customer's console. A ceiling never becomes a price.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from knowledge import facts
from knowledge.rows import BillingFact, Instance
from knowledge.snapshot_rows import PlanRate
from tools.phrases import Language
from tools.results import Price

from .figures import percent, sentence
from .results import CostRow
from .time import Usage

CEILINGS = {"savings_plan": "sp-upto", "reserved": "ri-upto"}
ONE_RATE = "sp-gpu-observed"
ONE_RATE_FAMILY = "gn8is"
RESERVED_FAMILIES = "ri-gpu-families"


def commitment_rows(
    instance: Instance, place: str, currency: str, payg: Price | None, use: Usage, language: Language
) -> Iterator[CostRow]:
    """Rows of plans with a rate in that region, or one with the ceiling; then the reserved instances' ceiling."""
    rates = [row for row in facts.plan_rates() if (row.family, row.region) == (instance.family, place)]
    for rate in sorted(rates, key=lambda row: row.pay_pct):
        yield _rate_row(rate, payg, use, currency, language)
    if not rates:
        note = [sentence("plan.ceiling", language, pct=_ceiling("savings_plan"))]
        if instance.family == ONE_RATE_FAMILY:
            seen = _fact(ONE_RATE)
            note.append(sentence("plan.one_customer", language, pct=_value(seen, "saving_pct"), date=seen.as_of))
        yield _ceiling_row("savings_plan", place, currency, "".join(note) if language == "zh" else " ".join(note))
    yield _ceiling_row("reserved", place, currency, _reserved_note(instance.family, language))


def commitment_sources(instance: Instance) -> tuple[str, ...]:
    """Sources behind the notes of those rows."""
    ids = [*_fact(CEILINGS["savings_plan"]).source_ids, *_fact(CEILINGS["reserved"]).source_ids, *_fact(RESERVED_FAMILIES).source_ids]
    return tuple(dict.fromkeys([*ids, *(_fact(ONE_RATE).source_ids if instance.family == ONE_RATE_FAMILY else ())]))


def _rate_row(rate: PlanRate, payg: Price | None, use: Usage, currency: str, language: Language) -> CostRow:
    """The hourly price that is left with a plan: pay-as-you-go times the share that is paid."""
    amount = None if payg is None else payg.amount * Decimal(str(rate.pay_pct)) / 100
    said = sentence(
        "plan.rate", language, plan=sentence(f"plan.{rate.plan}", language), years=rate.years,
        upfront=sentence(f"upfront.{rate.upfront}", language), saving=percent(100 - rate.pay_pct), date=rate.as_of,
        payg_date=payg.as_of if payg else "–",
    )  # fmt: skip
    total = None if amount is None or not use.known else amount * use.all_hours * use.machines
    return CostRow(
        way="savings_plan", amount=amount, per="hour", total=total, currency=currency, region=rate.region, as_of=rate.as_of,
        source_id=f"ecs-api-{rate.as_of}", note=said,
    )  # fmt: skip


def _ceiling_row(way: str, place: str, currency: str, note: str) -> CostRow:
    fact = _fact(CEILINGS[way])
    return CostRow.model_validate(
        {"way": way, "currency": currency, "region": place, "as_of": fact.as_of, "source_id": fact.source_ids[0],
         "ceiling_pct": _ceiling(way), "note": note}
    )  # fmt: skip


def _reserved_note(family: str, language: Language) -> str:
    fact = _fact(RESERVED_FAMILIES)
    listed = list((fact.value or {})["families_2021"])
    code = "reserved.listed" if family in listed else "reserved.unconfirmed"
    return sentence(code, language, family=family, families=", ".join(listed), date=fact.as_of, pct=_ceiling("reserved"))


def _ceiling(way: str) -> int:
    return int(_value(_fact(CEILINGS[way]), "max_saving_pct"))


def _fact(name: str) -> BillingFact:
    return facts.billing_facts()[name]


def _value(fact: BillingFact, name: str) -> float:
    return float((fact.value or {})[name])
