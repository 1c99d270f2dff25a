"""Stores of conversations: memory, a file, and a server that runs for all tests of this folder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.assistant.threads.postgres import Server, find_binaries, has_user


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A running PostgreSQL server."""
    binaries = find_binaries()
    if binaries is None or not has_user():
        pytest.skip("no PostgreSQL server here: its binaries initdb and pg_ctl, and as root its user postgres, are missing")
    # A short path, as that of a socket must be, which the server's own user may enter.
    with tempfile.TemporaryDirectory(prefix="xkpg", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        running = Server(binaries, Path(folder) / "pg")
        running.make()
        running.start()
        yield running
        running.stop()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def where(request: pytest.FixtureRequest) -> str:
    """Each kind of store, as the setting names it."""
    return str(request.getfixturevalue("server").url if request.param == "postgresql" else request.param)


@pytest.fixture(params=["sqlite", "postgresql"])
def lasting(request: pytest.FixtureRequest) -> str:
    """Each kind of store that several processes share."""
    return str(request.getfixturevalue("server").url if request.param == "postgresql" else request.param)
