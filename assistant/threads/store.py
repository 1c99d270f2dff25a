"""Reads and writes one thread through a LangGraph checkpointer: the channels of a graph that does nothing but keep them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar, runtime_checkable

from knowledge.errors import InputError

from .faults import StoreFailed, unreadable
from .thread import Thread

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
    from langgraph.graph.state import CompiledStateGraph

    Saver = BaseCheckpointSaver[Any]

Result = TypeVar("Result")
_PLAIN_FAILURES = (OSError, sqlite3.Error)
"""Of checkpointers that are not ours."""


@runtime_checkable
class Store(Protocol):
    """What the checkpointers of `open_checkpointer` can do besides."""

    failures: tuple[type[Exception], ...]

    def writing(self, name: str) -> AbstractContextManager[None]:
        """A transaction in which nobody else, in whatever process, changes the thread."""

    def reopen(self) -> None:
        """Connects again."""

    def cause_of(self, error: Exception) -> OSError:
        """A failure in words that may be shown: no password."""

    def thread_names(self) -> list[str]:
        """Names of all threads, the newest first."""


_NODE = "keep"
_SENSELESS = (ValueError, TypeError, LookupError, AttributeError, NotImplementedError, EOFError)
"""What reading foreign or broken bytes ends in."""


class _State(TypedDict, total=False):
    """The channels: plain values only, so that any serializer reads them back."""

    turns: list[dict[str, Any]]
    carried: dict[str, Any] | None
    pasted: list[dict[str, Any]]
    counter: int
    first: dict[str, Any] | None


def read(saver: Saver, name: str) -> Thread:
    """The thread as it is stored, empty if it is not. Raises InputError for one that makes no sense, StoreFailed."""
    return _tried(saver, lambda: _stored(saver, name))


def write(saver: Saver, name: str, thread: Thread) -> None:
    """Adds the turns of `thread` that the store does not have; of older states of the thread nothing is left.
    Raises StoreFailed."""

    def put() -> None:
        with _writing(saver, name) as alone:
            joined = _stored(saver, name).joined(thread)
            if alone:
                saver.delete_thread(name)  # older states; nobody sees the moment between
            _graph(saver).update_state(_config(name), joined.to_state(), as_node=_NODE)
        if not alone:
            with suppress(NotImplementedError):
                saver.prune([name])

    try:
        _tried(saver, put)
    except InputError as error:  # what is stored has become unreadable since the turn began: it is not overwritten
        raise StoreFailed(OSError(str(error))) from None


def drop(saver: Saver, name: str) -> None:
    """Deletes the thread. Raises StoreFailed."""

    def delete() -> None:
        with _writing(saver, name):
            saver.delete_thread(name)

    _tried(saver, delete)


def names_of(saver: Saver) -> list[str]:
    """Names of all threads, the newest first. Raises StoreFailed."""

    def names() -> list[str]:
        if isinstance(saver, Store):
            return saver.thread_names()
        return list(dict.fromkeys(str(found.config["configurable"]["thread_id"]) for found in _newest_first(saver)))

    return _tried(saver, names)


def _newest_first(saver: Saver) -> list[CheckpointTuple]:
    return sorted(saver.list(None), key=lambda found: str(found.checkpoint["id"]), reverse=True)


@contextmanager
def _writing(saver: Saver, name: str) -> Iterator[bool]:
    """Whether nobody else reads or writes the thread meanwhile, and all changes come at once or not at all."""
    from langgraph.checkpoint.memory import InMemorySaver

    if isinstance(saver, Store):
        with saver.writing(name):
            yield True
    else:
        yield isinstance(saver, InMemorySaver)


def _tried(saver: Saver, action: Callable[[], Result]) -> Result:
    """The action, once more after a failure of a store that can be opened again: its server may have been restarted."""
    own = isinstance(saver, Store)
    failures = saver.failures if isinstance(saver, Store) else _PLAIN_FAILURES
    try:
        return action()
    except failures as error:
        if not own:
            raise StoreFailed(OSError(str(error))) from None
    assert isinstance(saver, Store)
    try:
        saver.reopen()
        return action()
    except failures as error:
        raise StoreFailed(saver.cause_of(error)) from None


def _stored(saver: Saver, name: str) -> Thread:
    try:
        found = _graph(saver).get_state(_config(name))
        if found.created_at and not found.values:
            raise ValueError("channels of another program")
        return Thread.of_state(found.values)
    except _SENSELESS:
        raise unreadable(name) from None


def _config(name: str) -> RunnableConfig:
    return {"configurable": {"thread_id": name, "checkpoint_ns": ""}}


def _graph(saver: Saver) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Compiled anew for each use: half a millisecond, and no graph that outlives its checkpointer."""
    from langgraph.graph import START, StateGraph

    graph = StateGraph(_State)
    graph.add_node(_NODE, lambda state: {})
    graph.add_edge(START, _NODE)
    return graph.compile(checkpointer=saver)
