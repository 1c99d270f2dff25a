"""What a thread keeps, and what a chat model is shown of it."""

from __future__ import annotations

import pytest

from assistant.read.reading import Reading
from assistant.threads import PastedText, Thread, messages_of
from assistant.threads.thread import CUT, MOST_PASTED, MOST_TURNS, TEXT_CHARS, shorten
from tests.assistant.threads.making import READING, after


def long_thread(turns: int, length: int = 10) -> Thread:
    thread = Thread()
    for number in range(turns):
        thread = after(thread, f"q{number}", "a" * length)
    return thread


def test_a_thread_of_many_turns_keeps_the_last_ones() -> None:
    thread = long_thread(500)
    assert thread.counter == 500 and MOST_TURNS // 2 <= len(thread.turns) <= MOST_TURNS
    assert thread.turns[-1].question == "q499"


def test_the_state_is_plain_and_reads_back() -> None:
    thread = after(Thread(), "问", "答").after(
        question="x", answer="y", language="en", llm="openai:m", carried=READING, pasted=PastedText("n", "text", "article")
    )
    state = thread.to_state()
    assert Thread.of_state(state) == thread
    assert plain(state)
    assert thread.carried and Reading.model_validate(thread.carried) == READING
    assert [text.turn for text in thread.pasted] == [2]


def plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and plain(part) for key, part in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or isinstance(value, str | int | float | bool)


@pytest.mark.parametrize(
    "state",
    [
        {"turns": 3},
        {"turns": [], "carried": {"x": 1}, "pasted": [], "counter": 1, "first": None},
        {"turns": [{"question": "q"}], "carried": None, "pasted": [], "counter": 1, "first": None},
        {"turns": [{"question": 1, "answer": "", "language": "", "llm": "", "carried": {}}], "carried": None, "pasted": [], "counter": 1, "first": None},
        {"messages": ["x"]},
    ],
)
def test_a_foreign_state_is_refused(state: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        Thread.of_state(state)


def test_pasted_texts_are_few_and_none_is_kept_twice() -> None:
    thread = Thread()
    for name in ("a", "b", "c", "d", "c"):
        text = PastedText(name, name * 20_000, "article")
        thread = thread.after(question=name, answer="", language="en", llm="offline", carried=READING, pasted=text)
    assert [text.name for text in thread.pasted] == ["b", "d", "c"] and len(thread.pasted) == MOST_PASTED
    assert all(len(text.text) <= TEXT_CHARS for text in thread.pasted) and thread.pasted[-1].turn == 5


@pytest.mark.parametrize(("text", "limit"), [("x" * 50, 20), ("显存" * 30, 21), ("x" * 50, 3), ("x" * 50, 0)])
def test_a_long_text_loses_its_middle(text: str, limit: int) -> None:
    assert len(shorten(text, limit)) <= limit
    assert limit < len(CUT) or CUT in shorten(text, limit)


def test_short_texts_stay() -> None:
    assert shorten("x" * 20, 20) == "x" * 20


@pytest.mark.parametrize("budget", [1, 50, 400, 3000, 10_000])
@pytest.mark.parametrize("turns", [0, 1, 7, 20, 47])
def test_messages_are_whole_pairs_within_the_budget(turns: int, budget: int) -> None:
    messages = messages_of(long_thread(turns, 200), budget_chars=budget)
    assert [message.type for message in messages] == ["human", "ai"] * (len(messages) // 2)
    assert sum(len(str(message.content)) for message in messages) <= budget
    if turns and budget >= 400:
        assert messages[-2].content == f"q{turns - 1}"


def test_the_beginning_stays_for_many_turns() -> None:
    changes, before, thread = 0, "q0", Thread()
    for number in range(100):
        thread = after(thread, f"q{number}", "a" * 500)
        first = str(messages_of(thread, budget_chars=8000)[0].content)
        changes += first != before
        before = first
    assert 5 < changes <= 20
