"""Where conversations are kept: `open_checkpointer("sqlite", data_dir=…)`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowledge.errors import SettingsError

from .faults import said

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

FILE = Path("threads", "conversations.sqlite")
"""In the data folder."""


def open_checkpointer(where: str, *, data_dir: Path) -> AbstractContextManager[Any]:
    """A LangGraph checkpointer for `Threads`, to be used in a `with` statement or closed by `close()`.

    `where`: `memory`, `sqlite` (a file in `data_dir`), `sqlite:///PATH`, or `postgresql://…`. Raises SettingsError for
    anything else, an extra that is not installed, a server that does not answer, and a file that holds something else;
    OSError where the file cannot be made or written.
    """
    scheme, _, rest = where.strip().partition(":")
    if where.strip() == "memory":
        from langgraph.checkpoint.memory import InMemorySaver

        return InMemorySaver()
    if where.strip() == "sqlite":
        return _open_file(data_dir / FILE)
    if scheme == "sqlite" and rest.startswith("///") and len(rest) > len("///"):
        return _open_file(Path(rest.removeprefix("///")).expanduser())
    if scheme in ("postgresql", "postgres") and rest.startswith("//"):
        return _open_server(where.strip())
    # Of what looks like an address only the beginning is shown: it may hold a password.
    shown = f"{scheme}:…" if rest else re.sub(r"[^\w.-]", "?", where.strip()[:40])
    raise SettingsError(said("setting", value=shown))


def _open_file(path: Path) -> AbstractContextManager[Any]:
    try:
        from .sqlite_file import open_file
    except ImportError:
        raise SettingsError(said("extra", what="SQLite", extra="sqlite")) from None
    return open_file(path)


def _open_server(url: str) -> AbstractContextManager[Any]:
    try:
        from .postgres_server import open_server
    except ImportError:
        raise SettingsError(said("extra", what="PostgreSQL", extra="postgres")) from None
    return open_server(url)
