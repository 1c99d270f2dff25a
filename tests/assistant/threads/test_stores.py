"""Where conversations are kept: addresses, files that cannot be used, and a server that comes and goes."""

from __future__ import annotations

import re
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from assistant.threads import Threads, open_checkpointer
from assistant.threads.checkpointers import FILE
from knowledge.errors import InputError, SettingsError, XuankaError
from tests.assistant.threads.making import add_turn, questions
from tests.assistant.threads.postgres import PASSWORD, Server


@pytest.mark.parametrize("where", ["", "redis://x:test-key@h", "sqlite://", "sqlite:relative", "mysql://u:test-key@h/d", "nothing at all"])
def test_an_address_of_nothing_is_one_sentence(where: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="XUANKA_CONVERSATIONS") as refused:
        open_checkpointer(where, data_dir=tmp_path)
    assert "test-key" not in str(refused.value) and "\n" not in str(refused.value)


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    with open_checkpointer("sqlite", data_dir=tmp_path / "data") as checkpointer:
        add_turn(Threads(checkpointer), "a", "q")
        path = tmp_path / "data" / FILE
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
    with open_checkpointer(f"sqlite:///{path}", data_dir=tmp_path / "elsewhere") as checkpointer:
        assert questions(Threads(checkpointer), "a") == ["q"]


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("notes of mine, long enough to be no database\n" * 50, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"notes\.txt"):
        open_checkpointer(f"sqlite:///{path}", data_dir=tmp_path)
    assert path.read_text(encoding="utf-8").startswith("notes of mine")


@pytest.mark.parametrize("place", ["file/data", "/proc/xuanka"])
def test_a_place_that_takes_no_file_is_an_os_error(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OSError):
        open_checkpointer("sqlite", data_dir=tmp_path / place)


@pytest.mark.parametrize(
    ("kind", "value"),
    [("msgpack", b"\xc1\xff\x00"), ("msgpack", b""), ("json", b"{"), ("nonsense", b"x"), ("msgpack", b"\x93\x01\x02\x03"), ("msgpack", b"\x80"), (None, None)],
)
def test_a_damaged_thread_is_one_sentence_and_stays(kind: str | None, value: bytes | None, tmp_path: Path) -> None:
    with open_checkpointer("sqlite", data_dir=tmp_path) as checkpointer:
        threads = Threads(checkpointer)
        add_turn(threads, "a", "q")
        with threads.turn("a") as before:
            checkpointer.conn.execute("UPDATE checkpoints SET type = ?, checkpoint = ?", (kind, value))
            checkpointer.conn.commit()
            with pytest.raises(InputError, match="“a”") as refused:
                threads.load("a")
            assert "\n" not in str(refused.value)
            threads.save("a", before)
            assert threads.unkept("a") is not None
        assert checkpointer.conn.execute("SELECT type, checkpoint FROM checkpoints").fetchall() == [(kind, value)]
        add_turn(threads, "b", "q")
        assert questions(threads, "b") == ["q"] and threads.unkept("b") is None


def test_a_state_of_another_program_is_one_sentence(tmp_path: Path) -> None:
    from langchain_core.messages import HumanMessage
    from langgraph.graph import START, MessagesState, StateGraph

    with open_checkpointer("sqlite", data_dir=tmp_path) as checkpointer:
        graph = StateGraph(MessagesState)
        graph.add_node("keep", lambda state: {})
        graph.add_edge(START, "keep")
        graph.compile(checkpointer=checkpointer).invoke({"messages": [HumanMessage("hi")]}, {"configurable": {"thread_id": "foreign"}})
        with pytest.raises(InputError, match="foreign"):
            Threads(checkpointer).load("foreign")


def test_a_truncated_file_is_one_sentence(tmp_path: Path) -> None:
    with open_checkpointer("sqlite", data_dir=tmp_path) as checkpointer:
        for number in range(5):
            add_turn(Threads(checkpointer), f"t{number}", "q", "答" * 3000)
    path = tmp_path / FILE
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    try:
        with open_checkpointer("sqlite", data_dir=tmp_path) as checkpointer:
            for number in range(5):
                with pytest.raises(XuankaError):
                    Threads(checkpointer).load(f"t{number}")
    except SettingsError as refused:
        assert str(path) in str(refused) and "\n" not in str(refused)


def test_what_cannot_be_written_is_kept_in_memory_until_it_can(tmp_path: Path) -> None:
    with open_checkpointer("sqlite", data_dir=tmp_path) as checkpointer:
        threads = Threads(checkpointer)
        add_turn(threads, "a", "one")
        tell(tmp_path / FILE, "CREATE TRIGGER full BEFORE INSERT ON checkpoints BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
        add_turn(threads, "a", "two")
        unkept = threads.unkept("a")
        assert unkept is not None and "disk is full" in str(unkept)
        add_turn(Threads(checkpointer), "a", "three")
        assert questions(threads, "a") == ["one", "two", "three"]
        tell(tmp_path / FILE, "DROP TRIGGER full")
        add_turn(threads, "a", "four")
        assert threads.unkept("a") is None
    with open_checkpointer("sqlite", data_dir=tmp_path) as checkpointer:
        assert questions(Threads(checkpointer), "a") == ["one", "two", "three", "four"]


def tell(path: Path, command: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(command)


@pytest.mark.parametrize(
    "change",
    [
        lambda url: url.replace(PASSWORD, "test-key-wrong"),
        lambda url: url.replace("/postgres", "/nowhere"),
        lambda url: url.replace("127.0.0.1:", "127.0.0.1:1"),
        lambda url: url.replace("127.0.0.1:", "127.0.0.1:x"),
        lambda url: url + "?sslmode=always",
    ],
)
def test_a_server_that_cannot_be_used_is_one_sentence_without_the_password(server: Server, change: object, tmp_path: Path) -> None:
    assert callable(change)
    with pytest.raises(SettingsError, match="PostgreSQL") as refused:
        open_checkpointer(change(server.url), data_dir=tmp_path)
    assert "test-key" not in str(refused.value) and "\n" not in str(refused.value)
    chinese, english = str(refused.value).split(" / ")
    assert not re.search(r"refuses|answer|such|cannot", chinese) and not re.search(r"[\u4e00-\u9fff]", english)


def test_a_conversation_outlives_a_restart_of_its_server(server: Server, tmp_path: Path) -> None:
    with open_checkpointer(server.url, data_dir=tmp_path) as checkpointer:
        threads = Threads(checkpointer)
        add_turn(threads, "restarted", "before")
        server.restart()
        add_turn(threads, "restarted", "after")
        assert questions(threads, "restarted") == ["before", "after"] and threads.unkept("restarted") is None
        with threads.turn("restarted") as thread:
            server.stop()
            threads.save("restarted", thread.with_turn(thread.turns[-1]))
        unkept = threads.unkept("restarted")
        assert unkept is not None and "test-key" not in str(unkept)
        assert threads.load("restarted").counter == 3
        with pytest.raises(SettingsError, match="PostgreSQL"):
            threads.load("another")
        server.start()
        add_turn(threads, "restarted", "at last")
        assert threads.unkept("restarted") is None
    with open_checkpointer(server.url, data_dir=tmp_path) as checkpointer:
        assert Threads(checkpointer).load("restarted").counter == 4
