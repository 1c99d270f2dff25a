"""Results in the agent: digested before the model sees them, numbered once, never changed; a model that copies them is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool

from assistant import Assistant
from assistant.check.check import find_problems
from assistant.evidence import MARK, Evidence
from assistant.offline import GUARD
from assistant.settings import Settings
from assistant.toolbox import make_toolbox
from assistant.turn.results import (
    DIGESTED,
    OF_A_TURN,
    NumberedResults,
    composed_digests,
    numbered,
)
from assistant.turn.tool_errors import ToolErrors
from knowledge.search import Library

from .asked import Asked, ask_tools, run_calls

Call = tuple[str, dict[str, Any]]
SIZE: Call = ("size_llm", {"model": "Qwen2.5-7B", "weight_dtype": "bf16", "context": 8192, "concurrency": 4})
LOOK: Call = ("look_up_names", {"names": ["gn7e", "gn7v"]})
PRICE: Call = ("get_prices", {"names": ["ecs.gn7e-c16g1.4xlarge"]})
SEARCH: Call = ("search_guides", {"query": "抢占式实例会被回收吗"})


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> list[BaseTool]:
    return make_toolbox(Library.open(tmp_path_factory.mktemp("index"), embedder="none"))


class Caller(BaseChatModel):
    """Makes the calls of each round, then copies the first paragraph of its last result; keeps what it was sent."""

    rounds: Sequence[Sequence[Call]]
    seen: list[list[BaseMessage]] = []

    @property
    def _llm_type(self) -> str:
        return "caller"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Caller:
        return self

    def _generate(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> ChatResult:
        self.seen.append(list(messages))
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        done = len(self.seen) - 1
        if done < len(self.rounds):
            calls = [ToolCall(name=name, args=args, id=f"{done}-{place}", type="tool_call") for place, (name, args) in enumerate(self.rounds[done])]
            return AIMessage("", tool_calls=calls)
        parts = str(messages[-1].content).split("\n\n")
        return AIMessage(parts[1] if len(parts) > 1 else parts[0])


def run(question: str, rounds: Sequence[Sequence[Call]], tools: list[BaseTool]) -> tuple[list[BaseMessage], Caller]:
    model = Caller(rounds=rounds, seen=[])
    agent = create_agent(model, tools, middleware=[NumberedResults(), ToolErrors()])
    return agent.invoke({"messages": [HumanMessage(question)]})["messages"], model


def results(messages: Sequence[BaseMessage]) -> list[ToolMessage]:
    return [message for message in messages if isinstance(message, ToolMessage)]


@pytest.mark.parametrize("question", ["Qwen2.5-7B bf16，8K，4 并发，用什么实例？", "Qwen2.5-7B bf16, 8K, 4 users: which instance?"])
def test_a_model_never_sees_an_undigested_result(question: str, tools: list[BaseTool]) -> None:
    messages, model = run(question, [[SIZE, LOOK], [PRICE, SEARCH]], tools)
    assert all(message.additional_kwargs.get(DIGESTED) for seen in model.seen for message in results(seen))
    assert len(results(model.seen[-1])) == 4
    assert sum(len(str(message.content)) for message in results(messages)) <= OF_A_TURN
    assert ("的结果" in str(results(messages)[0].content)) == ("实例" in question)


def test_what_was_sent_once_is_sent_the_same_again(tools: list[BaseTool]) -> None:
    """A provider keeps the beginning of a conversation in its cache only as long as nothing in it changes."""
    _, model = run("gn7e 有几张卡，多少钱？", [[LOOK, SIZE], [PRICE], [SEARCH]], tools)
    for earlier, later in zip(model.seen, model.seen[1:], strict=False):
        assert [(m.type, m.content) for m in later[: len(earlier)]] == [(m.type, m.content) for m in earlier]


def test_numbers_are_those_of_all_evidence_of_the_turn(tools: list[BaseTool]) -> None:
    messages, _ = run("gn7e 有几张卡，多少钱？", [[LOOK, SIZE], [PRICE]], tools)
    evidence = Evidence.of(messages)
    for message in results(messages):
        for number, title in re.findall(r"(?m)^\[(\d+)\] (.+?)（", str(message.content)):
            citation = evidence.citation(int(number))
            assert citation is not None and citation.title.startswith(title)
        assert MARK.search(str(message.content))


def test_parallel_results_are_numbered_in_the_order_of_their_calls(tools: list[BaseTool]) -> None:
    one, other = (run("gn7e 多少钱？", [calls], tools)[0] for calls in ([LOOK, PRICE, SIZE], [SIZE, PRICE, LOOK]))
    for messages in (one, other):
        assert [m.tool_call_id for m in results(messages)] == ["0-0", "0-1", "0-2"]
        first = [ref.source_id for ref in Evidence.of(messages).findings[0].sources]
        assert [c.source_id for c in (Evidence.of(messages).citation(n) for n in (1,)) if c] == first[:1]


def test_ids_and_findings_stay(tools: list[BaseTool]) -> None:
    asked = ask_tools("gn7i 多少钱", tools)
    made = numbered(asked.messages)
    assert made and [m.id for m in made] == [m.id for m in results(asked.messages)]
    before, after = asked.evidence.findings, Evidence.of(made).findings
    assert [finding.model_copy(update={"derived": []}) for finding in after] == before


def test_nothing_is_digested_twice_nor_are_guards_and_earlier_turns(tools: list[BaseTool]) -> None:
    asked = ask_tools("gn7i 多少钱", tools)
    done: list[BaseMessage] = [asked.messages[0], *numbered(asked.messages)]
    assert numbered(done) == []
    later: list[BaseMessage] = [*asked.messages, HumanMessage("那 gn7e 呢？"), *run_calls([LOOK], tools)]
    assert [m.name for m in numbered(later)] == ["look_up_names"]
    told = ToolMessage("concurrency", artifact={"tool": "size_llm"}, tool_call_id="9", additional_kwargs={GUARD: True})
    assert numbered([asked.messages[0], told]) == []


def test_many_results_share_the_room(tools: list[BaseTool]) -> None:
    sums = [("size_llm", {"model": f"Qwen3-{size}", "context": 8192, "concurrency": 4, "language": "zh"}) for size in ("4B", "8B", "14B", "32B")]
    messages: list[BaseMessage] = [HumanMessage("这几个模型各用什么卡？"), *run_calls([*sums, LOOK, PRICE], tools)]
    made = numbered(messages)
    assert sum(len(str(m.content)) for m in made) <= OF_A_TURN
    assert all("选 `ecs." in str(m.content) for m in made[:4])


def copied(asked: Asked) -> list[tuple[str, Evidence]]:
    """Drafts of a model that only copies: the first part of each digest, with the evidence of the turn."""
    made = numbered(asked.messages)
    evidence = Evidence.of([asked.messages[0], *made])
    return [(str(m.content).split("\n\n")[1], evidence) for m in made]


@pytest.mark.parametrize("question", ["Qwen2.5-72B int4，32K，8 并发，上海", "LoRA on Qwen2.5-7B: which card?", "gn7i 多少钱", "Where is gn7e sold?"])
def test_copied_text_passes_the_check_and_its_marks_are_renumbered(question: str, tools: list[BaseTool]) -> None:
    asked = ask_tools(question, tools)
    for draft, evidence in copied(asked):
        assert find_problems(draft, evidence, question=question) == []
        shown, citations = evidence.cited(draft)
        assert [citation.n for citation in citations] == list(range(1, len(citations) + 1))
        assert {int(number) for number in MARK.findall(shown)} == {citation.n for citation in citations}


def test_only_our_own_words_may_be_repeated_as_they_are(tools: list[BaseTool]) -> None:
    asked = ask_tools("A10 支持 FP8 吗？", tools)
    made: list[BaseMessage] = [asked.messages[0], *numbered(asked.messages)]
    assert {m.name for m in results(made)} >= {"check_claims", "search_guides", "look_up_names"}
    assert composed_digests(made) and all("WRONG" not in text for text in composed_digests(made))


def test_an_asynchronous_agent_digests_too(tools: list[BaseTool], tmp_path: Path) -> None:
    import asyncio

    model = Caller(rounds=[[LOOK]], seen=[])
    agent = create_agent(model, tools, middleware=[NumberedResults(), ToolErrors()])
    messages = asyncio.run(agent.ainvoke({"messages": [HumanMessage("gn7e 有几张卡？")]}))["messages"]
    assert all(message.additional_kwargs.get(DIGESTED) for message in results(messages))


class Copying(Assistant):
    """An assistant whose chat model makes some calls and copies the first paragraph of what the last one found."""

    def __init__(self, rounds: Sequence[Sequence[Call]], settings: Settings) -> None:
        super().__init__("vllm:copying", settings=settings)
        self._caller = Caller(rounds=rounds, seen=[])

    def _model(self) -> BaseChatModel:
        return self._caller


@pytest.mark.parametrize(
    ("question", "calls"),
    [
        ("Qwen2.5-7B bf16，8K，4 并发，用什么实例？", [SIZE]),
        ("Qwen2.5-7B bf16, 8K, 4 users: which instance?", [SIZE]),
        ("ecs.gn7e-c16g1.4xlarge 多少钱？", [PRICE]),
        ("How much is ecs.gn7e-c16g1.4xlarge?", [PRICE]),
        ("gn7e 是什么？有 gn7v 吗？", [LOOK]),
    ],
)
def test_a_model_that_copies_what_it_reads_is_shown(question: str, calls: Sequence[Call], tmp_path: Path) -> None:
    answer = Copying([calls], Settings(data_dir=tmp_path, embedder="none")).ask(question)
    assert answer.llm == "vllm:copying" and answer.verified and not answer.removed
    assert answer.citations and {int(number) for number in MARK.findall(answer.text)} == {citation.n for citation in answer.citations}
