"""From a reading to tool calls. A wrong premise is looked up in the same round as the wish it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from knowledge import facts
from tools.prices import HOURS_PER_MONTH

from .filters import (
    asks_cheaper,
    asks_cheapest,
    asks_in_ram,
    conditions_of,
    intents_of,
    wishes_speed,
)
from .plan_jobs import job_calls
from .read.money import quotes_rate
from .read.reading import ModelMention, Money, NameMention, Reading

FEEL = ("8B", "32B", "72B")
"""Sizes that give a feel for the cards when somebody has not said which model."""
SPOKEN = ["guide", "document", "model", "disk"]
"""Kinds of passages that answer a question; cards of GPUs and families are looked up instead."""
COMPUTED_JOBS = (None, "llm_inference")
"""Jobs that `size_llm` sums; those of the other tools are planned in plan_jobs.py."""
LADDER = ("7B", "14B", "32B", "70B", "110B", "405B")
"""Sizes tried for "what is the largest model that this card takes"."""
MAX_MODELS = 3
SPEEDS = ("qps", "total_tokens_per_s", "tokens_per_s", "ttft_s", "input_tokens", "output_tokens")
SPEED_ARGUMENTS = (
    "model", "config_json", "weight_dtype", "kv_dtype", "context", "concurrency", "tensor_parallel", "on", "max_hourly",
    "region", "language",
)  # fmt: skip
"""What a sizing for a speed takes of the arguments of any sizing."""
SUMMED_ENGINES = ("vllm", "sglang", "transformers", "llama.cpp", "ollama")
ENGINE_DTYPES = {"ollama": "q4_k_m", "llama.cpp": "q4_k_m"}
"""The usual files of engines for GGUF: what Ollama's tags load unless they name another."""


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
    placed = {**common, "region": reading.region or region}
    calls = [call for intent in intents_of(reading) for call in _calls_for(intent, reading, common, placed)]
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
    elif intent in ("guidance", "out_of_scope"):  # words of this field that the tables lack may stand in a passage
        yield _search(reading, common)


def _sizing_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    if reading.job not in COMPUTED_JOBS or asks_in_ram(reading):
        yield from _other_job_calls(reading, common, placed)
        return
    names = [_model_name(mention) for mention in reading.models[:MAX_MODELS]]
    if reading.config_json or names or not asks_back(reading):
        yield from _speed_calls(reading, names, placed) if wishes_speed(reading) else _size_calls(reading, names, placed)
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
    sums = [PlannedCall(tool, args) for tool, args in job_calls(reading, places=places_of(reading), max_hourly=_hourly(reading.budget), shared=placed)]
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


