"""Composition root of the agent: model + toolbox + what stands between them, in one compiled LangChain agent.

The rules and a chat model run in the same agent over the same tools. What only a chat model needs is left out for the rules:
numbered digests of the results, the comparison of its arguments with the question, and the chance to mend a draft.
"""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelCallLimitMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.graph.state import CompiledStateGraph

from .turn.context import TurnContext
from .turn.known import KnownFindings


def build_agent(
    model: BaseChatModel, tools: list[BaseTool], *, system_prompt: str, max_steps: int, by_rules: bool, region: str
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """One agent, compiled once (about 10 ms) and used by all threads. It keeps nothing of a conversation."""
    return create_agent(
        model,
        tools,
        system_prompt=system_prompt,
        middleware=[*([] if by_rules else _around_chat_model(region)), KnownFindings(), ModelCallLimitMiddleware(run_limit=max_steps, exit_behavior="error")],
        context_schema=TurnContext,
    )


def _around_chat_model(region: str) -> list[AgentMiddleware[Any, Any, Any]]:
    """The order matters: of tool calls the first one is outermost, of model calls too; hooks after the model run from the last to the first."""
    from .arguments.arguments import ArgumentCheck
    from .turn.draft_check import DraftCheck
    from .turn.limits import TimeLimit
    from .turn.prompt import PromptOfLanguage
    from .turn.results import NumberedResults
    from .turn.spoken import SpokenOnly
    from .turn.tool_errors import ToolErrors

    return [TimeLimit(), NumberedResults(), PromptOfLanguage(), SpokenOnly(), ToolErrors(region), ArgumentCheck(region), DraftCheck()]
