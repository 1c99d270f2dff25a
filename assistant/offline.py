"""The offline model: a chat model made of rules. It reads, plans tool calls and composes; no key, no network.

It is an ordinary LangChain chat model, so the agent runs it exactly as it runs a real one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult

from .compose.compose import compose
from .evidence import Evidence
from .plan import plan_calls
from .plan_more import more_calls
from .read.read import read_question
from .read.reading import Reading
from .read.thread import choose_previous

READING = "xuanka_reading"
"""Key under which a message keeps the reading of its turn."""
CARRIED = "xuanka_carried"
"""Key under which a message keeps the reading that the next turn builds on: a question aside does not replace it."""


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
        carried = choose_previous(reading, _carried_reading(messages))
        kept = {READING: reading.model_dump(mode="json"), CARRIED: carried.model_dump(mode="json")}
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


def current_reading(messages: Sequence[BaseMessage]) -> Reading:
    """Reading of the last question: kept on a message of this turn, or made from the thread."""
    questions = [m for m in messages if m.type == "human" and not m.additional_kwargs.get("guard")]
    start = max(i for i, m in enumerate(messages) if m is questions[-1])
    for message in reversed(messages[start:]):
        if READING in message.additional_kwargs:
            return Reading.model_validate(message.additional_kwargs[READING])
    return read_question(
        str(questions[-1].text),
        previous=_carried_reading(messages),
        language=questions[-1].additional_kwargs.get("language"),
    )


def _carried_reading(messages: Sequence[BaseMessage]) -> Reading | None:
    """What earlier turns hand to this one."""
    start = max(i for i, m in enumerate(messages) if m.type == "human" and not m.additional_kwargs.get("guard"))
    kept = (m.additional_kwargs[CARRIED] for m in reversed(messages[:start]) if CARRIED in m.additional_kwargs)
    found = next(kept, None)
    return Reading.model_validate(found) if found else None
