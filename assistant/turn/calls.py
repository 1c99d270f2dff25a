"""A chat model's call made whole before it runs: empty arguments dropped, and those filled in that no model is asked for."""

from __future__ import annotations

from typing import Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel

from assistant.arguments.forms import plain_args
from assistant.plan import plan_calls
from assistant.read.reading import Reading
from assistant.tool_schema import FILLED_IN

SUBJECTS = ("model", "arch", "name", "names")
"""Arguments that tell what a call is about."""
SAME = (("weight_dtype", "dtype", "precision"), ("context", "seq"), ("model", "arch"), ("name", "names"))
"""Names under which different tools take the same thing: a model that takes one for the other means it."""
EMPTY: tuple[Any, ...] = (None, "", [], {}, "null", "None")


def complete_args(tool: BaseTool, args: dict[str, Any], reading: Reading, *, region: str) -> dict[str, Any]:
    """The arguments under this tool's names and in its forms, without empty ones, with the language of the question, and with what the rules read of it for arguments that
    are not shown to models. The region is that of the call, else of the question, else `region`. What the model gave is kept."""
    known = _fields(tool)
    kept = {name: value for name, value in plain_args(tool.name, _renamed(args, known)).items() if value not in EMPTY}
    planned = _planned(tool.name, kept, reading, region)
    filled = {name: value for name, value in planned.items() if name in FILLED_IN and value not in EMPTY}
    filled |= {"region": reading.region or region}
    always = {"language": reading.language} if "language" in known else {}
    return {**{name: value for name, value in filled.items() if name in known}, **kept, **always}


def _renamed(args: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """The arguments with those that only another tool calls so under their name here."""
    renamed = {}
    for name, value in args.items():
        alike = [other for names in SAME if name in names for other in names if other in known and other not in args]
        renamed[alike[0] if name not in known and alike else name] = value
    return renamed


def unknown_args(tool: BaseTool, args: dict[str, Any]) -> list[str]:
    """Arguments that the tool does not have. They are told rather than dropped: what they say would be missing from the sum."""
    known = _fields(tool)
    return [name for name in args if known and name not in known]


def _fields(tool: BaseTool) -> set[str]:
    schema = tool.args_schema
    return set(schema.model_fields) if isinstance(schema, type) and issubclass(schema, BaseModel) else set()


def _planned(name: str, args: dict[str, Any], reading: Reading, region: str) -> dict[str, Any]:
    """The arguments of the rules' own call of this tool: the one about the same thing, where there are several."""
    calls = [call.args for call in plan_calls(reading, region=region) if call.tool == name]
    if len(calls) > 1:
        calls = [planned for planned in calls if any(subject in args and planned.get(subject) == args[subject] for subject in SUBJECTS)]
    return calls[0] if calls else {}
