"""From a reading to tool calls. A wrong premise is looked up in the same round as the wish it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from knowledge import facts

from .read.reading import NameMention, Reading

FEEL = ("8B", "32B", "72B")
"""Sizes that give a feel for the cards when somebody has not said which model."""
SPOKEN = ["guide", "document", "model", "disk"]
"""Kinds of passages that answer a question; cards of GPUs and families are looked up instead."""
COMPUTED_JOBS = (None, "llm_inference")
MAX_MODELS = 3


@dataclass(frozen=True)
class PlannedCall:
    """One call of a tool of the toolbox."""

    tool: str
    args: dict[str, Any]


def plan_calls(reading: Reading, *, region: str) -> list[PlannedCall]:
    """Calls for one question, all independent of one another. Empty: the answer needs no look-up."""
    if reading.absurd:
        return []
    common = {"language": reading.language}
    placed = {**common, "region": reading.region or region}
    calls = [call for intent in reading.intents for call in _calls_for(intent, reading, common, placed)]
    if calls and _has_premise(reading):
        calls.insert(0, PlannedCall("check_claims", {"text": reading.text, **common}))
    return _each_once(calls)


def _calls_for(
    intent: str, reading: Reading, common: dict[str, Any], placed: dict[str, Any]
) -> Iterator[PlannedCall]:
    if intent == "sizing":
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
    elif intent == "guidance":
        yield _search(reading, common)


def _sizing_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    if reading.job not in COMPUTED_JOBS:
        yield _search(reading, common)
        yield from _name_calls(reading, placed)
        return
    names = [mention.text for mention in reading.models[:MAX_MODELS]]
    if reading.config_json or names:
        yield from (_size_call(reading, name, placed) for name in (names or [""]))
        unknown = [*(m for m in reading.families if not m.known), *(m for m in reading.instances if not m.known)]
        if unknown:
            yield PlannedCall("look_up_names", {"names": [m.name for m in unknown], **placed})
        return
    yield from _name_calls(reading, placed)
    if "model" in reading.missing:
        feel = {"context": reading.context, "concurrency": reading.concurrency, "weight_dtype": "awq", **placed}
        yield from (PlannedCall("size_llm", {"model": size, **feel}) for size in FEEL)
    yield _search(reading, common)


def _size_call(reading: Reading, model: str, placed: dict[str, Any]) -> PlannedCall:
    budget = reading.budget
    hourly = budget.amount if budget and budget.per == "hour" and budget.currency == "CNY" else None
    return PlannedCall(
        "size_llm",
        {
            "model": "" if reading.config_json else model,
            "config_json": reading.config_json,
            "weight_dtype": reading.weight_dtype,
            "kv_dtype": reading.kv_dtype,
            "context": reading.context,
            "concurrency": reading.concurrency,
            "tensor_parallel": reading.tensor_parallel,
            "on": _places(reading),
            "max_hourly": hourly,
            **placed,
        },
    )


def _places(reading: Reading) -> list[str]:
    """Cards at their count, families and types that the user named, as `size_llm` takes them."""
    cards = [f"{card.name}x{count}" if (count := card.count or reading.gpus) else card.name for card in reading.cards]
    named = [m.name for m in (*reading.families, *reading.instances) if m.known]
    return [*cards, *named]


def _catalog_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    if _names(reading):
        yield from _name_calls(reading, placed)
    else:
        yield PlannedCall("find_instances", {**_conditions(reading), **placed})
    yield _search(reading, common)


def _price_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    names = _names(reading)
    if names:
        yield PlannedCall("get_prices", {"names": names, **placed})
    elif reading.models:
        yield from _sizing_calls(reading, common, placed)
        return
    elif reading.budget is not None:
        yield PlannedCall("find_instances", {**_conditions(reading), **placed})
    yield _search(reading, common)


def _comparison_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    yield from _name_calls(reading, placed)
    if reading.models and reading.job in COMPUTED_JOBS:
        yield from (_size_call(reading, mention.text, placed) for mention in reading.models[:MAX_MODELS])
    yield _search(reading, common)


def _name_calls(reading: Reading, placed: dict[str, Any]) -> Iterator[PlannedCall]:
    names = _names(reading)
    if names:
        yield PlannedCall("look_up_names", {"names": names, **placed})


def _names(reading: Reading) -> list[str]:
    """What the user named, as looked up: a card by its id where known, else as typed."""
    mentions: list[NameMention] = [*reading.instances, *reading.families, *reading.cards]
    return list(dict.fromkeys(m.name if m.known and m.name else m.text for m in mentions))


def _conditions(reading: Reading) -> dict[str, Any]:
    budget = reading.budget
    words = reading.normal.lower()
    conditions: dict[str, Any] = {
        "gpu_count": reading.gpus,
        "max_hourly": budget.amount if budget and budget.currency == "CNY" and budget.per == "hour" else None,
        "precision": reading.weight_dtype if reading.weight_dtype in ("fp8", "bf16") else None,
        "nvlink": True if "nvlink" in words else None,
        "rdma": True if "rdma" in words else None,
    }
    return {key: value for key, value in conditions.items() if value is not None}


def _search(reading: Reading, common: dict[str, Any]) -> PlannedCall:
    subjects = [m.name for m in (*reading.families, *reading.cards) if m.known]
    args = {"query": reading.normal[:500], "topics": reading.topics, "subjects": subjects, "kinds": SPOKEN, **common}
    return PlannedCall("search_guides", args)


def _has_premise(reading: Reading) -> bool:
    wrong_size = any(
        card.memory_gb and card.name in facts.gpus() and facts.gpus()[card.name].memory_gb != card.memory_gb
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
