"""Several processes over one store: turns are not lost, whoever is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from assistant.threads import Threads, open_checkpointer
from tests.assistant.threads.making import add_turn, questions
from tests.assistant.threads.postgres import Server
from tests.ui.running import ROOT

BOUND_S = 120


def begin(where: str, folder: Path, word: str, count: int, name: str = "shared") -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.assistant.threads.turns_process", where, str(folder), name, word, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=BOUND_S)
    assert process.returncode == 0, errors
    assert not errors
    return output


def test_two_processes_answer_one_thread_at_once(lasting: str, tmp_path: Path) -> None:
    """The tables are made by both at once, too."""
    for process in [begin(lasting, tmp_path, word, 9) for word in ("one", "two")]:
        end(process)
    with open_checkpointer(lasting, data_dir=tmp_path) as checkpointer:
        thread = Threads(checkpointer).load("shared")
        asked = [turn.question for turn in thread.turns]
        assert thread.counter == 18 and sorted(asked) == sorted(f"{word} {number}" for word in ("one", "two") for number in range(9))
        for word in ("one", "two"):  # each in its order
            assert [question for question in asked if question.startswith(word)] == [f"{word} {number}" for number in range(9)]
        Threads(checkpointer).forget("shared")


def test_two_processes_alternate_over_a_restart(server: Server, tmp_path: Path) -> None:
    with open_checkpointer(server.url, data_dir=tmp_path) as checkpointer:
        threads = Threads(checkpointer)
        for number in range(3):
            add_turn(threads, "alternate", f"here {number}")
            if number == 1:
                server.restart()
            end(begin(server.url, tmp_path, f"there {number}", 1, "alternate"))
        assert questions(threads, "alternate") == ["here 0", "there 0 0", "here 1", "there 1 0", "here 2", "there 2 0"]


def test_a_writer_that_is_killed_costs_no_turn_that_was_told(lasting: str, tmp_path: Path) -> None:
    process = begin(lasting, tmp_path, "killed", 100_000, "killed")
    assert process.stdout is not None and process.stderr is not None
    told = -1
    for line in process.stdout:
        told = int(line) if line.strip().isdigit() else told
        if told >= 30:
            break
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate(timeout=BOUND_S)
    told = max([told, *(int(line) for line in rest.splitlines() if line.isdigit())])
    with open_checkpointer(lasting, data_dir=tmp_path) as checkpointer:
        threads = Threads(checkpointer)
        thread = threads.load("killed")
        assert thread.counter - 1 in (told, told + 1)
        assert thread.turns[-1].question == f"killed {thread.counter - 1}"
        add_turn(threads, "killed", "on")
        assert threads.load("killed").counter == thread.counter + 1 and threads.unkept("killed") is None
        threads.forget("killed")
