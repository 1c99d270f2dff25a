"""Conversations that a command takes up again: where the settings keep them, or in memory where that takes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .speech import say

if TYPE_CHECKING:
    from assistant.settings import Settings
    from assistant.threads import Threads
    from tools.phrases import Language


@dataclass(frozen=True)
class Conversations:
    """`checkpointer` is for the Assistant, `threads` are those that it keeps there. `fault`: why the file cannot be opened;
    `folder`: where it would be, None on a server."""

    checkpointer: Any
    threads: Threads
    folder: Path | None
    fault: OSError | None = None

    def unkept(self, name: str) -> OSError | None:
        """Why the last turn of a conversation is not kept for the next run of the command; None if it is."""
        return self.fault or self.threads.unkept(name)


@contextmanager
def open_conversations(settings: Settings) -> Iterator[Conversations]:
    """The conversations of these settings, closed in the end. Raises SettingsError for a place that cannot be used at all."""
    from assistant.threads import Threads, open_checkpointer

    where, fault = settings.conversations, None
    try:
        opened = open_checkpointer(where, data_dir=settings.data_dir)
    except OSError as error:
        opened, fault = open_checkpointer("memory", data_dir=settings.data_dir), error
    with opened as checkpointer:
        yield Conversations(checkpointer, Threads(checkpointer), _folder(where, settings.data_dir), fault)


def _folder(where: str, data_dir: Path) -> Path | None:
    if where.startswith("sqlite:///"):
        return Path(where.removeprefix("sqlite:///")).expanduser().parent
    return data_dir if where == "sqlite" else None


def unkept_sentence(folder: Path | None, cause: OSError, language: Language) -> str:
    """One sentence on a conversation that is not kept."""
    from .doctor import way_to_write

    reason = cause.strerror or str(cause)
    if folder is None:
        return say("ask.not_kept_there", language, reason=reason)
    return say("ask.not_kept", language, folder=folder, reason=reason, way=way_to_write(folder, cause, language))


def old_file(data_dir: Path, name: str) -> Path | None:
    """The file in which versions before kept this conversation, which is not read any more."""
    import hashlib

    path = data_dir / "threads" / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.json"
    try:
        return path if path.exists() else None
    except OSError:  # in a folder that may not be entered
        return None
