"""Composition root of the agent: model + toolbox + check + thread memory, in one compiled LangChain agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import AgentMiddleware, ModelCallLimitMiddleware, hook_config
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from .check.check import find_problems
from .evidence import Evidence

KEPT_TURNS = 20
"""Turns of a thread that are kept; older ones are forgotten."""


def build_agent(
    model: BaseChatModel,
    tools: list[BaseTool],
    *,
    system_prompt: str,
    checkpointer: BaseCheckpointSaver[Any],
    max_steps: int,
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """One agent, compiled once (about 10 ms) and used by all threads."""
    return create_agent(
        model,
        tools,
        system_prompt=system_prompt,
        middleware=[
            ForgetOldEvidence(),
            DraftCheck(),
            ModelCallLimitMiddleware(run_limit=max_steps, exit_behavior="error"),
        ],
        checkpointer=checkpointer,
    )


class ForgetOldEvidence(AgentMiddleware[Any, Any, Any]):
    """At the start of a turn drops tool messages of earlier turns and turns beyond the limit.

    Evidence belongs to one turn; questions and answers stay, with the reading that each answer carries.
    """

    def before_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        messages: Sequence[BaseMessage] = state["messages"]
        drop: list[BaseMessage] = [m for m in messages[:-1] if m.type == "tool" or (isinstance(m, AIMessage) and m.tool_calls)]
        kept = [m for m in messages if m not in drop]
        drop += kept[: max(0, len(kept) - 2 * KEPT_TURNS)]
        return {"messages": [RemoveMessage(id=m.id) for m in drop if m.id]} if drop else None


class DraftCheck(AgentMiddleware[Any, Any, Any]):
    """Sends a draft with unsupported names, numbers or citations back to the model once, with the reasons."""

    @hook_config(can_jump_to=["model"])
    def after_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        messages = state["messages"]
        draft = messages[-1]
        if not isinstance(draft, AIMessage) or draft.tool_calls or _was_sent_back(messages) or _is_offline(draft):
            return None
        problems = find_problems(str(draft.text), Evidence.of(messages), question=question_of(messages))
        if not problems:
            return None
        reasons = "; ".join(sorted({f"{p.code}: {p.text}" for p in problems}))
        note = HumanMessage(
            f"Not supported by the tool results of this turn: {reasons}. Write the answer again without them.",
            additional_kwargs={"guard": True},
        )
        return {"messages": [note], "jump_to": "model"}


def question_of(messages: Sequence[BaseMessage]) -> str:
    """The user's last question."""
    return next(str(m.text) for m in reversed(messages) if m.type == "human" and not m.additional_kwargs.get("guard"))


def _was_sent_back(messages: Sequence[BaseMessage]) -> bool:
    for message in reversed(messages):
        if message.type == "human":
            return bool(message.additional_kwargs.get("guard"))
    return False


def _is_offline(draft: AIMessage) -> bool:
    # Rules answer the same again; their draft is checked, and struck, when the Answer is made.
    return "xuanka_reading" in draft.additional_kwargs
