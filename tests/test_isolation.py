"""What conftest.py promises every other test: a clean environment and no way out of this machine."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from assistant.settings import read_settings


@pytest.mark.parametrize("turn", [1, 2])
def test_data_folder_is_new_and_empty(turn: int) -> None:
    assert sorted(name for name in os.environ if name.startswith("XUANKA_")) == ["XUANKA_DATA_DIR", "XUANKA_STALE_AFTER_DAYS"]
    folder = read_settings().data_dir
    assert str(folder) == os.environ["XUANKA_DATA_DIR"]
    assert list(folder.iterdir()) == []
    (folder / f"left by turn {turn}").touch()


@pytest.mark.parametrize("host", ["8.8.8.8", "10.0.0.1", "169.254.169.254", "example.com", "2001:db8::1"])
def test_other_machines_are_out_of_reach(host: str) -> None:
    with pytest.raises(RuntimeError, match="this machine alone"):
        socket.create_connection((host, 80), timeout=1)


def test_datagrams_are_refused_too() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        with pytest.raises(RuntimeError, match="this machine alone"):
            sender.sendto(b"hello", ("8.8.8.8", 53))
        with pytest.raises(RuntimeError, match="this machine alone"):
            sender.connect(("8.8.8.8", 53))


def test_this_machine_is_within_reach(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=5).close()
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as caller:
        listener.bind(str(tmp_path / "socket"))
        listener.listen()
        caller.connect(str(tmp_path / "socket"))
