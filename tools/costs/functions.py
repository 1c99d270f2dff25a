"""GPU functions of Function Compute against a machine that is always there.

    CU of a month = calls · seconds · (GPU GB · factor + vCPU + 0.15 · memory GB) + 75 per 10,000 calls
    price         = CU by monthly tiers

Official are the factors of 2024 (Tesla, Ada) and the international tiers in USD; a newer copy in CNY with more cards is not
verified. A break-even is told within one currency only, and flagged where its prices are unverified.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from knowledge import facts
from knowledge.cost_facts import FunctionCard, function_cards
from knowledge.errors import InputError
from tools.names import show_instance
from tools.phrases import Language
from tools.prices import DEFAULT_REGION, HOURS_PER_MONTH, all_prices, cost, region_id

from .figures import count, money, place, plain, sentence, unit
from .limits import positive
from .results import FunctionsCost, MachineMonth
from .ways import newest

DAYS = Decimal(HOURS_PER_MONTH) / 24
FACTORS, TIERS, COPY = "fc-cu-factors-2024", "fc-cu-intl", "fc-cu-cny-2026"
PER_CALLS = 10_000
SECONDS_OF_A_DAY = 86_400


@dataclass(frozen=True)
class FunctionLoad:
    """Calls of a function and what each holds while it runs: GPU memory, vCPU and main memory in GB."""

    calls_per_day: float
    seconds_per_call: float
    gpu_gb: int | None = None
    vcpu: float = 8
    memory_gb: float = 32


def functions_cost(
    card: str, load: FunctionLoad, *, instance_type: str | None = None, region: str = DEFAULT_REGION, language: Language = "en"
) -> FunctionsCost:
    """CU and price of a month of calls, and the calls a day up to which a machine kept on is the dearer one.

    `card`: tesla (T4), ampere (A10) or ada, or names of them. Raises InputError for another card, more memory than the card has,
    an unknown region or a number out of range; UnknownInstance for a type outside the catalog.
    """
    row = _card(card, language)
    load, gpu_gb = _checked(load, language), _memory(row, load.gpu_gb, language)
    official, copied = _official_cu(row, load, gpu_gb), _cu_per_call(load, gpu_gb, _value(COPY)["factors"][row.unofficial][0])
    calls = Decimal(str(load.calls_per_day)) * DAYS
    machine = list(_machine(instance_type, region, language)) if instance_type else []
    even, sure = _break_even(machine, official, copied)
    cu = calls * (copied if official is None else official)
    result = FunctionsCost(
        card=row.card, gpu_gb=gpu_gb, calls_per_day=load.calls_per_day, seconds_per_call=load.seconds_per_call, cu=int(cu),
        usd=None if official is None else _tiered(cu, _value(TIERS)["usd_per_cu"]),
        cny_unverified=_tiered(calls * copied, _value(COPY)["cny_per_cu"]), instance_type=show_instance(instance_type).instance_type if instance_type else None, machine=machine,
        break_even_calls_per_day=even, break_even_official=sure,
        source_ids=list(dict.fromkeys([*_sources(official is not None), *(item.source_id for item in machine)])),
    )  # fmt: skip
    return result.model_copy(update={"sentences": _sentences(result, row, load, language)})


def _card(name: str, language: Language) -> FunctionCard:
    plain_name = unicodedata.normalize("NFKC", name).strip().lower()
    for row in function_cards().values():
        if plain_name in (row.card, *row.aliases):
            return row
    known = ", ".join(row.name for row in function_cards().values())
    raise InputError(sentence("fc.unknown_card", language, name=name.strip()[:40], known=known))


def _checked(load: FunctionLoad, language: Language) -> FunctionLoad:
    positive(load.calls_per_day, "calls", 1e9, language)
    positive(load.seconds_per_call, "seconds", 86_400, language)
    positive(load.vcpu, "vcpu", 1000, language)
    positive(load.memory_gb, "memory_gb", 10_000, language)
    return load


def _memory(row: FunctionCard, wished: int | None, language: Language) -> int:
    """GPU memory of the function: the whole card where none is named."""
    gpu_gb = row.most_gb if wished is None else int(positive(wished, "gpu_gb", 1000, language))
    if gpu_gb > row.most_gb:
        raise InputError(sentence("fc.max", language, most=row.most_gb, card=row.name, gpu=gpu_gb))
    return gpu_gb


def _official_cu(row: FunctionCard, load: FunctionLoad, gpu_gb: int) -> Decimal | None:
    """CU of a call by the official factor of an active card, where there is one."""
    return _cu_per_call(load, gpu_gb, _value(FACTORS)[row.official][0]) if row.official else None


def _cu_per_call(load: FunctionLoad, gpu_gb: int, factor: float) -> Decimal:
    values = _value(FACTORS)
    held = gpu_gb * Decimal(str(factor)) + Decimal(str(load.vcpu)) * Decimal(str(values["vcpu"])) + Decimal(str(load.memory_gb)) * Decimal(str(values["mem"]))
    return Decimal(str(load.seconds_per_call)) * held + Decimal(str(values["per_10k_calls"])) / PER_CALLS


def _tiered(cu: Decimal, prices: Sequence[float]) -> Decimal:
    """Price of so many CU in a month: each tier's part at its own price."""
    total, below = Decimal(0), Decimal(0)
    for top, amount in zip(_value(TIERS)["tier_upper_cu"], prices, strict=True):
        upper = cu if top is None else min(cu, Decimal(top))
        total += max(upper - below, Decimal(0)) * Decimal(str(amount))
        below = upper
    return total.quantize(Decimal("0.01"))


