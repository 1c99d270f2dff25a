"""The table of arguments: how each one of each tool is compared with the reading of the question."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from assistant.read.reading import Reading

LANGUAGE = "language"
"""The argument that every tool has."""
SIZES = frozenset({
    "size_llm", "size_speed", "size_train", "size_vision", "size_encoder", "size_diffusion", "size_asr", "size_hybrid", "size_cpu",
})  # fmt: skip
"""Tools that size a job."""
SERVING = frozenset({"size_llm", "size_speed", "size_hybrid", "size_cpu"})
"""Tools that size the serving of a language model: what is said of it holds for each of them."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How one argument is compared; the keys are explained in rules.toml."""

    kind: str
    fields: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    default: tuple[Any, ...] = ()
    found: tuple[str, ...] = ()
    vary: bool = False
    kept: bool = False
    implied: bool = False


@cache
def rules_of(tool: str) -> Mapping[str, Rule]:
    """Argument → rule; empty for a tool that is not in the table."""
    table = _table()
    if tool not in table["tools"]:
        return {}
    return {**{name: _rule(rule) for name, rule in table["tools"][tool].items()}, LANGUAGE: _rule(LANGUAGE)}


def asks_alternatives(reading: Reading) -> bool:
    """Whether the user asks for more than one way: cheaper, faster, safer or other machines, several values, this or that."""
    if reading.wish in ("cheaper", "faster", "safer", "why_not") or "comparison" in reading.intents:
        return True
    several = (reading.weight_dtypes, reading.contexts, reading.regions, [*reading.cards, *reading.families, *reading.instances])
    words = f" {reading.normal.lower()} "
    return any(len(values) > 1 for values in several) or any(word in words for spoken in _table()["alternatives"].values() for word in spoken)


@cache
def _rule(name: str) -> Rule:
    row: dict[str, Any] = _table()["rules"][name]
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Rule(**given)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("rules.toml").read_text(encoding="utf-8"))
