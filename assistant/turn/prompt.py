"""The system prompt of the question's language: one of two static texts, chosen for each turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import AIMessage, SystemMessage

from assistant.offline import current_reading
from assistant.prompts import system_prompt

Handled = ModelResponse[Any] | AIMessage


class PromptOfLanguage(AgentMiddleware[Any, Any, Any]):
    """Within a turn, and within a thread of one language, the model sees the same prompt each time."""

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]) -> Handled:
        """One model call."""
        return handler(_prompted(request))

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]) -> Handled:
        """The same where the agent runs asynchronously."""
        return await handler(_prompted(request))


def _prompted(request: ModelRequest[Any]) -> ModelRequest[Any]:
    return request.override(system_message=SystemMessage(system_prompt(current_reading(request.messages).language)))
