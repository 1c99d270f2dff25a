"""Conversations: a follow-up changes one thing and keeps the rest."""

from __future__ import annotations

import pytest

from assistant import Answer, Assistant
from assistant.answer import Call


def weights_gib(answer: Answer) -> float:
    assert answer.estimate is not None
    return answer.estimate.parts["weights"] * answer.estimate.gpus


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Qwen2.5-72B 不量化推理要多少显存，32K 上下文，8 并发？", "那换成 INT4 呢？"),
        ("How much memory does Qwen2.5-72B need in bf16 with 32k context and 8 users?", "and with int4?"),
    ],
)
def test_another_precision(assistant: Assistant, first: str, then: str) -> None:
    before, after = assistant.ask(first, f"p-{first}"), assistant.ask(then, f"p-{first}")
    assert weights_gib(before) == pytest.approx(135.4, abs=0.1)
    assert weights_gib(after) == pytest.approx(38.6, abs=0.2)
    assert after.reading["context"] == 32768 and after.reading["concurrency"] == 8
    assert "context" in after.reading["carried"]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("部署 Qwen2.5-14B bf16，8K，4 并发", "上下文改成 32k 呢"),
        ("Qwen2.5-14B bf16, 8K, 4 users", "and with 32k context?"),
    ],
)
def test_another_context(assistant: Assistant, first: str, then: str) -> None:
    before, after = assistant.ask(first, f"c-{first}"), assistant.ask(then, f"c-{first}")
    assert before.estimate and after.estimate
    assert after.reading["context"] == 32768
    per_token = 48 * 8 * 128 * 2 * 2
    assert after.estimate.parts["kv_cache"] * after.estimate.gpus == pytest.approx(4 * 32768 * per_token / 2**30, rel=0.01)


def test_a_new_question_carries_nothing(assistant: Assistant) -> None:
    assistant.ask("Qwen2.5-72B int4 32K 8 并发", "n")
    answer = assistant.ask("gn6i-c4g1.xlarge 多少钱一小时？", "n")
    assert answer.kind == "price"
    assert "carried" not in answer.reading


def test_threads_do_not_mix(assistant: Assistant) -> None:
    assistant.ask("Qwen2.5-72B int4 32K 8 并发", "a")
    answer = assistant.ask("那换成 fp8 呢？", "b")
    assert answer.estimate is None


def test_events_end_in_the_answer(assistant: Assistant) -> None:
    *calls, answer = assistant.events("Qwen2.5-7B bf16 8K 4 并发")
    assert isinstance(answer, Answer)
    told = [call.tool for call in calls if isinstance(call, Call)]  # as they finish, which differs from run to run
    assert sorted(told) == sorted(call.tool for call in answer.calls)
    assert answer.verified


def test_a_long_thread_stays_small(assistant: Assistant) -> None:
    for turn in range(25):
        assistant.ask(f"Qwen2.5-7B bf16 8K {turn + 1} 并发", "long")
    state = assistant._compiled().get_state({"configurable": {"thread_id": "long"}})
    assert len(state.values["messages"]) < 60
