"""Runs the agent on one question and tells each step at once; a chat model works in a thread that is not waited for too long."""

from __future__ import annotations

import contextvars
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assistant.answer import Call
from assistant.evidence import Finding, finding_of
from assistant.offline import GUARD
from assistant.progress import Progress, progress
from tools.phrases import Language

from .context import TurnContext, TurnOver

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from .verdict import Verdict

NODES = 12
"""Steps of the graph that one model call takes at most: model, tools, and the hooks around them."""
GRACE_S = 0.5
"""Kept of the time limit for the rules' answer in place of the model's."""


@dataclass
class Outcome:
    """How a run ended: all messages and, of a chat model, the verdict on its last draft; or why there is no draft."""

    messages: list[BaseMessage] = field(default_factory=list)
    verdict: Verdict | None = None
    failure: BaseException | None = None


def run_inline(agent: Any, messages: Sequence[BaseMessage], outcome: Outcome, *, language: Language, max_steps: int) -> Iterator[Progress | Call]:
    """Runs in the caller's thread: for the rules, which take milliseconds. Errors are bugs and propagate."""
    for mode, update in _stream(agent, messages, TurnContext(), max_steps):
        yield from _told(mode, update, outcome, language)


def run_in_thread(
    agent: Any, messages: Sequence[BaseMessage], outcome: Outcome, *, language: Language, max_steps: int, seconds: float
) -> Iterator[Progress | Call]:
    """Runs in a thread of its own until the time is up; what the model says later is not heard.

    Whatever the model's client raises ends up in `outcome.failure`, as does the end of the time (TurnOver).
    """
    steps: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
    context = TurnContext(time.monotonic() + max(0.05, seconds - GRACE_S))

    def work() -> None:
        try:
            for step in _stream(agent, messages, context, max_steps):
                steps.put(step)
            steps.put(("done", None))
        except BaseException as error:  # handed over to the thread that waits
            steps.put(("failed", error))

    threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True, name="xuanka-turn").start()
    try:
        while True:
            mode, update = steps.get(timeout=context.left())
            if mode == "done":
                outcome.verdict = context.verdicts[-1] if context.verdicts else None
                return
            if mode == "failed":
                outcome.failure = update
                return
            yield from _told(mode, update, outcome, language)
    except queue.Empty:
        outcome.failure = TurnOver()
    finally:
        context.given_up.set()


def _stream(agent: Any, messages: Sequence[BaseMessage], context: TurnContext, max_steps: int) -> Iterator[tuple[str, Any]]:
    config = {"recursion_limit": NODES * max_steps}
    yield from agent.stream({"messages": [*messages]}, config, context=context, stream_mode=["updates", "values"])


def _told(mode: str, update: Any, outcome: Outcome, language: Language) -> Iterator[Progress | Call]:
    """What a step of the graph tells the user: calls before they run and after; never a word of the model."""
    if mode == "values":
        outcome.messages = update["messages"]
        return
    for node, change in update.items():
        for message in (change or {}).get("messages", ()):
            if node == "model":
                yield from (progress("calling", language, tool=call["name"], args=call["args"]) for call in getattr(message, "tool_calls", ()))
            elif node == "tools":
                yield call_of(message)
            elif message.type == "human" and message.additional_kwargs.get(GUARD):
                yield progress("rewriting", language)


def call_of(message: BaseMessage) -> Call:
    """The tool call that a tool message reports."""
    finding = finding_of(message)
    if finding is not None:
        return call_of_finding(finding)
    return Call(tool=str(getattr(message, "name", "") or ""), args={}, ok=False, ms=0.0)


def call_of_finding(finding: Finding) -> Call:
    """The same, of the finding itself."""
    return Call(tool=finding.tool, args=finding.args, ok=not finding.error, ms=finding.ms)
