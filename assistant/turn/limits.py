"""Ends a turn that takes too long: no model and no tool is asked once its time is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain.agents import AgentState
from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from .context import TurnContext

MAX_CALLS_AT_ONCE = 8
"""Tool calls of one message that are made; a plan makes no more, and a loop of hundreds must not cost minutes."""


class TimeLimit(AgentMiddleware[Any, TurnContext, Any]):
    """Raises TurnOver before a model call or a tool call that comes too late."""

    def before_model(self, state: AgentState[Any], runtime: Runtime[TurnContext]) -> None:
        """Checks the clock."""
        if runtime.context is not None:
            runtime.context.check()

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Checks the clock, then lets the tool run."""
        if request.runtime.context is not None:
            request.runtime.context.check()
        return handler(request)
