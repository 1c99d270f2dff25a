"""Conversations by name, over a LangGraph checkpointer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from .faults import StoreFailed, check_name, refused
from .store import drop, names_of, read, write
from .thread import Thread

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

WAIT_S = 90.0
"""How long a turn waits for another turn of its thread; then it goes on, and `save` puts both together."""


@dataclass
class _Line:
    """Those who want a thread's turn."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0


@dataclass
class _Shared:
    """What all Threads of one checkpointer share: whose turn it is, and threads that could not be written."""

    store: threading.RLock = field(default_factory=threading.RLock)
    lines: dict[str, _Line] = field(default_factory=dict)
    unkept: dict[str, tuple[Thread, StoreFailed]] = field(default_factory=dict)


_SHARED: WeakKeyDictionary[Any, _Shared] = WeakKeyDictionary()
_SHARED_LOCK = threading.Lock()


class Threads:
    """Conversations by name. One object, or several over one checkpointer, may be used from many threads.

    `turn` lets one turn of a conversation run at a time in this process. Two processes may answer one at once: neither turn is
    lost, as `save` reads again what is stored and adds its turn, in one transaction where the store has them (SQLite and
    PostgreSQL as `open_checkpointer` opens them). The next question then builds on the turn that was saved last. Another
    checkpointer gets no such promise across processes.
    """

    def __init__(self, checkpointer: BaseCheckpointSaver[Any]) -> None:
        self.checkpointer = checkpointer
        with _SHARED_LOCK:
            self._shared = _SHARED.setdefault(checkpointer, _Shared())

    @contextmanager
    def turn(self, name: str, *, wait_s: float = WAIT_S) -> Iterator[Thread]:
        """The thread, while no other turn of it runs in this process. Raises as `load` does."""
        check_name(name)
        with self._shared.store:
            line = self._shared.lines.setdefault(name, _Line())
            line.users += 1
        # No RLock: a generator of events may be finished by another thread than began it.
        held = line.lock.acquire(timeout=wait_s)
        try:
            yield self.load(name)
        finally:
            if held:
                line.lock.release()
            with self._shared.store:
                line.users -= 1
                if not line.users:
                    self._shared.lines.pop(name, None)

    def load(self, name: str) -> Thread:
        """The thread of that name, empty if there is none.

        Raises InputError for a name that is empty or too long and a thread that cannot be read, SettingsError where the store
        cannot be reached.
        """
        check_name(name)
        with self._shared.store:
            unkept = self._shared.unkept.get(name)
            if unkept is not None:
                return unkept[0]
            try:
                return read(self.checkpointer, name)
            except StoreFailed as error:
                raise refused(error) from None

    def save(self, name: str, thread: Thread) -> None:
        """Keeps the turns of `thread` that are not kept yet.

        A store that fails raises nothing, as the answer is there: the thread stays in memory, `unkept` tells why, and the next
        `save` tries to write all of it.
        """
        check_name(name)
        with self._shared.store:
            try:
                write(self.checkpointer, name, thread)
            except StoreFailed as error:
                self._shared.unkept[name] = (thread, error)
            else:
                self._shared.unkept.pop(name, None)

    def forget(self, name: str) -> None:
        """Drops the thread, if there is one. Raises as `load` does."""
        check_name(name)
        with self._shared.store:
            self._shared.unkept.pop(name, None)
            try:
                drop(self.checkpointer, name)
            except StoreFailed as error:
                raise refused(error) from None

    def names(self) -> list[str]:
        """The threads that are kept, the newest first. Raises as `load` does."""
        with self._shared.store:
            try:
                return names_of(self.checkpointer)
            except StoreFailed as error:
                raise refused(error) from None

    def unkept(self, name: str) -> OSError | None:
        """Why the last turn of the thread could not be written; None if it was."""
        with self._shared.store:
            found = self._shared.unkept.get(name)
        return found[1].cause if found else None
