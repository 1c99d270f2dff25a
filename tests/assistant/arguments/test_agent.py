"""A chat model that insists on wrong arguments, in the agent: told once, then put right; at once, apart, and asynchronously."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool

from assistant.arguments.arguments import ArgumentCheck, say_corrections
from assistant.evidence import Evidence
from assistant.offline import GUARD, READING, ask_message
from assistant.read.read import read_question
from assistant.toolbox import make_toolbox
from assistant.turn.known import KnownFindings
from assistant.turn.tool_errors import ToolErrors
from knowledge.search import Library
from tests.assistant.turn.test_results import Caller

from .cases import Args

ASKED = {"zh": "Qwen2.5-72B 用 int4 推理，8 并发，8k 上下文", "en": "Serve Qwen2.5-72B in int4, 8 users, 8k context"}
RIGHT: Args = {"model": "Qwen2.5-72B", "weight_dtype": "int4", "concurrency": 8, "context": 8192}
Round = Sequence[tuple[str, Args]]


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> list[BaseTool]:
    return make_toolbox(Library.open(tmp_path_factory.mktemp("index"), embedder="none"))


def turn(question: str, rounds: Sequence[Round], tools: list[BaseTool], *, before: Sequence[BaseMessage] = (), wait: bool = False) -> list[ToolMessage]:
    """The tool messages of one turn."""
    agent: Any = create_agent(Caller(rounds=rounds, seen=[]), tools, middleware=[ToolErrors(), ArgumentCheck(), KnownFindings()] if not wait else [ToolErrors(), ArgumentCheck()])
    given = {"messages": [*before, ask_message(question, read_question(question))]}
    messages = (asyncio.run(agent.ainvoke(given)) if wait else agent.invoke(given))["messages"]
    return [message for message in messages[len(before) :] if isinstance(message, ToolMessage)]


def is_told(message: ToolMessage) -> bool:
    return bool(message.additional_kwargs.get(GUARD)) and message.status == "error" and message.artifact is None


def called_with(text: object) -> Args:
    """The call that a message tells to make."""
    made: Args = json.loads(str(text).rsplit("\n", 1)[-1].split(" ", 1)[1])
    return made


@pytest.mark.parametrize("wait", [False, True])
@pytest.mark.parametrize(
    ("language", "parts", "said"),
    [
        ("zh", ("没有运行", "concurrency 写成了 8000，用户说的是 8", "8000 是 context 的数"), "模型把并发写成 8000 路，已按您说的 8 路计算。"),
        ("en", ("did not run", "concurrency is 8000, but the user said 8", "8000 belongs to context"), "The chat model asked for a concurrency of 8,000; computed with the 8 you asked for."),
    ],
)
def test_a_model_that_insists_is_told_once_then_put_right(language: str, parts: Sequence[str], said: str, wait: bool, tools: list[BaseTool]) -> None:
    wrong = {**RIGHT, "concurrency": 8000}
    told, done = turn(ASKED[language], [[("size_llm", wrong)], [("size_llm", wrong)]], tools, wait=wait)
    assert is_told(told) and all(part in str(told.content) for part in parts)
    assert called_with(told.content) == RIGHT
    (finding,) = Evidence.of([HumanMessage("?"), told, done]).findings
    assert finding.args["concurrency"] == 8 and not finding.error
    assert [(one.argument, one.given, one.used) for one in finding.corrections] == [("concurrency", 8000, 8)]
    assert "concurrency = 8" in str(done.content).split("\n")[0] and "8000" not in str(done.content)
    assert say_corrections([finding], language) == [said]  # type: ignore[arg-type]


def test_a_model_that_listens_is_not_corrected(tools: list[BaseTool]) -> None:
    told, done = turn(ASKED["zh"], [[("size_llm", {**RIGHT, "concurrency": 8000})], [("size_llm", RIGHT)]], tools)
    assert is_told(told) and done.artifact.corrections == []


def test_a_right_call_runs_at_once(tools: list[BaseTool]) -> None:
    (done,) = turn(ASKED["zh"], [[("size_llm", {**RIGHT, "context": "8k", "concurrency": "8 路", "region": "杭州"})]], tools)
    assert done.artifact.args["context"] == 8192 and done.artifact.corrections == []


def test_calls_of_one_message_are_all_told_at_once(tools: list[BaseTool]) -> None:
    wrong: Round = [("size_llm", {**RIGHT, "concurrency": 80}), ("size_llm", {**RIGHT, "context": 99_999}), ("get_prices", {"names": ["gn7i"]}), ("size_llm", RIGHT)]
    first, second, prices, right = turn(ASKED["zh"], [wrong], tools)
    assert is_told(first) and is_told(second) and not is_told(prices) and not is_told(right)


def test_calls_that_come_to_the_same_are_made_once(tools: list[BaseTool]) -> None:
    wrong: Round = [("size_llm", {**RIGHT, "weight_dtype": dtype}) for dtype in ("fp8", "bf16", "fp16")]
    results = turn(ASKED["zh"], [wrong, wrong, wrong], tools)
    assert [is_told(message) for message in results] == [True, True, True, False, True, True, True, True, True]
    assert results[3].artifact.args["weight_dtype"] == "int4"
    assert "完全相同" in str(results[4].content)


def test_each_tool_is_told_once(tools: list[BaseTool]) -> None:
    wrong: Round = [("size_speed", {**RIGHT, "concurrency": 80})]
    results = turn(ASKED["zh"], [[("size_llm", {**RIGHT, "concurrency": 80})], wrong, wrong], tools)
    assert [is_told(message) for message in results] == [True, True, False]


def test_a_new_question_is_told_anew(tools: list[BaseTool]) -> None:
    call = ToolCall(name="size_llm", args={}, id="old", type="tool_call")
    before = [HumanMessage("?"), AIMessage("", tool_calls=[call]), ToolMessage("told", name="size_llm", tool_call_id="old", additional_kwargs={GUARD: True}), AIMessage("ok")]
    (told,) = turn(ASKED["zh"], [[("size_llm", {**RIGHT, "concurrency": 80})]], tools, before=before)
    assert is_told(told)


@pytest.mark.parametrize(
    ("question", "ran"),
    [("Qwen2.5-7B bf16 用什么卡", False), ("Qwen2.5-7B bf16 用什么卡，有没有更便宜的", True), ("Qwen2.5-7B in bf16, or what would be an alternative?", True)],
)
def test_variants_run_where_alternatives_are_asked_for(question: str, ran: bool, tools: list[BaseTool]) -> None:
    calls: Round = [("size_llm", {"model": "Qwen2.5-7B", "weight_dtype": dtype}) for dtype in ("bf16", "q2_k")]
    (done, variant) = turn(question, [calls], tools)
    assert done.artifact.corrections == [] and is_told(variant) is not ran


def test_what_must_be_asked_is_never_made_up(tools: list[BaseTool]) -> None:
    call: Round = [("rent_or_api", {"name": "A10", "model": "Qwen2.5-7B", "api_input": 2, "api_output": 6})]
    results = turn("租 A10 跑 Qwen2.5-7B 比用 API 划算吗", [call, call], tools)
    assert all(is_told(message) and "请用户告诉你" in str(message.content) for message in results)


def test_a_model_that_nobody_named_is_kept_as_an_example(tools: list[BaseTool]) -> None:
    call: Round = [("size_llm", {"model": "Qwen2.5-7B", "on": ["gn7i"]})]
    told, done = turn("gn7i 多少钱", [call, call], tools)
    assert is_told(told)
    assert say_corrections([done.artifact], "zh") == ["按 Qwen2.5-7B 举例，您没有说具体模型。"]


def test_calls_of_the_rules_are_not_looked_at(tools: list[BaseTool]) -> None:
    wrong = {**RIGHT, "concurrency": 80, "language": "zh"}

    class ByRules(Caller):
        def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
            result = super()._generate(messages, *args, **kwargs)
            result.generations[0].message.additional_kwargs[READING] = {}
            return result

    agent: Any = create_agent(ByRules(rounds=[[("size_llm", wrong)]], seen=[]), tools, middleware=[ArgumentCheck()])
    messages = agent.invoke({"messages": [HumanMessage(ASKED["zh"])]})["messages"]
    assert next(message for message in messages if message.type == "tool").artifact.args["concurrency"] == 80


def test_threads_share_one_check(tools: list[BaseTool]) -> None:
    agent: Any = create_agent(Stubborn(rounds=[], seen=[]), tools, middleware=[ToolErrors(), ArgumentCheck(), KnownFindings()])

    def ask(users: int) -> list[Any]:
        question = f"Qwen2.5-7B，{users} 并发，8k 上下文"
        messages = agent.invoke({"messages": [ask_message(question, read_question(question))]})["messages"]
        return [is_told(message) or message.artifact.args["concurrency"] for message in messages if message.type == "tool"]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(2, 10))) == [[True, users] for users in range(2, 10)]


class Stubborn(Caller):
    """Asks twice for 7,777 users, whatever it is told."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        told = sum(message.type == "tool" for message in messages)
        calls = [("size_llm", {"model": "Qwen2.5-7B", "context": 8192, "concurrency": 7777})]
        again = Caller(rounds=[calls] * 2 if told < 2 else [], seen=[])
        return again._generate(messages, *args, **kwargs)