def _size_calls(reading: Reading, names: list[str], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    """One sum per model, per precision of a single model, or per size of the ladder where a card is to be filled."""
    if not names and not reading.config_json:
        alone = reading.concurrency or 1  # "the largest model" is what one user can load
        filled = reading.model_copy(update={"weight_dtype": reading.weight_dtype or "awq", "concurrency": alone})
        yield from (_size_call(filled, size, placed) for size in LADDER)
    elif len(names) <= 1 and len(reading.weight_dtypes) > 1:
        for dtype in reading.weight_dtypes[:MAX_MODELS]:
            yield _size_call(reading.model_copy(update={"weight_dtype": dtype}), (names or [""])[0], placed)
    else:
        yield from (_size_call(reading, name, placed) for name in (names or [""]))


def _speed_calls(reading: Reading, names: list[str], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    """Machines for the speed that was asked for, one call a model; what a copy needs is summed in the second round."""
    for name in names or [""]:
        sized = _size_call(reading, name, placed).args
        kept = {key: value for key, value in sized.items() if key in SPEED_ARGUMENTS and value is not None}
        speeds = {name: getattr(reading, name) for name in SPEEDS}
        yield PlannedCall("size_speed", {**kept, **{key: value for key, value in speeds.items() if value is not None}})


def _model_name(mention: ModelMention) -> str:
    """As typed, so that the look-up can say how it understood it; a bare size of a series by its full name."""
    in_series = bool(mention.model_id) and mention.text[:1].isdigit()
    return str(mention.model_id) if in_series else mention.text


def _size_call(reading: Reading, model: str, placed: dict[str, Any]) -> PlannedCall:
    budget = reading.budget
    return PlannedCall(
        "size_llm",
        {
            "model": "" if reading.config_json else model,
            "config_json": reading.config_json,
            "weight_dtype": reading.weight_dtype or dtype_of_engine(reading),
            "kv_dtype": reading.kv_dtype,
            "context": reading.context,
            "concurrency": reading.concurrency,
            "tensor_parallel": reading.tensor_parallel,
            **_engine_flags(reading),
            "on": places_of(reading),
            "gpu_count": reading.gpus if not places_of(reading) else None,
            "max_hourly": _hourly(budget),
            **placed,
        },
    )


def _engine_flags(reading: Reading) -> dict[str, Any]:
    """The engine and its flags, where they were said."""
    return {
        "engine": reading.engine if reading.engine in SUMMED_ENGINES else None,
        "pipeline_parallel": reading.pipeline_parallel,
        "data_parallel": reading.data_parallel,
        "expert_parallel": bool(reading.expert_parallel),
        "gpu_memory_utilization": reading.utilization,
        "max_num_seqs": reading.max_num_seqs,
        "max_num_batched_tokens": reading.max_num_batched_tokens,
        "enforce_eager": bool(reading.enforce_eager),
        "lora_adapters": reading.lora_adapters,
        "lora_rank": reading.lora_rank,
        "solve": reading.solve if reading.solve in ("context", "concurrency") else None,
    }


def dtype_of_engine(reading: Reading) -> str | None:
    """What an engine loads where no precision is said, for a model that is published in 16 bit or not in the table."""
    models = facts.models()
    native = [models[m.model_id].native_dtype for m in reading.models if m.model_id in models]
    if reading.weight_dtype or not all(dtype in ("bfloat16", "float16") for dtype in native):
        return None
    return ENGINE_DTYPES.get(reading.engine or "")


def _hourly(budget: Money | None) -> float | None:
    """A budget in CNY per hour; one per month is spread over 730 hours of pay-as-you-go."""
    if budget is None or budget.currency != "CNY" or budget.per not in ("hour", "month"):
        return None
    return budget.amount if budget.per == "hour" else round(budget.amount / HOURS_PER_MONTH, 4)


def places_of(reading: Reading) -> list[str]:
    """Cards at their count, families and types that the user named, as `size_llm` takes them."""
    gpu_ids = [(name, card.count) for card in reading.cards for name in _gpu_ids(card)]
    gpu_ids += [(gpu_id, reading.gpus) for gpu_id in _cards_of_size(reading.card_memory_gb)] if not gpu_ids else []
    cards = [f"{name}x{count}" if (count := own or reading.gpus) else name for name, own in gpu_ids]
    named = [m.name for m in (*reading.families, *reading.instances) if m.known]
    return [*cards, *named]


def _catalog_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    if _names(reading):
        yield from _name_calls(reading, placed)
    else:
        yield PlannedCall("find_instances", {**conditions_of(reading), **placed})
    yield _search(reading, common)


def _price_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    names = _names(reading)
    if names:
        if quotes_rate(reading):
            yield PlannedCall("check_claims", {"text": reading.text, **common})
        yield PlannedCall("get_prices", {"names": names, **placed})
    elif reading.models:
        yield from _sizing_calls(reading, common, placed)
        return
    elif reading.budget is not None or reading.gpus or reading.card_memory_gb or asks_cheapest(reading):
        yield PlannedCall("find_instances", {**conditions_of(reading), **placed})
    yield _search(reading, common)


def _comparison_calls(reading: Reading, common: dict[str, Any], placed: dict[str, Any]) -> Iterator[PlannedCall]:
    yield from _name_calls(reading, placed)
    if asks_cheaper(reading):
        yield from (PlannedCall("get_prices", {"names": [name], **placed}) for name in _names(reading))
    if reading.models and reading.job in COMPUTED_JOBS:
        yield from (_size_call(reading, mention.text, placed) for mention in reading.models[:MAX_MODELS])
    yield _search(reading, common)


def _name_calls(reading: Reading, placed: dict[str, Any]) -> Iterator[PlannedCall]:
    names = _names(reading)
    if names:
        yield PlannedCall("look_up_names", {"names": names, **placed})


def _names(reading: Reading) -> list[str]:
    """What the user named, as looked up: a card by its id where known, else as typed."""
    mentions: list[NameMention] = [*reading.instances, *reading.families]
    names = [m.name if m.known and m.name else m.text for m in mentions]
    names += [gpu_id for card in reading.cards for gpu_id in _gpu_ids(card) or [card.text]]
    return list(dict.fromkeys(names))


def _gpu_ids(card: NameMention) -> list[str]:
    """The cards that a mention may mean: a bare "A100" is both sizes."""
    if not card.known:
        return []
    return [card.name] if card.memory_gb else [card.name, *card.alternatives]


def _cards_of_size(memory_gb: float | None) -> list[str]:
    """The card of that memory that is easiest to get ("8 × 80 GB"): on sale before through sales."""
    whole = [family for family in facts.families().values() if family.kind in ("gpu", "bare_metal_gpu")]
    for status in ("on_sale", "contact_sales", "invite_only"):
        sold = {family.gpu_id for family in whole if family.status == status}
        found = [gpu.gpu_id for gpu in facts.gpus().values() if gpu.memory_gb == memory_gb and gpu.gpu_id in sold]
        if found:
            return found
    return []


def _search(reading: Reading, common: dict[str, Any]) -> PlannedCall:
    subjects = [m.name for m in (*reading.families, *reading.cards) if m.known]
    subjects += [mention.model_id for mention in reading.models if mention.model_id]
    args = {"query": reading.normal[:500], "topics": reading.topics, "subjects": subjects, "kinds": SPOKEN, **common}
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
