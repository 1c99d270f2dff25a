"""Conversations in a SQLite file: LangGraph's saver, with transactions of our own around each turn."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from langgraph.checkpoint.sqlite import SqliteSaver

from knowledge.errors import SettingsError

from .faults import said

BUSY_S = 10.0
"""How long another process is waited for; it writes for milliseconds."""


class _Connection(sqlite3.Connection):
    """A connection on which the saver's commits wait for the end of a transaction that was begun around them."""

    held = False

    def commit(self) -> None:
        if not self.held:
            super().commit()


class FileSaver(SqliteSaver):
    """A checkpointer over one file. Use it from one thread at a time while writing (Threads does)."""

    failures: tuple[type[Exception], ...] = (sqlite3.Error, OSError)
    conn: _Connection

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(_connect(path))
        self.setup()

    @contextmanager
    def writing(self, name: str) -> Iterator[None]:
        """A transaction that waits for those of other processes: all of it is kept, or nothing."""
        self.conn.execute("BEGIN IMMEDIATE")
        self.conn.held = True
        try:
            yield
        except BaseException:
            self.conn.held = False
            self.conn.rollback()
            raise
        self.conn.held = False
        self.conn.commit()

    def reopen(self) -> None:
        """Opens the file again, which may have been moved away."""
        self.close()
        self.conn = _connect(self.path)
        self.is_setup = False
        self.setup()

    def cause_of(self, error: Exception) -> OSError:
        """The failure, with the file's name."""
        return OSError(None, f"{getattr(error, 'strerror', None) or error} ({self.path})")

    def thread_names(self) -> list[str]:
        """Names of all threads, the newest first."""
        with self.cursor(transaction=False) as cursor:
            return [name for (name,) in cursor.execute("SELECT thread_id FROM checkpoints GROUP BY thread_id ORDER BY max(checkpoint_id) DESC")]

    def close(self) -> None:
        """Closes the file."""
        with suppress(sqlite3.Error):
            self.conn.close()

    def __enter__(self) -> FileSaver:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def open_file(path: Path) -> FileSaver:
    """The file, made if it is not there: readable for its owner alone, as its folder where that is made too.

    Raises OSError where it cannot be made or written, SettingsError for a file that holds something else.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    saver = None
    try:
        saver = FileSaver(path)
        with saver.writing(""):
            pass
    except sqlite3.Error as error:
        if saver is not None:
            saver.close()
        if isinstance(error, sqlite3.OperationalError):  # locked, on a full disk, read-only
            raise OSError(None, str(error), str(path)) from None
        raise SettingsError(said("damaged", path=path, cause=error)) from None
    return saver


def _connect(path: Path) -> _Connection:
    # Threads of the server take turns on it, which Threads sees to.
    connection = sqlite3.connect(path, timeout=BUSY_S, check_same_thread=False, factory=_Connection)
    connection.execute("PRAGMA synchronous=NORMAL")  # in WAL: a crash of the machine may cost the last turn, never the file
    return connection
