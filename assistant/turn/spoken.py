"""Keeps of a chat model's reply what may be used: its calls and its words, not its reasoning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage

from assistant.chat_models.spoken import spoken_text, tool_calls_in_text

from .context import ModelFailed
from .limits import MAX_CALLS_AT_ONCE

MOST_REPLIED, MOST_SPOKEN = 400_000, 20_000
"""Characters of a reply with its reasoning, and of an answer. More is no answer, and looking through it would outlast the time limit."""


class SpokenOnly(AgentMiddleware[Any, Any, Any]):
    """Takes reasoning out of each reply, and makes calls of those that a small model prints as text."""

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Asks the model and cleans what it says."""
        try:
            response = handler(request)
        except Exception as error:  # whatever a provider's client raises
            raise ModelFailed from error
        names = {str(getattr(tool, "name", "")) for tool in request.tools}
        response.result = [_cleaned(m, names) if isinstance(m, AIMessage) else m for m in response.result]
        return response


def _is_cut(reply: AIMessage) -> bool:
    """Whether the reply ended at the limit of its tokens: half an answer may lack the half that matters."""
    said = reply.response_metadata
    return any(str(said.get(key, "")).lower() in ("length", "max_tokens") for key in ("finish_reason", "done_reason", "stop_reason"))


def _cleaned(reply: AIMessage, tools: set[str]) -> AIMessage:
    readable = len(reply.text) <= MOST_REPLIED
    calls = reply.tool_calls or (tool_calls_in_text(reply, tools) if readable else [])
    words = spoken_text(reply) if readable and not calls else ""  # what is said before a call is no answer, and is unchecked
    words = words if len(words) <= MOST_SPOKEN and not _is_cut(reply) else ""
    return AIMessage(words, tool_calls=calls[:MAX_CALLS_AT_ONCE], invalid_tool_calls=reply.invalid_tool_calls, id=reply.id, usage_metadata=reply.usage_metadata)
