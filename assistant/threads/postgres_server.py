"""Conversations on a PostgreSQL server: LangGraph's saver on one connection, which is made again when it breaks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, LiteralString

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, dict_row

from knowledge.errors import SettingsError
from tools.phrases import Language, read_phrases, say

from .faults import LANGUAGES, said

CONNECT_S = 5
STATEMENT_S = 15
SILENT_S = 10
"""After which a server that does not answer at all is given up."""
SPACE = 0x78756B61
"""Our part of the keys of advisory locks."""


class ServerSaver(PostgresSaver):
    """A checkpointer over one connection. Use it from one thread at a time (Threads does)."""

    failures: tuple[type[Exception], ...] = (psycopg.Error, OSError)
    conn: psycopg.Connection[DictRow]

    def __init__(self, url: str) -> None:
        self._url = url
        super().__init__(_connect(url))

    def setup(self) -> None:
        """Makes the tables. Two processes may start at once: one waits for the other."""
        # Asked again and again, as a session that waits inside one statement would hold up the making of indexes.
        end = time.monotonic() + STATEMENT_S
        while not self._one("SELECT pg_try_advisory_lock(%s, 0) AS value", SPACE):
            if time.monotonic() > end:
                raise psycopg.errors.LockNotAvailable("another process is making the tables")
            time.sleep(0.05)
        try:
            super().setup()
        finally:
            self._one("SELECT pg_advisory_unlock(%s, 0) AS value", SPACE)

    def _one(self, query: LiteralString, *arguments: object) -> Any:
        row = self.conn.execute(query, arguments).fetchone()
        return row and row["value"]

    @contextmanager
    def writing(self, name: str) -> Iterator[None]:
        """A transaction that waits for those of the same thread in other processes: all of it is kept, or nothing."""
        with self.conn.transaction():
            self.conn.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (SPACE, name))
            yield

    def reopen(self) -> None:
        """Connects again."""
        self.close()
        self.conn = _connect(self._url)

    def cause_of(self, error: Exception) -> OSError:
        """The failure in our own words: what the driver says may hold the address with its password."""
        return OSError(None, _told(error, self._url))

    def thread_names(self) -> list[str]:
        """Names of all threads, the newest first."""
        rows = self.conn.execute("SELECT thread_id FROM checkpoints GROUP BY thread_id ORDER BY max(checkpoint_id) DESC").fetchall()
        return [str(row["thread_id"]) for row in rows]

    def close(self) -> None:
        """Closes the connection."""
        with suppress(psycopg.Error, OSError):
            self.conn.close()

    def __enter__(self) -> ServerSaver:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def open_server(url: str) -> ServerSaver:
    """The saver of that server, its tables made where they are not there. SettingsError where it cannot be reached."""
    saver = None
    try:
        saver = ServerSaver(url)
        saver.setup()
    except (psycopg.Error, OSError) as error:
        if saver is not None:
            saver.close()
        raise SettingsError(said("refused", cause={language: _told(error, url, language) for language in LANGUAGES})) from None
    return saver


def _connect(url: str) -> psycopg.Connection[DictRow]:
    given = conninfo_to_dict(url)
    limits: dict[str, str | int | None] = {"connect_timeout": CONNECT_S, "tcp_user_timeout": SILENT_S * 1000, "application_name": "xuanka"}
    address = make_conninfo(url, **{name: limit for name, limit in limits.items() if name not in given})
    # No prepared statements, which poolers between here and the server may not know.
    connection = psycopg.Connection[DictRow].connect(address, autocommit=True, prepare_threshold=None, row_factory=dict_row)
    connection.execute(f"SET statement_timeout = '{STATEMENT_S}s'")
    return connection


_REASONS = (
    (("password", "authentication", "pg_hba"), "password"),
    (("does not exist",), "missing"),
    (("permission denied",), "rights"),
    (("timeout", "timed out", "canceling"), "slow"),
)


def _told(error: Exception, url: str, language: Language = "en") -> str:
    """What went wrong, of our own words and the host's name alone."""
    table = read_phrases("assistant.threads", "faults.toml")
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error:
        return say(table, "server.address", language)
    text = str(error).lower()
    reason = next((reason for words, reason in _REASONS if any(word in text for word in words)), "silent")
    return say(table, f"server.{reason}", language, at=f"{given.get('host') or 'localhost'}:{given.get('port') or 5432}")
