"""A real chat model in the agent, played by a script: honest, lying, citing nothing, failing arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult

from assistant import Answer, Assistant
from assistant.settings import Settings

Policy = Callable[[Sequence[BaseMessage]], AIMessage]
SIZE = {"model": "Qwen2.5-7B", "weight_dtype": "bf16", "context": 8192, "concurrency": 4, "language": "zh"}
QUESTION = "Qwen2.5-7B bf16，8K，4 并发，用什么实例？"


class ScriptedModel(BaseChatModel):
    """Plays a policy; counts its calls."""

    policy: Policy
    calls: list[int] = []

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> ScriptedModel:
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.calls.append(len(messages))
        return ChatResult(generations=[ChatGeneration(message=self.policy(messages))])


class ScriptedAssistant(Assistant):
    """An assistant whose model is given as an object instead of by name."""

    def __init__(self, model: BaseChatModel, settings: Settings) -> None:
        super().__init__("vllm:scripted", settings=settings)
        self._scripted = model

    def _model(self) -> BaseChatModel:
        return self._scripted


def sized_then(say: Callable[[Sequence[BaseMessage]], str]) -> Policy:
    def policy(messages: Sequence[BaseMessage]) -> AIMessage:
        if not any(m.type == "tool" for m in messages):
            return AIMessage("", tool_calls=[ToolCall(name="size_llm", args=SIZE, id="1", type="tool_call")])
        return AIMessage(say(messages))

    return policy


def ask(policy: Policy, tmp_path: Any) -> tuple[Answer, ScriptedModel]:
    model = ScriptedModel(policy=policy, calls=[])
    assistant = ScriptedAssistant(model, Settings(data_dir=tmp_path, embedder="none"))
    return assistant.ask(QUESTION), model


def test_an_honest_model_is_shown(tmp_path: Any) -> None:
    answer, model = ask(sized_then(lambda _: "选 ecs.gn7i-c8g1.2xlarge：权重 14.2 GiB [2]。"), tmp_path)
    assert answer.text == "选 ecs.gn7i-c8g1.2xlarge：权重 14.2 GiB [1]。"
    assert answer.verified and answer.llm == "vllm:scripted" and not answer.removed
    assert answer.recommendations[0].instance_type == "ecs.gn7i-c8g1.2xlarge"
    assert len(model.calls) == 2


@pytest.mark.parametrize(
    ("lie", "struck"),
    [
        ("选 gn8i，权重 14.2 GiB [2]。", "gn8i"),
        ("选 ecs.gn7i-c8g1.2xlarge，只要 3.21 元/小时。", "3.21"),
        ("选 gn7i，见 [77]。", "[77]"),
    ],
)
def test_a_lie_is_sent_back_once_then_replaced(tmp_path: Any, lie: str, struck: str) -> None:
    answer, model = ask(sized_then(lambda _: lie), tmp_path)
    assert struck not in answer.text
    assert any(each.startswith(struck) for each in answer.removed)
    assert answer.llm == "offline" and answer.verified
    assert answer.estimate is not None
    assert len(model.calls) == 3


def test_a_model_that_corrects_itself_is_shown(tmp_path: Any) -> None:
    def say(messages: Sequence[BaseMessage]) -> str:
        told = any(m.additional_kwargs.get("guard") for m in messages)
        return "权重 14.2 GiB [2]。" if told else "权重 99.9 GiB [2]。"

    answer, _ = ask(sized_then(say), tmp_path)
    assert answer.text == "权重 14.2 GiB [1]。"
    assert answer.verified and answer.llm == "vllm:scripted"


def test_an_endless_tool_loop_ends_in_an_answer(tmp_path: Any) -> None:
    def policy(messages: Sequence[BaseMessage]) -> AIMessage:
        call = ToolCall(name="size_llm", args=SIZE, id=str(len(messages)), type="tool_call")
        return AIMessage("", tool_calls=[call])

    answer, model = ask(policy, tmp_path)
    assert answer.llm == "offline" and answer.recommendations
    assert len(model.calls) <= 8


def test_invalid_arguments_come_back_as_text(tmp_path: Any) -> None:
    seen: list[str] = []

    def policy(messages: Sequence[BaseMessage]) -> AIMessage:
        tools = [m for m in messages if m.type == "tool"]
        if not tools:
            bad = ToolCall(name="size_llm", args={**SIZE, "concurrency": -3}, id="1", type="tool_call")
            return AIMessage("", tool_calls=[bad])
        seen.append(str(tools[-1].text))
        return AIMessage("这个算不了。")

    answer, _ = ask(policy, tmp_path)
    assert answer.text == "这个算不了。"
    assert "-3" in seen[0] and "error" in seen[0]
