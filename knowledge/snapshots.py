"""Snapshots on disk: one folder each, `<data folder>/snapshots/2026-12-05T08-00-00Z/`, whole or not there.

A snapshot is written into a hidden folder beside the others, synced, read back, and moved to its place at the very end. What a
killed writer leaves is a hidden folder that no reader looks at; the next writer removes it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .errors import DataError
from .snapshot_files import (
    MANIFEST,
    TABLES,
    manifest_text,
    read_manifest,
    table_column,
    table_rows,
    table_text,
)
from .snapshot_rows import Manifest, Snapshot

LOCK_WAIT_S = 60.0
_HALF = ".half-"
_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(-\d+)?")


def write_snapshot(folder: Path, snapshot: Snapshot) -> Path:
    """Keeps a snapshot as a new folder and returns it. DataError if it cannot be kept; those of before stay as they are."""
    name = _folder_name(snapshot.manifest.taken_at)
    try:
        with _only_writer(folder):
            _remove_halves(folder)
            return _write(folder, name, snapshot)
    except (OSError, UnicodeError) as error:
        raise DataError(
            f"the snapshot could not be written to {folder} ({error}); the one of before stays"
        ) from error


def read_snapshot(path: Path) -> Snapshot:
    """The snapshot of a folder. DataError if it is broken, changed by hand, or of another format."""
    return read_files(SnapshotFiles(path))


def read_files(files: SnapshotFiles) -> Snapshot:
    """All tables of a snapshot."""
    tables = {field: files.rows(name) for name, (field, _) in TABLES.items()}
    return Snapshot(files.manifest, **tables)


def newest_snapshot(folder: Path) -> Snapshot | None:
    """The newest snapshot that can be read whole."""
    for path in list_snapshots(folder):
        try:
            return read_snapshot(path)
        except DataError:
            continue
    return None


def list_snapshots(folder: Path) -> tuple[Path, ...]:
    """Folders of snapshots, newest first, broken ones and those of other formats included."""
    try:
        found = [path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_dir()]
    except OSError:
        return ()
    return tuple(sorted(found, key=_age, reverse=True))


class SnapshotFiles:
    """A snapshot whose files are all there and unchanged; each table is read when it is asked for."""

    def __init__(self, path: Path) -> None:
        """DataError if a file is missing or is not the one that was written, or the format is another."""
        self.path = path
        manifest = _read(path / MANIFEST).decode("utf-8", "replace")
        self.manifest: Manifest = read_manifest(manifest, name=str(path / MANIFEST))
        self._text = {name: self._unchanged(name) for name in TABLES}

    def rows(self, name: str) -> tuple[Any, ...]:
        """Rows of the table `name` (a key of TABLES)."""
        return table_rows(name, self._text[name])

    def column(self, name: str, column: str) -> frozenset[str]:
        """The different cells of one column: quicker than its rows."""
        return table_column(self._text[name], column)

    def contents(self) -> tuple[bytes, ...]:
        """All tables as they stand on disk."""
        return tuple(self._text.values())

    def _unchanged(self, name: str) -> bytes:
        content = _read(self.path / name)
        if _digest(content) != self.manifest.sha256.get(name):
            raise DataError(f"{self.path / name}: not as it was written (its digest differs)")
        return content


def _write(folder: Path, name: str, snapshot: Snapshot) -> Path:
    from shutil import rmtree
    from tempfile import mkdtemp

    half = Path(mkdtemp(prefix=_HALF, dir=folder))
    try:
        _write_files(half, snapshot)
        read_snapshot(half)  # what cannot be read back is not kept
        place = _free_place(folder, name)
        half.rename(place)
    finally:
        rmtree(half, ignore_errors=True)
    _sync_folder(folder)
    return place


def _write_files(half: Path, snapshot: Snapshot) -> None:
    tables = {name: getattr(snapshot, field) for name, (field, _) in TABLES.items()}
    content = {name: table_text(name, rows).encode("utf-8") for name, rows in tables.items()}
    manifest = replace(
        snapshot.manifest,
        rows={name: len(rows) for name, rows in tables.items()},
        sha256={name: _digest(table) for name, table in content.items()},
    )
    for name, table in {**content, MANIFEST: manifest_text(manifest).encode("utf-8")}.items():
        _write_file(half / name, table)
    half.chmod(0o755)  # mkdtemp makes it for its owner alone
    _sync_folder(half)


def _write_file(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / ".lock", timeout=LOCK_WAIT_S):
            yield
    except Timeout as error:
        raise DataError(
            f"another refresh is writing to {folder}; wait until it is done"
        ) from error


def _remove_halves(folder: Path) -> None:
    """Called by the only writer: whatever is half-written was left by one that is gone."""
    from shutil import rmtree

    for path in folder.glob(f"{_HALF}*"):
        rmtree(path, ignore_errors=True)


def _free_place(folder: Path, name: str) -> Path:
    places = (
        folder / (name if number == 1 else f"{name}-{number}") for number in range(1, 10_000)
    )
    return next(place for place in places if not place.exists())


def _folder_name(taken_at: str) -> str:
    """Its time in UTC, without colons, which some file systems refuse."""
    try:
        moment = datetime.fromisoformat(taken_at)
    except ValueError as error:
        raise DataError(f"a snapshot is taken at an ISO 8601 time, not at {taken_at!r}") from error
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H-%M-%SZ")


def _age(path: Path) -> tuple[str, int]:
    moment, _, number = path.name.partition("Z")
    return moment, int(number.lstrip("-") or 1)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
