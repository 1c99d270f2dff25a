"""Conditions of a catalog question: what the words of a question ask of an instance type."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from .read.reading import Reading


def conditions_of(reading: Reading) -> dict[str, Any]:
    """Arguments of `find_instances` for a question; what is not said is absent."""
    words, budget = reading.normal.lower(), reading.budget
    cny = budget.amount if budget and budget.currency == "CNY" else None
    flags = {name for name, spoken in _table()["flag"].items() if _says(words, spoken)}
    status = next((name for name, spoken in _table()["status"].items() if _says(words, spoken)), None)
    precision = "fp8" if "fp8" in flags else "bf16" if "bf16" in flags else None
    found: dict[str, Any] = {
        "gpu_count": reading.gpus,
        "min_card_memory_gb": reading.card_memory_gb,
        "max_hourly": cny if budget and budget.per == "hour" else None,
        "max_monthly": cny if budget and budget.per == "month" else None,
        "precision": precision,
        "status": status,
    }
    found |= {name: True for name in ("nvlink", "rdma", "bare_metal") if name in flags}
    return {key: value for key, value in found.items() if value is not None}


def intents_of(reading: Reading) -> list[str]:
    """The intents of a question, set right by what it names.

    Two things and a word of choice are a comparison; several conditions on a machine and nothing to run on it are a
    catalog question.
    """
    intents: list[str] = list(reading.intents)
    bare = not (reading.models or reading.config_json or reading.cards or reading.families or reading.instances)
    named = len(reading.cards) + len(reading.families) + len(reading.instances)
    if intents[0] == "guidance" and named > 1 and _says(reading.normal.lower(), _table()["choice"]["compare"]):
        return ["comparison", *intents]
    if intents[0] == "guidance" and bare and len(conditions_of(reading)) > 1:
        return ["catalog", *intents]
    return intents


def _says(words: str, spoken: dict[str, list[str]]) -> bool:
    return any(word in words for word in (*spoken["zh"], *spoken["en"]))


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("assistant").joinpath("read", "words", "filters.toml").read_text(encoding="utf-8"))
