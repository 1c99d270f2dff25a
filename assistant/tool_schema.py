"""The schema of a tool as a chat model is sent it: small, flat, without what code fills in; and its arguments as models give them.

Servers that turn schemas into grammars choke on unions, and every character is paid for in each call: so an argument that may be
left out is shown with its plain type, and defaults that say "nothing" are not shown at all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from importlib.resources import files
from typing import Any

from langchain_core.tools import StructuredTool
from pydantic import BaseModel

FILLED_IN = frozenset({
    "language", "questions", "topics", "kinds", "subjects", "k", "config_json", "data_parallel", "expert_parallel", "pipeline_parallel",
    "max_num_seqs", "max_num_batched_tokens", "enforce_eager", "lora_adapters", "packing", "flash_attention", "cross_entropy", "accumulate",
    "generations", "vision", "input_share", "zone", "site", "bare_metal", "min_vcpu", "only_named", "beam", "classes",
})  # fmt: skip
"""Arguments that few questions are about: chat models are not asked for them, code reads them from the question. A call that gives
them all the same is not refused."""
TOLD_ONCE = ("on", "region", "max_hourly", "solve", "dtype")
"""Arguments that mean the same in every tool that sizes: described in the first one."""
FIRST = "size_llm"
SHOWN = ("type", "description", "enum", "items")
SAYS_NOTHING: tuple[Any, ...] = (None, "", [], False, "cn-hangzhou")


class ChatTool(StructuredTool):
    """A tool whose arguments are checked by its whole schema, while chat models are sent the flat one."""

    @property
    def tool_call_schema(self) -> Any:
        """What the model is sent."""
        whole = self.args_schema
        if whole is None or isinstance(whole, dict) or not issubclass(whole, BaseModel):
            return super().tool_call_schema
        again = self.name.startswith("size_") and self.name != FIRST
        flat = flat_schema(whole, required=told(self.name).get("required", ()), silent=TOLD_ONCE if again else ())
        return {"title": self.name, "description": self.description, **flat}


def flat_schema(model: type[BaseModel], *, required: Sequence[str] = (), silent: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON schema of a model's fields without titles, unions with null, and empty defaults.

    `required`: arguments that a chat model must give besides those that the tool cannot do without. `silent`: those shown without
    their description. Made once: agents ask for it before each call of the model.
    """
    return deepcopy(_flat_schema(model, tuple(required), tuple(silent)))


@cache
def _flat_schema(model: type[BaseModel], required: tuple[str, ...], silent: tuple[str, ...]) -> dict[str, Any]:
    whole = model.model_json_schema()
    shown = {name: _flat(field) for name, field in whole["properties"].items() if name not in FILLED_IN}
    for name in silent:
        shown.get(name, {}).pop("description", None)
    must = [name for name in shown if name in required or name in whole.get("required", [])]
    return {"type": "object", "properties": shown, **({"required": must} if must else {})}


def _flat(field: dict[str, Any]) -> dict[str, Any]:
    kinds = [kind for kind in field.get("anyOf", []) if kind.get("type") != "null"]
    merged = {**(kinds[0] if kinds else {}), **field}
    shown = {key: merged[key] for key in SHOWN if key in merged}
    if "enum" in shown:
        shown["enum"] = [value for value in shown["enum"] if value is not None]
    return shown if field.get("default") in SAYS_NOTHING else {**shown, "default": field["default"]}


@cache
def _told() -> dict[str, dict[str, Any]]:
    import tomllib

    return tomllib.loads(files("assistant").joinpath("prompts", "tools.toml").read_text(encoding="utf-8"))


def told(name: str) -> dict[str, Any]:
    """What a chat model is told of a tool: `does`, an `example` of its arguments, those that are `required`. Empty for an unknown one."""
    return _told().get(name, {})


def described(name: str) -> str:
    """The description of a tool: what it does, and one example."""
    example = example_of(name)
    return f"{told(name)['does']} E.g. {example}" if example else str(told(name)["does"])


def example_of(name: str) -> str:
    """One call's arguments as JSON; empty for a tool without arguments."""
    example = told(name).get("example")
    return json.dumps(example, ensure_ascii=False, separators=(",", ":")) if example else ""
