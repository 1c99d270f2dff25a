"""The folder of snapshots: which one is used, going back to the one before, what is thrown away, and how the last try failed."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

from knowledge.errors import DataError, InputError, RefreshFailed, XuankaError
from knowledge.snapshots import list_snapshots, read_snapshot

KEEP = 5
"""Newest snapshots that stay."""
LAST_FAILURE = "last_failure.json"
_SET_ASIDE = ".set-aside"


def used_snapshot(folder: Path) -> Path | None:
    """Folder of the newest snapshot that can be read: the one in use."""
    return next((path for path in list_snapshots(folder) if _reads(path)), None)


def go_back(folder: Path) -> tuple[Path, Path | None]:
    """Sets the snapshot in use aside; returns its folder's name as it was, and the one used now (None: the shipped catalog).

    Raises InputError if there is no snapshot to go back from.
    """
    used = used_snapshot(folder)
    if used is None:
        raise InputError(f"there is no snapshot in {folder} to go back from; the shipped catalog is in use")
    _set_aside(used, folder)
    return used, used_snapshot(folder)


def remove_old(folder: Path) -> tuple[str, ...]:
    """Removes the snapshots that can be read but for the newest five, and what was set aside; returns their names.

    Those that cannot be read stay: a later version may read them.
    """
    old = [path for path in list_snapshots(folder) if _reads(path)][KEEP:]
    for path in old:
        _set_aside(path, folder)  # out of sight at once, however long removing takes
    shutil.rmtree(folder / _SET_ASIDE, ignore_errors=True)
    return tuple(path.name for path in old)


def note_failure(folder: Path, *, at: datetime, error: XuankaError) -> None:
    """Keeps how the last refresh failed, in both languages, so that it can be said later."""
    folder.mkdir(parents=True, exist_ok=True)
    told = error.cause if isinstance(error, RefreshFailed) and error.cause else error
    note = {"at": at.astimezone(UTC).isoformat(timespec="seconds"), "sentence": str(told), "zh": getattr(told, "zh", str(told))}
    text = json.dumps(note, ensure_ascii=False)
    half = folder / f".{LAST_FAILURE}"
    half.write_text(text + "\n", encoding="utf-8")
    half.replace(folder / LAST_FAILURE)


def forget_failure(folder: Path) -> None:
    """The last refresh went well."""
    (folder / LAST_FAILURE).unlink(missing_ok=True)


def last_failure(folder: Path) -> dict[str, str] | None:
    """How the last refresh failed; None if it did not."""
    try:
        found = json.loads((folder / LAST_FAILURE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _set_aside(path: Path, folder: Path) -> None:
    place = folder / _SET_ASIDE / path.name
    place.parent.mkdir(exist_ok=True)
    if place.exists():
        shutil.rmtree(place)
    path.rename(place)


def _reads(path: Path) -> bool:
    try:
        read_snapshot(path)
    except DataError:
        return False
    return True
