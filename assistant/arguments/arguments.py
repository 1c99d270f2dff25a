"""Compares the arguments of a chat model's tool calls with the reading of the question and its thread, before anything is computed.

A call that contradicts them does not run: the model is told once for each tool and turn. If it stays with it, the call is made as
the question says, and the finding keeps what was corrected.

A further call may differ from the question in precision, cache, cut, card, context or region only after one that was as asked,
and only where the user asks for alternatives ("cheaper", "or", several values): otherwise it would add figures to the evidence of
which nobody knows that they are not those of the question. What the single changes of a job would do, each sizing tells by itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.types import Command
from pydantic import BaseModel

from assistant.evidence import Correction, Evidence, finding_of
from assistant.offline import GUARD, READING, current_reading
from assistant.read.reading import Reading
from assistant.tool_schema import FILLED_IN
from assistant.turn.calls import complete_args

from .find import Contradiction, contradictions
from .mend import corrections_of, examples_in, mended
from .rules import asks_alternatives, rules_of
from .said import said_of
from .words import say_corrections, tell, tell_again, tell_changes

__all__ = ["ArgumentCheck", "Contradiction", "contradictions", "say_corrections"]
Result = ToolMessage | Command[Any]


class ArgumentCheck(AgentMiddleware[Any, Any, Any]):
    """Tells a chat model what in its call is not what the user said, then puts it right. Keeps nothing: threads share it.

    `region`: where prices are taken where nobody names a region.
    """

    def __init__(self, region: str = "cn-hangzhou") -> None:
        super().__init__()
        self.region = region

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        """Lets the call run as asked, or answers in its place."""
        ready = checked(request, self.region)
        return ready if isinstance(ready, ToolMessage) else ready.noted(handler(ready.request))

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]) -> Result:
        """The same where the agent runs asynchronously."""
        ready = checked(request, self.region)
        return ready if isinstance(ready, ToolMessage) else ready.noted(await handler(ready.request))


@dataclass(frozen=True)
class Ready:
    """A call that may run, and what was corrected in it."""

    request: ToolCallRequest
    reading: Reading
    corrections: Sequence[Correction] = ()
    examples: Sequence[Correction] = ()

    def noted(self, result: Result) -> Result:
        """The result with what was corrected, on its finding and before its text."""
        finding = finding_of(result) if isinstance(result, ToolMessage) else None
        if finding is None or not isinstance(result, ToolMessage) or not (self.corrections or self.examples):
            return result
        changed = [one for one in self.corrections if one.given != one.used]
        line = f"{tell_changes(changed, self.reading.language)}\n" if changed else ""
        noted = finding.model_copy(update={"corrections": [*self.corrections, *self.examples]})
        return result.model_copy(update={"content": f"{line}{result.text}", "artifact": noted})


def checked(request: ToolCallRequest, region: str) -> Ready | ToolMessage:
    """The call as it may run, or what the model is told instead."""
    messages, call = request.state["messages"], request.tool_call
    asked_by = _asking(messages, call["id"])
    reading = current_reading(messages)
    if asked_by is None or READING in asked_by.additional_kwargs or not rules_of(call["name"]):
        return Ready(request, reading)
    found = _found(request, reading, messages, asked_by, region)
    args = mended(call["name"], call["args"], found, reading, region=region)
    ready = Ready(_with_args(request, args), reading, corrections_of(found), examples_in(call["name"], args, reading))
    if not found:
        return ready
    only_user = [one.argument for one in found if one.used is None and _is_required(request, one.argument)]
    if only_user or not _was_told(messages, call["name"]):
        return _answer(request, tell(call["name"], found, _shown(args, asked_by, call["id"], found), reading.language, asks=only_user))
    if _was_made(request, args, reading, messages, asked_by, region):
        return _answer(request, tell_again(call["name"], reading.language))
    return ready


def _found(request: ToolCallRequest, reading: Reading, messages: Sequence[BaseMessage], asked_by: AIMessage, region: str) -> list[Contradiction]:
    """The contradictions of a call; where there are any and alternatives are asked for, those that are none beside a call as asked."""
    tool, args = request.tool_call["name"], request.tool_call["args"]
    findings = Evidence.of(messages).findings
    said = said_of(messages, findings)
    found = contradictions(tool, args, reading, said=said, region=region)
    if not found or not asks_alternatives(reading):
        return found
    others = [*_siblings(request, asked_by, reading, region), *(finding.args for finding in findings if finding.tool == tool and not finding.error)]
    agreed = any(not contradictions(tool, other, reading, said=said, region=region) for other in others)
    return contradictions(tool, args, reading, said=said, region=region, varied=True) if agreed else found


def _was_made(
    request: ToolCallRequest, args: dict[str, Any], reading: Reading, messages: Sequence[BaseMessage], asked_by: AIMessage, region: str
) -> bool:
    """Whether a corrected call is one that was made in this turn, or is made by a call before it in the same message."""
    tool, findings = request.tool_call["name"], Evidence.of(messages).findings
    if any(finding.tool == tool and finding.args == _plain(args) for finding in findings):
        return True
    said = said_of(messages, findings)
    before = _siblings(request, asked_by, reading, region, before=True)
    return any(_plain(mended(tool, other, contradictions(tool, other, reading, said=said, region=region), reading, region=region)) == _plain(args) for other in before)


def _siblings(request: ToolCallRequest, asked_by: AIMessage, reading: Reading, region: str, *, before: bool = False) -> Iterator[dict[str, Any]]:
    """The arguments of the other calls of this tool in the same message; `before`: only of those that stand before it."""
    for other in asked_by.tool_calls:
        if other["id"] == request.tool_call["id"]:
            if before:
                return
        elif other["name"] == request.tool_call["name"]:
            yield complete_args(request.tool, other["args"], reading, region=region) if request.tool else other["args"]


def _asking(messages: Sequence[BaseMessage], call_id: str | None) -> AIMessage | None:
    """The message that made a call."""
    spoken = (message for message in reversed(messages) if isinstance(message, AIMessage))
    return next((message for message in spoken if any(call["id"] == call_id for call in message.tool_calls)), None)


def _was_told(messages: Sequence[BaseMessage], tool: str) -> bool:
    """Whether the model was told of a call of this tool since the question."""
    for message in reversed(messages):
        if message.type == "human" and not message.additional_kwargs.get(GUARD):
            return False
        if isinstance(message, ToolMessage) and message.name == tool and message.additional_kwargs.get(GUARD):
            return True
    return False


def _is_required(request: ToolCallRequest, argument: str) -> bool:
    schema = request.tool.args_schema if request.tool else None
    field = schema.model_fields.get(argument) if isinstance(schema, type) and issubclass(schema, BaseModel) else None
    return field is not None and field.is_required()


def _shown(args: dict[str, Any], asked_by: AIMessage, call_id: str | None, found: Iterable[Contradiction]) -> dict[str, Any]:
    """The arguments of the call that a model is told to make: without those that code fills in."""
    own = next((call["args"] for call in asked_by.tool_calls if call["id"] == call_id), {})
    wrong = {one.argument for one in found}
    filled = {*FILLED_IN, "region"} - set(own) - wrong
    return {name: value for name, value in args.items() if name not in filled and name != "language"}


def _with_args(request: ToolCallRequest, args: dict[str, Any]) -> ToolCallRequest:
    return request if args == request.tool_call["args"] else request.override(tool_call={**request.tool_call, "args": args})


def _answer(request: ToolCallRequest, text: str) -> ToolMessage:
    return ToolMessage(text, name=request.tool_call["name"], tool_call_id=request.tool_call["id"] or "", status="error", additional_kwargs={GUARD: True})


def _plain(args: dict[str, Any]) -> dict[str, Any]:
    """As a finding keeps them."""
    return {name: value for name, value in args.items() if value not in (None, "", [])}
