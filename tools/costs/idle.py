"""What goes on being billed while a machine is not used, and what can be stopped."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from knowledge import facts
from knowledge.rows import Instance
from tools.phrases import Language
from tools.prices import HOURS_PER_MONTH
from tools.results import Price

from .figures import money, plain, price, sentence, unit
from .time import Usage

IDLE_FACTS = ("econ-what", "econ-risk", "econ-not", "essd-pl1-100g")


def idle_sentences(instance: Instance, currency: str, payg: Price | None, use: Usage, language: Language) -> Iterator[str]:
    """By the hour: an ordinary stop, the economical mode, and the risk of starting again; then the subscription."""
    yield from _left_running(payg, use, language)
    if instance.local_disk_gib:
        yield sentence("idle.local_disk", language, name=instance.instance_type)
    else:
        yield sentence("idle.economical", language)
        yield from _disk(currency, language)
        yield sentence("idle.restart", language)
    yield sentence("idle.subscription", language)


def idle_sources() -> tuple[str, ...]:
    """Sources behind them."""
    return tuple(dict.fromkeys(name for fact in IDLE_FACTS for name in facts.billing_facts()[fact].source_ids))


def _left_running(payg: Price | None, use: Usage, language: Language) -> Iterator[str]:
    """What the unused hours of a month cost where the machine is left on."""
    if payg is None:
        yield sentence("idle.plain_stop", language)
        return
    used = use.monthly_hours
    if used is None or used >= HOURS_PER_MONTH:
        yield sentence("idle.plain_stop_price", language, price=price(payg.amount), unit=unit(payg.currency, language))
        return
    left = Decimal(HOURS_PER_MONTH) - used
    total = payg.amount * left * use.machines
    yield sentence("idle.left_on", language, hours=plain(left), total=money(total), unit=unit(payg.currency, language))


def _disk(currency: str, language: Language) -> Iterator[str]:
    """What a disk costs, in the currency that it was quoted in only."""
    if currency != "CNY":
        return
    fact = facts.billing_facts()["essd-pl1-100g"]
    value = fact.value or {}
    yield sentence("idle.disk", language, gib=value["gib"], month=value["cny_per_month"], hour=value["cny_per_hour"], date=fact.as_of)
