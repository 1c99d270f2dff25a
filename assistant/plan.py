"""From a reading to tool calls. A wrong premise is looked up in the same round as the wish it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from knowledge import facts

from .filters import (
    asks_cheaper,
    asks_cheapest,
    asks_in_ram,
    conditions_of,
    intents_of,
    solves_at_speed,
    wishes_speed,
)
from .plan_costs import machine_calls, monthly_spend, named_machines
from .plan_jobs import ON_GPUS, asks_for_machine, job_calls, names_subject
from .plan_places import budget_of, names_of, places_of
from .plan_serving import MAX_MODELS, model_name, size_call, size_calls, speed_calls
from .read.money import quotes_rate
from .read.reading import COSTS, Reading

FEEL = ("8B", "32B", "72B")
"""Sizes that give a feel for the cards when somebody has not said which model."""
SEARCHED_WITH = {
    "idle": {"zh": "普通停机 节省停机 计算资源照常收费", "en": "ordinary stop, economical mode, compute keeps being charged"},
}
"""Words of the field that a question about a matter is searched with besides its own."""
SPOKEN = ["guide", "document", "model", "disk"]
"""Kinds of passages that answer a question; cards of GPUs and families are looked up instead."""
COMPUTED_JOBS = (None, "llm_inference")
"""Jobs that `size_llm` sums; those of the other tools are planned in plan_jobs.py."""


@dataclass(frozen=True)
class PlannedCall:
    """One call of a tool of the toolbox."""

    tool: str
    args: dict[str, Any]


def plan_calls(reading: Reading, *, region: str) -> list[PlannedCall]:
    """Calls for one question, all independent of one another. Empty: the answer needs no look-up."""
    if reading.absurd or (reading.closed_models and not reading.models):
        return []
    common = {"language": reading.language}
    if reading.pasted:
        article = reading.text[slice(*reading.pasted)]
        return [PlannedCall("check_claims", {"text": article, "questions": False, **common})]
    placed = {**common, "region": reading.region or region}
    calls = [call for intent in intents_of(reading) for call in _calls_for(intent, reading, common, placed)]
    if calls and _has_premise(reading):
        calls.insert(0, PlannedCall("check_claims", {"text": reading.text, **common}))
    return _each_once(calls)


def _calls_for(
    intent: str, reading: Reading, common: dict[str, Any], placed: dict[str, Any]
) -> Iterator[PlannedCall]:
    if intent in COSTS:
        yield from _cost_calls(intent, reading, common, placed)
    elif intent == "sizing":
        yield from _sizing_calls(reading, common, placed)
    elif intent == "catalog":
        yield from _catalog_calls(reading, common, placed)
    elif intent == "price":
        yield from _price_calls(reading, common, placed)
    elif intent == "comparison":
        yield from _comparison_calls(reading, common, placed)
    elif intent == "claim_check":
        yield PlannedCall("check_claims", {"text": reading.text, **common})
        yield from _name_calls(reading, placed)
        if reading.weight_dtype in ("fp8", "bf16") and reading.cards:
            yield PlannedCall("find_instances", {"precision": reading.weight_dtype, **placed})
        yield _search(reading, common)
    elif intent in ("guidance", "out_of_scope"):  # words of this field that the tables lack may stand in a passage
        if asks_for_machine(reading):
            yield from (call for call in _other_job_calls(reading, common, placed) if call.tool in ON_GPUS)
        yield _search(reading, common)


def _cost_calls(intent: str, reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    """Of machines that are named at once; of a model or network alone the sum, whose pick is looked at in the second round."""
    if intent == "catalog_state":
        yield PlannedCall("catalog_state", common)
        return
    machines = named_machines(reading)
    if intent == "run_cost" or (names_subject(reading) and not machines):
        yield from _sizing_calls(reading, common, placed)
        return
    for machine in machines:
        yield from (PlannedCall(*call) for call in machine_calls(intent, reading, machine, placed))
    if intent == "api_cost" and not machines:
        spend = monthly_spend(reading)
        if spend and reading.api and reading.api.currency == "CNY":
            yield PlannedCall("find_instances", {"max_monthly": round(spend, 2), **placed})
    if intent in ("cost", "api_cost"):
        yield _search(reading, common)


def _sizing_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    if reading.job not in COMPUTED_JOBS or asks_in_ram(reading):
        yield from _other_job_calls(reading, common, placed)
        return
    names = [model_name(mention) for mention in reading.models[:MAX_MODELS]]
    if reading.config_json or names or not asks_back(reading):
        calls = speed_calls if wishes_speed(reading) and not solves_at_speed(reading) else size_calls
        yield from (PlannedCall(*call) for call in calls(reading, names, placed))
        unknown = [*(m for m in reading.families if not m.known), *(m for m in reading.instances if not m.known)]
        if unknown:
            yield PlannedCall("look_up_names", {"names": [m.name for m in unknown], **placed})
        yield _search(reading, common)
        return
    yield from _name_calls(reading, placed)
    if asks_back(reading):
        feel = {"context": reading.context, "concurrency": reading.concurrency, "weight_dtype": "awq", **placed}
        yield from (PlannedCall("size_llm", {"model": size, **feel}) for size in FEEL)
    yield _search(reading, common)


def _other_job_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    """Training, vision, encoders and so on: sums of what is named, else what the catalog and the passages say."""
    sums = [PlannedCall(tool, args) for tool, args in job_calls(reading, places=places_of(reading), budget=budget_of(reading.budget), shared=placed)]
    yield from sums
    yield _search(reading, common)
    unknown = [m.name for m in (*reading.families, *reading.instances) if not m.known]
    if unknown and sums:
        yield PlannedCall("look_up_names", {"names": unknown, **placed})
    elif not sums:
        yield from _name_calls(reading, placed)


def asks_back(reading: Reading) -> bool:
    """Whether no model is known and none can be chosen either: then the missing facts are asked for."""
    chooses = "model_choice" in reading.topics and bool(places_of(reading))
    return "model" in reading.missing and not reading.config_json and not chooses


def _catalog_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    if names_of(reading):
        yield from _name_calls(reading, placed)
    else:
        there = {"sold_here": True} if "sold_there" in reading.asks else {}
        yield PlannedCall("find_instances", {**conditions_of(reading), **there, **placed})
    yield _search(reading, common)


def _price_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    names = names_of(reading)
    if names:
        if quotes_rate(reading):
            yield PlannedCall("check_claims", {"text": reading.text, **common})
        yield PlannedCall("get_prices", {"names": names, **placed})
    elif names_subject(reading):
        yield from _sizing_calls(reading, common, placed)
        return
    elif reading.budget is not None or reading.gpus or reading.card_memory_gb or asks_cheapest(reading):
        yield PlannedCall("find_instances", {**conditions_of(reading), **placed})
    yield _search(reading, common)


def _comparison_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    yield from _name_calls(reading, placed)
    if asks_cheaper(reading):
        yield from (PlannedCall("get_prices", {"names": [name], **placed}) for name in names_of(reading))
    if names_subject(reading) and reading.job not in COMPUTED_JOBS:
        yield from (call for call in _other_job_calls(reading, common, placed) if call.tool != "look_up_names")
        return
    if reading.models and reading.job in COMPUTED_JOBS:
        yield from (PlannedCall(*size_call(reading, mention.text, placed)) for mention in reading.models[:MAX_MODELS])
    yield _search(reading, common)


def _name_calls(reading: Reading, placed: dict[str, Any]) -> Iterator[PlannedCall]:
    names = names_of(reading)
    if names:
        yield PlannedCall("look_up_names", {"names": names, **placed})


def _search(reading: Reading, common: dict[str, Any]) -> PlannedCall:
    subjects = [m.name for m in (*reading.families, *reading.cards) if m.known]
    subjects += [mention.model_id for mention in reading.models if mention.model_id]
    hints = " ".join(SEARCHED_WITH[ask][reading.language] for ask in reading.asks if ask in SEARCHED_WITH)
    args = {"query": f"{reading.normal[:500]} {hints}".strip(), "topics": reading.topics, "subjects": subjects, "kinds": SPOKEN, **common}
    return PlannedCall("search_guides", args)


def _has_premise(reading: Reading) -> bool:
    wrong_size = any(
        card.memory_gb and card.known and not card.alternatives
        and facts.gpus()[card.name].memory_gb != card.memory_gb
        for card in reading.cards
    )
    unknown = any(not m.known for m in (*reading.families, *reading.instances))
    return bool(reading.presumes) or wrong_size or unknown


def _each_once(calls: list[PlannedCall]) -> list[PlannedCall]:
    unique: list[PlannedCall] = []
    for call in calls:
        if call not in unique:
            unique.append(call)
    return unique
