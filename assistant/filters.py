"""Conditions of a catalog question: what the words of a question ask of an instance type."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from knowledge import facts
from tools.encoders.names import find_encoder
from tools.results import Recommendation
from tools.sizing_results import LlmSizing

from .plan_places import budget_of
from .read.reading import Reading


def conditions_of(reading: Reading) -> dict[str, Any]:
    """Arguments of `find_instances` for a question; what is not said is absent."""
    words = reading.normal.lower()
    flags = {name for name, spoken in _table()["flag"].items() if _says(words, spoken)}
    status = next((name for name, spoken in _table()["status"].items() if _says(words, spoken)), None)
    precision = "fp8" if "fp8" in flags else "bf16" if "bf16" in flags else None
    found: dict[str, Any] = {
        "gpu_count": reading.gpus,
        "min_card_memory_gb": reading.card_memory_gb or (_memory(words) if asks_cheapest(reading) else None),
        **budget_of(reading.budget),
        "precision": precision,
        "status": status,
    }
    found |= {name: True for name in ("nvlink", "rdma", "bare_metal") if name in flags}
    return {key: value for key, value in found.items() if value is not None}


def _memory(words: str) -> float | None:
    """GPU memory said beside a machine: "with 24 GB", "24G 显存"; not the memory of the host."""
    found = re.search(r"(?<![\d.])(\d{1,3}) ?gi?b?(?![a-z0-9])(?! ?(?:内存|ram|memory of host|system|ssd|disk|云盘|硬盘))", words)
    return float(found[1]) if found else None


def intents_of(reading: Reading) -> list[str]:
    """The intents of a question, set right by what it names.

    Two things and a word of choice are a comparison; several conditions on a machine and nothing to run on it are a
    catalog question.
    """
    intents: list[str] = list(reading.intents)
    named = len(reading.cards) + len(reading.families) + len(reading.instances)
    if intents[0] in ("price", "comparison") and asks_token_price(reading):
        return ["sizing"]
    if intents[0] == "price" and wishes_speed(reading) and reading.carried and reading.cards and "cards" not in reading.carried:
        return ["sizing"]
    if intents[0] == "price" and "spot" in reading.billing and (reading.hours or reading.months) and (named == 1 or reading.models):
        return ["cost"]  # a sum by spot quotes, beside the other ways
    if intents[0] == "price" and "serverless" in reading.topics and named == 0:
        return ["guidance", *(intent for intent in intents if intent not in ("guidance", "price"))]  # billed by other rules than instances
    bare = not (reading.models or reading.config_json or reading.cards or reading.families or reading.instances)
    if named == 1 and (len(reading.regions) > 1 or asks_where(reading)) and asks_cheaper(reading) and intents[0] in ("catalog", "comparison", "guidance"):
        return ["price"]
    if intents[0] == "price" and named > 1 and not reading.models and _says(reading.normal.lower(), _table()["choice"]["cheapest"]):
        return ["comparison", *(intent for intent in intents if intent not in ("price", "catalog"))]
    if intents[0] == "guidance" and named > 1 and _says(reading.normal.lower(), _table()["choice"]["compare"]):
        return ["comparison", *intents]
    if intents[0] == "guidance" and bare and len(conditions_of(reading)) > 1:
        return ["catalog", *intents]
    return intents


def asks_cheaper(reading: Reading) -> bool:
    """Whether a choice is to be made by cost: "哪边便宜", "which is cheaper"."""
    return _says(reading.normal.lower(), _table()["choice"]["cheaper"])


def asks_cheapest(reading: Reading) -> bool:
    """Whether the cheapest machine is asked for, whichever it is: "最便宜的 GPU 实例", "cheapest instance"."""
    words = reading.normal.lower()
    return _says(words, _table()["choice"]["cheapest"]) and _says(words, _table()["choice"]["machine"])


def asks_in_ram(reading: Reading) -> bool:
    """Whether a model is to live in main memory for the most part, a card doing the rest: ktransformers, experts in RAM."""
    if reading.job not in (None, "llm_inference") or not reading.models:
        return False
    model = facts.models().get(reading.models[0].model_id or "")
    experts = bool(model and model.moe)
    said = _says(reading.normal.lower(), _table()["choice"]["in_ram"])
    return reading.engine == "ktransformers" or (experts and (said or reading.ram_gib is not None))


def solves_at_speed(reading: Reading) -> bool:
    """Whether the number of users at a speed is asked for on a place that is named: "A10 上每人 20 token/s 最多几个人"."""
    placed = bool(reading.cards or reading.families or reading.instances)
    return reading.solve == "concurrency" and reading.tokens_per_s is not None and placed


def wishes_speed(reading: Reading) -> bool:
    """Whether a speed is asked for in figures: requests or tokens per second, time to the first token."""
    return any(value is not None for value in (reading.qps, reading.total_tokens_per_s, reading.tokens_per_s, reading.ttft_s))


def asks_which(reading: Reading) -> bool:
    """Whether a card, a machine or an amount of memory is asked for: "用什么卡", "which instance", "how much VRAM"."""
    return _says(reading.normal.lower(), _table()["choice"]["which"])


def asks_rate(reading: Reading) -> bool:
    """Whether a rate is asked for or wished: requests, frames or texts per second, streams in real time."""
    return reading.qps is not None or _says(reading.normal.lower(), _table()["choice"]["rate"])


def asks_duration(reading: Reading) -> bool:
    """Whether it is asked how long a job takes."""
    return _says(reading.normal.lower(), _table()["choice"]["duration"])


def asks_token_rate(reading: Reading) -> bool:
    """Whether it is asked how fast a model is, without a wish in figures: "每秒多少 token", "how many tokens per second"."""
    return not wishes_speed(reading) and _says(reading.normal.lower(), _table()["choice"]["token_rate"])


def asks_token_price(reading: Reading) -> bool:
    """Whether the cost of a model's tokens is asked for."""
    return bool(reading.models) and "token_price" in reading.topics


