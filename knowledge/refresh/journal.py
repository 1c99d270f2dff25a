"""The journal of a refresh: each finished step with its rows, on disk before the next call is made, so that a refresh that
was killed goes on where it stopped. One JSON object a line, `<folder>/.work/journal.jsonl`; the first names the request."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO, Literal

from knowledge.errors import DataError, RefreshBusy
from knowledge.snapshot_files import table_rows, table_text

from .request import Kind, RefreshRequest, Step

FORMAT = 1
MAX_AGE = timedelta(days=1)
"""Of a journal that is gone on with: prices and stock of different days do not belong in one snapshot."""

TABLE: dict[Kind, str] = {
    "types": "types.csv",
    "stock": "offered.csv",
    "bulk": "prices.csv",
    "price": "prices.csv",
    "advice": "advice.csv",
    "spot": "spot.csv",
    "plans": "plans.csv",
}
"""The table that a step of each kind brings rows for."""

Dropped = Literal["", "other_request", "too_old", "unreadable"]
Rows = tuple[Any, ...]


class Journal:
    """Finished steps by key. `dropped`: why the journal of an earlier refresh was not gone on with, empty if there was none."""

    def __init__(self, path: Path, request: RefreshRequest, *, now: datetime, fresh: bool = False) -> None:
        self.path = path
        self._header: dict[str, Any] = {"format": FORMAT, "request": _plain(request), "started_at": now.isoformat()}
        self.done: dict[str, Rows] = {}
        self.dropped: Dropped = ""
        good = 0 if fresh else self._take_over(now)
        self.resumed = len(self.done)
        self._file = self._open(good)

    def add(self, step: Step, rows: Rows) -> None:
        """Keeps a finished step; when this returns it is on disk."""
        self._write({"step": step.key, "csv": table_text(TABLE[step.kind], rows)})
        self.done[step.key] = rows

    def close(self) -> None:
        """Closes the file and leaves it for the next refresh."""
        self._file.close()

    def remove(self) -> None:
        """The refresh is done: nothing is left to go on with."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _take_over(self, now: datetime) -> int:
        """Takes the steps of the journal on disk, if it is of this request; returns how many bytes of it are good."""
        lines = list(_whole_lines(self.path))
        if not lines:
            return 0
        header, end = lines[0]
        self.dropped = _why_not(header, self._header["request"], now)
        if self.dropped:
            return 0
        for entry, after in lines[1:]:
            try:
                self.done[entry["step"]] = _rows(entry)
            except (KeyError, TypeError, ValueError, AttributeError, DataError):
                break  # what follows a broken line is not trusted either
            end = after
        return end

    def _open(self, good: int) -> BinaryIO:
        file = self.path.open("r+b" if good else "w+b")
        file.truncate(good)
        file.seek(good)
        self._file = file
        if not good:
            self._write(self._header)
        return file

    def _write(self, entry: dict[str, Any]) -> None:
        self._file.write(json.dumps(entry).encode("ascii") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def open_journal(folder: Path, request: RefreshRequest, *, now: datetime, fresh: bool = False) -> Iterator[Journal]:
    """The journal of this request under `folder`, held by one refresh at a time. Raises RefreshBusy if another runs."""
    from filelock import FileLock, Timeout

    work = folder / ".work"
    work.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(work / "lock", timeout=0)
        lock.acquire()
    except Timeout:
        raise RefreshBusy(f"another refresh is running on {folder}; wait until it is done") from None
    try:
        journal = Journal(work / "journal.jsonl", request, now=now, fresh=fresh)
        try:
            yield journal
        finally:
            journal.close()
    finally:
        lock.release()


def _plain(request: RefreshRequest) -> dict[str, Any]:
    """As JSON gives it back: lists for tuples."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(request)))
    return plain


def _why_not(header: dict[str, Any], request: dict[str, Any], now: datetime) -> Dropped:
    try:
        age = now - datetime.fromisoformat(header["started_at"])
        same = header["format"] == FORMAT and header["request"] == request
    except (KeyError, TypeError, ValueError):
        return "unreadable"
    if not same:
        return "other_request"
    return "" if timedelta(0) <= age <= MAX_AGE else "too_old"


def _whole_lines(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Objects of the file, each with the offset behind it, up to the first line that is torn or broken."""
    end = 0
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    for line in content.splitlines(keepends=True):
        end += len(line)
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not line.endswith(b"\n") or not isinstance(entry, dict):
            return
        yield entry, end


def _rows(entry: dict[str, Any]) -> Rows:
    kind: Kind = entry["step"].split("/")[0]
    return table_rows(TABLE[kind], entry["csv"].encode("utf-8"))
