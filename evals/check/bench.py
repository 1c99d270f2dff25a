"""How fast the check is, and what the agent costs around a chat model: for the table of `python -m evals.bench`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from assistant import Answer, Assistant

from .cases import read_cases
from .turns import open_rules

CHARACTERS = 4000
LLM = "vllm:at-once"
QUESTION = "Qwen2.5-{size}B int4，{context} 上下文，{users} 并发，选什么实例？"


def check_ms(answers: int = 24, runs: int = 5) -> list[float]:
    """CPU milliseconds of the check for 4,000 characters, one figure for each of so many composed answers.

    A draft is checked after another one on the same findings, as the one that a model wrote anew after the first.
    """
    rules, times = open_rules(), []
    for case in [case for case in read_cases() if not case.draft]:
        by = rules.play(case.turns)
        if len(by.composed) < CHARACTERS // 4:
            continue
        by.problems(by.composed)
        started = time.process_time()
        for run in range(runs):
            by.problems(f"{by.composed}\n{'·' * (run + 1)}")  # no text twice, as the check keeps what it has read
        times.append((time.process_time() - started) * 1000 / runs * CHARACTERS / len(by.composed))
        if len(times) == answers:
            break
    return times


class AnswersAtOnce(BaseChatModel):
    """A chat model that calls one tool, then repeats the beginning of its result; it keeps how long it took itself."""

    seconds: list[float] = []

    @property
    def _llm_type(self) -> str:
        return "xuanka-bench"

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any) -> AnswersAtOnce:
        """It knows the tool that it calls."""
        return self

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        started = time.perf_counter()
        said = _said(messages)
        self.seconds.append(time.perf_counter() - started)
        return ChatResult(generations=[ChatGeneration(message=said)])


class AssistantOfBench(Assistant):
    """The assistant with that model, and with the time of its tools."""

    def __init__(self, model: AnswersAtOnce, **given: Any) -> None:
        super().__init__(LLM, **given)
        self._given = model

    def _model(self) -> BaseChatModel:
        return self._given


def overhead_ms(turns: int = 50, measured: int = 15) -> list[float]:
    """Wall milliseconds of a turn without its model and its tools, behind so many turns of one thread kept in SQLite."""
    from assistant.threads.checkpointers import open_checkpointer

    model = AnswersAtOnce()
    with TemporaryDirectory() as folder, open_checkpointer("sqlite", data_dir=Path(folder)) as checkpointer:
        assistant = AssistantOfBench(model, checkpointer=checkpointer)
        return [turn_ms(assistant, model, number) for number in range(turns + measured)][turns:]


def turn_ms(assistant: Assistant, model: AnswersAtOnce, number: int) -> float:
    """One turn. No two ask the same, so that every tool is run. Raises RuntimeError when the model's draft was not shown."""
    model.seconds.clear()
    started = time.perf_counter()
    *_, answer = assistant.events(bench_question(number), thread="bench")
    whole = time.perf_counter() - started
    if not isinstance(answer, Answer) or answer.llm != LLM:
        raise RuntimeError(f"not the draft of the model was shown: {getattr(answer, 'removed', answer)}")
    return (whole - sum(model.seconds)) * 1000 - sum(call.ms for call in answer.calls)


def bench_question(number: int) -> str:
    """A question unlike the others."""
    return QUESTION.format(size=(7, 14, 32, 72)[number % 4], context=10_000 + 100 * number, users=1 + number % 7)


def _said(messages: Sequence[BaseMessage]) -> AIMessage:
    last = messages[-1]
    if isinstance(last, ToolMessage):
        return AIMessage(str(last.content))
    words = str(last.content).replace("，", " ").split()
    args = {"model": words[0], "weight_dtype": "int4", "context": int(words[2]), "concurrency": int(words[4])}
    return AIMessage("", tool_calls=[ToolCall(name="size_llm", args=args, id=f"call_{len(messages)}", type="tool_call")])


def medians() -> dict[str, float]:
    """Both figures in the middle of their runs, and the check's slowest twentieth."""
    check = sorted(check_ms())
    return {"check_p50": median(check), "check_p95": check[int(0.95 * (len(check) - 1))], "overhead": median(overhead_ms())}
