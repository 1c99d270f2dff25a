"""Conversations of `ask --thread`, kept between two runs of the command: one file each in the data folder."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langgraph.checkpoint.memory import InMemorySaver

MAX_NAME = 200


class ThreadFile:
    """The last state of one conversation. Give `checkpointer` to the Assistant, call `save` after the answer.

    Raises InputError for a name that is empty or too long, or a file that cannot be read.
    """

    def __init__(self, folder: Path, name: str) -> None:
        from langgraph.checkpoint.memory import InMemorySaver

        from knowledge.errors import InputError

        if not name.strip() or len(name) > MAX_NAME:
            raise InputError(f"A thread's name has 1 to {MAX_NAME} characters; this one has {len(name.strip())}.")
        # A hash, because a name may hold what a file name must not.
        self.path = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.json"
        self.config: Any = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
        self.checkpointer: InMemorySaver = InMemorySaver()
        if _exists(self.path):
            self._load()

    def save(self) -> None:
        """Writes the state of after the answer, whole or not at all. OSError where the folder takes no file."""
        state = self.checkpointer.get_tuple(self.config)
        if state is None:
            return
        kind, data = self.checkpointer.serde.dumps_typed((state.checkpoint, state.metadata))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".new")
        try:
            draft.write_text(json.dumps({"kind": kind, "data": base64.b64encode(data).decode()}), encoding="utf-8")
            draft.replace(self.path)
        except OSError:
            with contextlib.suppress(OSError):  # half a file, as on a full disk
                draft.unlink(missing_ok=True)
            raise

    def _load(self) -> None:
        from knowledge.errors import InputError

        try:
            row = json.loads(self.path.read_text(encoding="utf-8"))
            state = self.checkpointer.serde.loads_typed((row["kind"], base64.b64decode(row["data"])))
            checkpoint, metadata = state
            self.checkpointer.put(self.config, checkpoint, metadata, checkpoint["channel_versions"])
        except (OSError, ValueError, KeyError, TypeError, NotImplementedError):
            raise InputError(f"The conversation in {self.path} cannot be read; delete the file or take another --thread.") from None


def _exists(path: Path) -> bool:
    """Whether there is such a file; in a folder that may not be entered there is none for us."""
    try:
        return path.exists()
    except OSError:
        return False
