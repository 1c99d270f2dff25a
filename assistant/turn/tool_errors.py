"""Calls that cannot run come back to a chat model as one readable message, in the language of the question.

What users may see of an error is one sentence; a bug is told by the tool's name alone, and its traceback is logged.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from difflib import get_close_matches
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command
from pydantic import BaseModel, ValidationError

from assistant.offline import current_reading
from assistant.tool_schema import example_of, flat_schema
from knowledge.errors import CloudError, XuankaError
from tools.phrases import Language, read_phrases, say

from .calls import complete_args, unknown_args
from .context import TurnOver

log = logging.getLogger(__name__)
Result = ToolMessage | Command[Any]
MOST_GIVEN = 60
"""Characters of a refused value that are repeated."""
MOST_NEAR = 3


class ToolErrors(AgentMiddleware[Any, Any, Any]):
    """Completes each call, checks its arguments, and turns whatever is raised into a message that says what to do instead.

    `region`: where prices are taken where neither call nor question names a region.
    """

    def __init__(self, region: str = "cn-hangzhou") -> None:
        super().__init__()
        self.region = region

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        """Runs one call; never raises what the tool raises."""
        try:
            ready = prepared(request, self.region)
            return ready if isinstance(ready, ToolMessage) else handler(ready)
        except (GraphBubbleUp, TurnOver):
            raise
        except Exception as error:
            return failed(request, error)

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]) -> Result:
        """The same where the agent runs asynchronously."""
        try:
            ready = prepared(request, self.region)
            return ready if isinstance(ready, ToolMessage) else await handler(ready)
        except (GraphBubbleUp, TurnOver):
            raise
        except Exception as error:
            return failed(request, error)


def prepared(request: ToolCallRequest, region: str) -> ToolCallRequest | ToolMessage:
    """The call made whole, or why it cannot be made."""
    reading = current_reading(request.state["messages"])
    tool = request.tool
    if tool is None:
        return _answer(request, _unknown_tool(request, reading.language))
    args = complete_args(tool, request.tool_call["args"], reading, region=region)
    schema = tool.args_schema
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        reasons = [*_unknown_arguments(tool, schema, args, reading.language), *_reasons(schema, args, reading.language)]
        if reasons:
            joined = ("；" if reading.language == "zh" else "; ").join(dict.fromkeys(reasons))
            return _answer(request, _say("arguments", reading.language, tool=tool.name, reasons=joined, example=example_of(tool.name) or "{}"))
    return request.override(tool_call={**request.tool_call, "args": args})


def failed(request: ToolCallRequest, error: Exception) -> ToolMessage:
    """The message for what was raised: the sentence of an error made for users, else that the tool failed."""
    language, tool = current_reading(request.state["messages"]).language, request.tool_call["name"]
    if isinstance(error, XuankaError):
        reason = error.said(language) if isinstance(error, CloudError) else str(error)
        return _answer(request, _say("failed", language, tool=tool, reason=reason))
    log.error("tool %s failed", tool, exc_info=error)
    return _answer(request, _say("bug", language, tool=tool))


def _answer(request: ToolCallRequest, text: str) -> ToolMessage:
    return ToolMessage(text, name=request.tool_call["name"], tool_call_id=request.tool_call["id"] or "", status="error")


def _unknown_tool(request: ToolCallRequest, language: Language) -> str:
    name = _shortened(request.tool_call["name"])
    tools = [tool.name for tool in getattr(request.runtime, "tools", None) or [] if isinstance(tool, BaseTool)]
    near = get_close_matches(name, tools, n=MOST_NEAR, cutoff=0.3) or tools
    return _say("unknown_tool", language, name=name, near=", ".join(near))


def _unknown_arguments(tool: BaseTool, schema: type[BaseModel], args: dict[str, Any], language: Language) -> Iterator[str]:
    known = ", ".join(flat_schema(schema)["properties"])
    for argument in unknown_args(tool, args):
        yield _say("unknown_argument", language, argument=_shortened(argument), known=known)


def _reasons(schema: type[BaseModel], args: dict[str, Any], language: Language) -> Iterator[str]:
    """What is wrong with the values, one sentence each."""
    try:
        schema.model_validate(args)
    except ValidationError as error:
        fields = flat_schema(schema)["properties"]
        for problem in error.errors(include_url=False):
            argument = _shortened(problem["loc"][0] if problem["loc"] else "")
            if problem["type"] == "missing":
                yield _say("missing_argument", language, argument=argument)
            elif problem["type"] != "extra_forbidden":  # told already
                yield _say("bad_argument", language, argument=argument, given=_shortened(problem["input"]), wanted=_wanted(fields.get(argument, {}), language))


def _wanted(field: dict[str, Any], language: Language) -> str:
    if "enum" in field:
        return _say("one_of", language, values=", ".join(map(str, field["enum"])))
    return _say(str(field.get("type", "string")), language)


def _shortened(value: object) -> str:
    text = str(value)
    return text if len(text) <= MOST_GIVEN else text[: MOST_GIVEN - 1] + "…"


def _say(code: str, language: Language, **arguments: object) -> str:
    return say(read_phrases("assistant", "turn/tool_errors.toml"), code, language, **arguments)
