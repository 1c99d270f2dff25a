"""Sends a draft that nothing supports back to its model, once, with the reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from langchain.agents import AgentState
from langchain.agents.middleware import AgentMiddleware, hook_config
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.runtime import Runtime

from assistant.check.problem import Problem
from assistant.offline import GUARD
from tools.phrases import read_phrases, say

from .context import TurnContext
from .verdict import judge_draft

MAX_REASONS = 12


class DraftCheck(AgentMiddleware[Any, TurnContext, Any]):
    """The model gets one chance to mend what it wrote. The verdict on each draft is kept with the turn."""

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: AgentState[Any], runtime: Runtime[TurnContext]) -> dict[str, Any] | None:
        """Jumps back to the model when the draft has problems."""
        messages = state["messages"]
        draft = messages[-1]
        if not isinstance(draft, AIMessage) or draft.tool_calls:
            return None
        verdict = judge_draft(messages, runtime.context.evidence_of(messages))
        runtime.context.verdicts.append(verdict)
        if verdict.is_shown or _was_sent_back(messages):
            return None
        table = read_phrases("assistant", "turn/draft_check.toml")
        reasons = _reasons(verdict.problems)
        note = say(table, "again" if reasons else "empty", verdict.reading.language, reasons=reasons)
        return {"messages": [HumanMessage(note, additional_kwargs={GUARD: True})], "jump_to": "model"}


def _reasons(problems: Iterable[Problem]) -> str:
    said = dict.fromkeys(f"- {problem.reason or f'{problem.code}: {problem.text}'}" for problem in problems)
    return "\n".join([*said][:MAX_REASONS])


def _was_sent_back(messages: Sequence[BaseMessage]) -> bool:
    for message in reversed(messages):
        if message.type == "human":
            return bool(message.additional_kwargs.get(GUARD))
    return False
