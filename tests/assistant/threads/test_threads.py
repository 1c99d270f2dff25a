"""Stores of conversations: what is promised of each, in one process."""

from __future__ import annotations

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assistant.threads import Thread, Threads, open_checkpointer
from knowledge.errors import InputError
from tests.assistant.threads.making import add_turn, after, questions


def test_turns_are_kept_and_forgotten(where: str, tmp_path: Path) -> None:
    with open_checkpointer(where, data_dir=tmp_path) as checkpointer:
        threads = Threads(checkpointer)
        assert threads.load("客户/1 kept") == Thread()
        for question in ("一", "two"):
            add_turn(threads, "客户/1 kept", question)
        add_turn(threads, "other kept", "x")
        assert questions(threads, "客户/1 kept") == ["一", "two"] and questions(threads, "other kept") == ["x"]
        assert threads.names()[:2] == ["other kept", "客户/1 kept"]
        threads.forget("客户/1 kept")
        threads.forget("never there")
        assert threads.load("客户/1 kept") == Thread() and threads.names()[0] == "other kept"


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\x00b"])
def test_a_name_that_is_none_is_refused(name: str, tmp_path: Path) -> None:
    with open_checkpointer("memory", data_dir=tmp_path) as checkpointer:
        threads = Threads(checkpointer)
        with pytest.raises(InputError, match="200"), threads.turn(name):
            pass


def test_turns_of_one_thread_wait_for_each_other(where: str, tmp_path: Path) -> None:
    with open_checkpointer(where, data_dir=tmp_path) as checkpointer, ThreadPoolExecutor(8) as pool:
        threads = [Threads(checkpointer), Threads(checkpointer)]
        list(pool.map(lambda number: add_turn(threads[number % 2], "busy", f"q{number}"), range(18)))
        assert threads[0].load("busy").counter == 18
        assert sorted(questions(threads[1], "busy")) == sorted(f"q{number}" for number in range(18))


def test_a_turn_that_does_not_end_holds_up_nobody_for_ever(where: str, tmp_path: Path) -> None:
    with open_checkpointer(where, data_dir=tmp_path) as checkpointer:
        threads = Threads(checkpointer)
        with threads.turn("slow") as slow:
            with threads.turn("slow", wait_s=0.05) as quick:
                threads.save("slow", after(quick, "quick"))
            threads.save("slow", after(slow, "slow"))
        assert questions(threads, "slow") == ["quick", "slow"]


def test_a_turn_may_end_in_another_thread(tmp_path: Path) -> None:
    with open_checkpointer("memory", data_dir=tmp_path) as checkpointer:
        threads = Threads(checkpointer)
        turn = threads.turn("a")
        turn.__enter__()
        ending = threading.Thread(target=lambda: turn.__exit__(None, None, None))
        ending.start()
        ending.join()
        with threads.turn("a", wait_s=0):
            assert not threads._shared.lines["a"].lock.acquire(blocking=False)
        assert not threads._shared.lines


def test_a_thread_saved_again_and_again_holds_no_turn_twice(where: str, tmp_path: Path) -> None:
    with open_checkpointer(where, data_dir=tmp_path) as checkpointer:
        threads, thread = Threads(checkpointer), Thread()
        for number in range(3):
            thread = after(thread, f"q{number}")
            threads.save("twice", thread)
            threads.save("twice", thread)
        assert questions(threads, "twice") == ["q0", "q1", "q2"] and threads.load("twice").counter == 3


def test_nothing_is_kept_of_older_states(where: str, tmp_path: Path) -> None:
    with warnings.catch_warnings(), open_checkpointer(where, data_dir=tmp_path) as checkpointer:
        warnings.simplefilter("error")
        threads = Threads(checkpointer)
        for number in range(45):
            add_turn(threads, "long", f"q{number}", "答" * 500)
        config = {"configurable": {"thread_id": "long"}}
        assert len(list(checkpointer.list(config))) == 1
        assert threads.load("long").counter == 45
