"""The offline model: a chat model made of rules. It reads, plans tool calls and composes; no key, no network.

It is an ordinary LangChain chat model, so the agent runs it exactly as it runs a real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult

from .compose.compose import compose
from .evidence import Evidence
from .plan import plan_calls
from .plan_more import more_calls
from .read.read import read_question
from .read.reading import Reading

READING = "xuanka_reading"
"""Key under which a message keeps the reading of its turn: the question's own, and each one of the offline model."""
GUARD = "guard"
"""Key of messages that the agent's own checks wrote: neither question nor evidence."""


class OfflineModel(BaseChatModel):
    """Rules instead of weights. `language` overrides the language of the question; `region` is the default region."""

    region: str = "cn-hangzhou"

    @property
    def _llm_type(self) -> str:
        return "xuanka-offline"

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any) -> OfflineModel:
        """The rules know the toolbox; nothing needs to be bound."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next_message(messages))])

    def _next_message(self, messages: Sequence[BaseMessage]) -> AIMessage:
        reading = current_reading(messages)
        kept = {READING: reading.model_dump(mode="json")}
        evidence = Evidence.of(messages)
        calls = (
            more_calls(reading, evidence, region=self.region) if evidence.findings else plan_calls(reading, region=self.region)
        )
        if calls:
            tool_calls = [
                ToolCall(name=call.tool, args=call.args, id=f"call_{len(messages)}_{i}", type="tool_call")
                for i, call in enumerate(calls)
            ]
            return AIMessage(content="", tool_calls=tool_calls, additional_kwargs=kept)
        return AIMessage(content=compose(reading, evidence).text, additional_kwargs=kept)


def ask_message(question: str, reading: Reading) -> HumanMessage:
    """The question of a turn with what the rules understood of it."""
    return HumanMessage(question, additional_kwargs={READING: reading.model_dump(mode="json")})


def current_reading(messages: Sequence[BaseMessage]) -> Reading:
    """Reading of the last question: kept on its message, or made of its words alone."""
    question = _last_question(messages)
    kept = question.additional_kwargs.get(READING)
    return Reading.model_validate(kept) if kept else read_question(str(question.text))


def question_of(messages: Sequence[BaseMessage]) -> str:
    """The user's last question."""
    return str(_last_question(messages).text)


def _last_question(messages: Sequence[BaseMessage]) -> BaseMessage:
    return next(m for m in reversed(messages) if m.type == "human" and not m.additional_kwargs.get(GUARD))
