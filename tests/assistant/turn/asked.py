"""What the rules' tool calls for a question find: real findings for tests of what a chat model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool

from assistant.evidence import Evidence, Finding
from assistant.offline import ask_message
from assistant.plan import plan_calls
from assistant.plan_more import more_calls
from assistant.read.read import read_question
from assistant.read.reading import Reading

HOME = "cn-hangzhou"


@dataclass(frozen=True)
class Asked:
    """One question, its reading, and the messages of its turn: one round of calls, then a second one where there is one."""

    question: str
    reading: Reading
    messages: list[BaseMessage]

    @property
    def evidence(self) -> Evidence:
        return Evidence.of(self.messages)


def ask_tools(question: str, tools: Sequence[BaseTool]) -> Asked:
    """Runs the rules' calls."""
    reading = read_question(question)
    messages: list[BaseMessage] = [ask_message(question, reading)]
    messages += run_calls([(call.tool, call.args) for call in plan_calls(reading, region=HOME)], tools)
    messages += run_calls([(call.tool, call.args) for call in more_calls(reading, Evidence.of(messages), region=HOME)], tools)
    return Asked(question, reading, [message.model_copy(update={"id": f"m{place}"}) for place, message in enumerate(messages)])


def run_calls(calls: Sequence[tuple[str, dict[str, Any]]], tools: Sequence[BaseTool]) -> list[BaseMessage]:
    """One model message with calls, and the results. Nothing for no calls."""
    named = {tool.name: tool for tool in tools}
    made = [ToolCall(name=name, args=args, id=f"{name}-{place}", type="tool_call") for place, (name, args) in enumerate(calls)]
    return [AIMessage("", tool_calls=made), *(named[call["name"]].invoke(call) for call in made)] if made else []


def finding_of(message: BaseMessage) -> Finding:
    """The finding on a tool message."""
    assert isinstance(message, ToolMessage)
    assert isinstance(message.artifact, Finding)
    return message.artifact