def trains_encoder(reading: Reading) -> bool:
    """Whether what is to be trained is an encoder: BERT, an embedding model, a reranker."""
    models = facts.models()
    known = [models[m.model_id].modality == "encoder" if m.model_id in models else bool(find_encoder(m.text)) for m in reading.models]
    return reading.job == "llm_training" and bool(known) and all(known)


def asks_where(reading: Reading) -> bool:
    """Whether the region is what is asked for: "在哪个地域最便宜", "which region is cheapest"."""
    return not reading.regions and _says(reading.normal.lower(), _table()["choice"]["where"])


def asks_by_month(reading: Reading) -> bool:
    """Whether prices are to be compared by the month: "包月哪个便宜", "按月", "per month"."""
    return "month" in reading.billing or _says(reading.normal.lower(), _table()["choice"]["month"])


def unknown_place(reading: Reading) -> str:
    """What stands where a region is named ("in Mars region", "火星地域") and is none; empty where a region was understood."""
    if reading.regions:
        return ""
    table = _table()["place"]
    found = [match for pattern in table["patterns"] for match in re.finditer(pattern, reading.normal)]
    named = (next(group for group in match.groups() if group).strip() for match in found)
    return next((name for name in named if name.lower() not in table["ordinary"]), "")


def picks_of(sizing: LlmSizing) -> list[Recommendation]:
    """The machines that a sum recommends, the first one first."""
    copies = [sizing.replicas.machine] if sizing.replicas and sizing.replicas.leads else []
    return sizing.advice.recommendations or [*copies, *sizing.advice.multi]


def _says(words: str, spoken: dict[str, list[str]]) -> bool:
    return any(word in words for word in (*spoken["zh"], *spoken["en"]))


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("assistant").joinpath("read", "words", "filters.toml").read_text(encoding="utf-8"))