def _machine(instance_type: str, region: str, language: Language) -> list[MachineMonth]:
    """A month of one machine in the region, by the hour and by subscription, in whatever currency."""
    name, months = show_instance(instance_type, language=language).instance_type, []
    for item in newest(all_prices(name, region_id(region, language=language))):
        if item.billing in ("payg", "month"):
            way: Literal["payg", "month"] = "payg" if item.billing == "payg" else "month"
            monthly = cost(item, amount_of_time=HOURS_PER_MONTH if way == "payg" else 1)
            months.append(MachineMonth(way=way, monthly=monthly, currency=item.currency, region=item.region, as_of=item.as_of, source_id=item.source_id))
    return months


def _break_even(machine: Sequence[MachineMonth], official: Decimal | None, copied: Decimal) -> tuple[float | None, bool]:
    """(calls a day at which a month of functions costs as much as the cheapest month of the machine, whether officially priced)."""
    ways = [("USD", _value(TIERS)["usd_per_cu"], official, True), ("CNY", _value(COPY)["cny_per_cu"], copied, False)]
    for currency, prices, each, sure in ways:
        months = [item.monthly for item in machine if item.currency == currency]
        if months and each is not None:
            return float(_cu_for(min(months), prices) / each / DAYS), sure
    return None, False


def _cu_for(amount: Decimal, prices: Sequence[float]) -> Decimal:
    """CU that cost so much: the tiers turned around."""
    cu, left, below = Decimal(0), amount, Decimal(0)
    for top, each in zip(_value(TIERS)["tier_upper_cu"], prices, strict=True):
        unit_price = Decimal(str(each))
        room = None if top is None else (Decimal(top) - below) * unit_price
        if room is None or left <= room:
            return cu + left / unit_price
        cu, left, below = Decimal(top), left - room, Decimal(top)
    return cu


def _sentences(result: FunctionsCost, row: FunctionCard, load: FunctionLoad, language: Language) -> list[str]:
    """What the figures say, each with its standing."""
    shown: dict[str, object] = {
        "card": row.name, "gpu": result.gpu_gb, "calls": plain(result.calls_per_day), "seconds": plain(result.seconds_per_call),
        "cu": count(result.cu, language), "s": "" if result.calls_per_day == 1 else "s",
    }  # fmt: skip
    said = [sentence("fc.no_official", language, **shown) if result.usd is None else sentence("fc.usd", language, **shown, usd=money(result.usd))]
    if result.cny_unverified is not None:
        said.append(sentence("fc.cny", language, cny=money(result.cny_unverified)))
    for item in result.machine:
        said.append(sentence(
            "fc.machine", language, name=result.instance_type, region=place(item.region, language), date=item.as_of,
            way=sentence(f"way.{item.way}", language), monthly=money(item.monthly), unit=unit(item.currency, language),
        ))  # fmt: skip
    if result.break_even_calls_per_day is not None:
        flag = "" if result.break_even_official else sentence("fc.flag", language)
        said.append(sentence("fc.break_even", language, calls=count(result.break_even_calls_per_day, language), flag=flag))
        most = SECONDS_OF_A_DAY / result.seconds_per_call
        if result.break_even_calls_per_day > most:
            said.append(sentence("fc.one_by_one", language, most=count(most, language)))
    elif result.instance_type:
        said.append(sentence("fc.no_break_even", language))
    return [*said, sentence("fc.size", language, vcpu=plain(load.vcpu), memory=plain(load.memory_gb)), sentence("fc.beside", language)]


def _sources(official: bool) -> list[str]:
    used = [FACTORS, TIERS, COPY] if official else [FACTORS, COPY]
    return [name for fact in used for name in facts.billing_facts()[fact].source_ids]


def _value(fact: str) -> Mapping[str, Any]:
    return facts.billing_facts()[fact].value or {}
