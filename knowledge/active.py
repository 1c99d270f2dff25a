"""Which snapshot of the catalog is in use, if any. The tables of `facts` hold shipped and refreshed rows together."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .kept import forget, kept

if TYPE_CHECKING:
    from .snapshot_rows import Snapshot
    from .snapshots import SnapshotFiles

YOUNG_NS = 2 * 10**9
"""A folder changed this recently may change again without a newer time stamp, so its stamp is not trusted."""


@dataclass(frozen=True, slots=True)
class _InUse:
    folder: Path | None = None
    stamp: int | None = None
    files: SnapshotFiles | None = None


_in_use = _InUse()
_lock = threading.Lock()


def use_snapshots(folder: Path | None) -> None:
    """Makes the newest snapshot of a folder part of the tables; None, or a folder without any: the shipped tables alone.

    Cheap to call again (one look at the folder's time stamp), so that a long-running process notices a refresh.
    """
    global _in_use
    stamp = _stamp(folder)
    if folder == _in_use.folder and stamp == _in_use.stamp:
        return
    with _lock:
        files = _newest(folder) if stamp is not None else None
        before, _in_use = _in_use.files, _InUse(folder, _trusted(stamp), files)
        if files is not before:
            forget()


def active_files() -> SnapshotFiles | None:
    """The snapshot in use, its tables not yet read."""
    return _in_use.files


@kept
def active_snapshot() -> Snapshot | None:
    """The snapshot in use, read whole."""
    from .snapshots import read_files

    files = active_files()
    return None if files is None else read_files(files)


def _newest(folder: Path | None) -> SnapshotFiles | None:
    from .errors import DataError
    from .snapshots import SnapshotFiles, list_snapshots

    now = _in_use.files
    for path in list_snapshots(folder) if folder else ():
        if now is not None and path == now.path:
            return now
        try:
            return SnapshotFiles(path)
        except DataError:  # `doctor` says which one is broken; the one before it counts
            continue
    return None


def _stamp(folder: Path | None) -> int | None:
    """Time of the folder's last change; None without one."""
    try:
        return folder.stat().st_mtime_ns if folder else None
    except OSError:
        return None


def _trusted(stamp: int | None) -> int | None:
    return -1 if stamp is not None and abs(time.time_ns() - stamp) < YOUNG_NS else stamp
