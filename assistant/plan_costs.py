"""The tool calls of costs and orders: for a machine that is named, or for the one that a sum has chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tools.prices import HOURS_PER_MONTH
from tools.site import CURRENCIES, current_site

from .plan_places import gpu_ids_of
from .read.reading import NameMention, Reading

MOST_NAMES = 2
"""Machines that are compared or ordered in one answer."""
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The machine that costs are worked out for: named by the user, or the pick of a sum with its number and its model."""

    name: str
    machines: int = 1
    gpu_count: int | None = None
    weight_dtype: str | None = None


def named_machines(reading: Reading) -> list[Chosen]:
    """The machines that are named, types before families before cards."""
    typed = [mention.name if mention.known else mention.text for mention in (*reading.instances, *reading.families)]
    cards = [(_card(mention), mention.count) for mention in reading.cards]
    found = [Chosen(name) for name in typed] + [Chosen(name, gpu_count=count or reading.gpus) for name, count in cards]
    if len(typed) and reading.gpus and not reading.instances:
        found = [Chosen(one.name, gpu_count=one.gpu_count or reading.gpus) for one in found]
    return list({one.name: one for one in found}.values())[:MOST_NAMES]


def _card(mention: NameMention) -> str:
    """A card by its id, or as typed where it may mean two of them (a bare A100)."""
    ids = gpu_ids_of(mention)
    return ids[0] if len(ids) == 1 else mention.text


def machine_calls(intent: str, reading: Reading, chosen: Chosen, placed: dict[str, Any]) -> Iterator[Call]:
    """What one intent asks of one machine."""
    if intent == "cost":
        yield "compare_costs", {**_where(reading, chosen, placed), **_time(reading), "currency": currency_of(reading)}
    elif intent == "order":
        yield "order_instance", {**_where(reading, chosen, placed), **_order(reading), "site": reading.site or current_site()}
    elif intent == "api_cost" and reading.api is not None:
        yield "rent_or_api", {**_where(reading, chosen, placed), **_api(reading, chosen)}
    elif intent == "run_cost":
        yield "training_cost", {**_where(reading, chosen, placed), **_run(reading), "currency": currency_of(reading)}
    elif intent == "where_sold":
        asked = {"regions": reading.regions} if "where_sold" in reading.intents and reading.regions else {}
        yield "where_sold", {"name": chosen.name, **asked, "language": placed["language"]}


def currency_of(reading: Reading) -> str:
    """What prices are told in: of the site asked for by name, else of the one in use."""
    return CURRENCIES[reading.site or current_site()]


def monthly_spend(reading: Reading) -> float | None:
    """What the API costs in a month at the volume told: each kind of tokens times its price."""
    api = reading.api
    if api is None or reading.tokens_per_month is None:
        return None
    paid, got = api.input, api.output
    if reading.input_per_month and reading.output_per_month and paid is not None and got is not None:
        return (reading.input_per_month * paid + reading.output_per_month * got) / 1e6
    prices = {price for price in (paid, got) if price is not None}
    return reading.tokens_per_month * prices.pop() / 1e6 if len(prices) == 1 else None


def _where(reading: Reading, chosen: Chosen, placed: dict[str, Any]) -> dict[str, Any]:
    count = {"gpu_count": chosen.gpu_count} if chosen.gpu_count else {}
    return {"name": chosen.name, **count, "machines": max(chosen.machines, reading.machines or 1), **placed}


def _time(reading: Reading) -> dict[str, Any]:
    """Hours of each month with its months, whole months, or the hours of a job; none where only the break-even is asked."""
    if "idle" in reading.asks:
        return {}
    if reading.hours_per_month:
        return {"hours": reading.hours_per_month, "months": max(1, round((reading.hours or 0) / reading.hours_per_month))}
    priced_by = reading.months == 1 and "month" in reading.billing and _MONTH.search(reading.normal.lower()) is None  # "包月多少钱" names a way, not a time
    if reading.hours is None and (priced_by or ("pay_off" in reading.asks and reading.months in (None, 1))):
        return {}
    if reading.months and not reading.hours:
        whole = reading.months == int(reading.months)
        return {"months": int(reading.months)} if whole else {"hours": reading.months * HOURS_PER_MONTH}
    return {"hours": reading.hours} if reading.hours else {}


_MONTH = re.compile(r"(?<!每)(?<!每个)(?:一|1|个)\s?个?月|(?:a|one|1) (?:full |whole )?month(?!ly)")
"""A month as a length of time."""


def _order(reading: Reading) -> dict[str, Any]:
    ways, months = set(reading.billing), int(reading.months or 1)
    billing = "spot" if "spot" in ways else "month" if ways & {"month", "year"} else "payg"
    found: dict[str, Any] = {"billing": billing}
    if billing == "month":
        found["months"] = 12 if "year" in ways and not reading.months else max(1, months)
    if reading.disk_gib:
        found["disk_gib"] = int(reading.disk_gib)
    zone = _zone(reading)
    return {**found, "zone": zone} if zone else found


def _zone(reading: Reading) -> str | None:
    """A zone's id, of the region that is named: cn-hangzhou-i, us-east-1a."""
    found = re.search(rf"(?<![a-z0-9-]){re.escape(reading.region or '-')}-?[a-z](?![a-z0-9-])", reading.normal.lower())
    return found.group() if found else None


def _api(reading: Reading, chosen: Chosen) -> dict[str, Any]:
    api = reading.api
    assert api is not None  # the caller looked
    paid, got = api.input if api.input is not None else api.output, api.output if api.output is not None else api.input
    found: dict[str, Any] = {"api_input": paid, "api_output": got, "currency": api.currency}
    if reading.models:
        found["model"] = reading.models[0].model_id or reading.models[0].text
        found["weight_dtype"] = chosen.weight_dtype
    if reading.input_tokens and reading.output_tokens:
        found |= {"input_tokens": reading.input_tokens, "output_tokens": reading.output_tokens}
    elif reading.input_per_month and reading.output_per_month:
        found["input_share"] = round(reading.input_per_month / (reading.input_per_month + reading.output_per_month), 4)
    return {name: value for name, value in found.items() if value is not None}


def _run(reading: Reading) -> dict[str, Any]:
    """The training as told: its hours, its tokens, or its samples and their length, with the epochs."""
    model = next((mention.model_id or mention.text for mention in reading.models), "")
    found: dict[str, Any] = {
        "model": model,
        "method": reading.method or ("full" if reading.objective == "pretrain" else None),
        "tokens": reading.training_tokens,
        "samples": reading.samples,
        "sample_tokens": reading.context if reading.samples else None,
        "epochs": reading.epochs,
        "hours": reading.hours if not (reading.training_tokens or reading.samples) else None,
        "checkpointing": False if reading.checkpointing == "none" else None,
        "vision": True if (reading.job or "").startswith("vision") else None,
    }
    return {name: value for name, value in found.items() if value is not None}
