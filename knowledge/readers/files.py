"""Finds the files of a path, and reads their bytes: plain files only, as far as they may be long."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from .limits import ReadLimits, Unreadable

_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]{1,15}://|www\.|mailto:|data:)", re.I)
LONGEST_PATH = 4_096


def find_files(name: str, *, recursive: bool, limits: ReadLimits) -> Iterator[Path]:
    """The file `name`, or the files of that folder by name; hidden ones and links to folders are passed over.

    Raises Unreadable for addresses (nothing is ever fetched), for what is not there, and for a folder of too many files.
    """
    path = checked_path(name)
    if not path.is_dir() or path.is_symlink():
        yield path
        return
    found = 0
    for folder, folders, names in os.walk(path, followlinks=False):
        folders[:] = sorted(item for item in folders if not item.startswith(".")) if recursive else []
        for item in sorted(names):
            if item.startswith("."):
                continue
            found += 1
            if found > limits.files:
                raise Unreadable("too_many_files", limit=f"{limits.files:,}")
            yield Path(folder, item)
    if not found:
        raise Unreadable("empty_folder")


def checked_path(name: str) -> Path:
    """The absolute path of what a user names. Raises Unreadable for an address and for what is not there."""
    if _ADDRESS.match(name.strip()):
        raise Unreadable("address")
    if not name.strip():  # an empty variable of a shell must not mean the folder one stands in
        raise Unreadable("missing")
    try:
        path = Path(os.path.abspath(Path(name).expanduser()))  # noqa: PTH100 - resolve() would follow the link that is refused
        if len(name) > LONGEST_PATH or not os.path.lexists(path):
            raise Unreadable("missing")
    except (OSError, ValueError, RuntimeError) as error:  # a name with a NUL, too long, ~ of somebody who is not known
        raise Unreadable("missing") from error
    return path


def read_bytes(path: Path, limits: ReadLimits) -> bytes:
    """Content of a plain file. Raises Unreadable for links, devices, pipes, and what is empty, too large or not to be read."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if path.is_symlink():
        raise Unreadable("link")
    try:
        handle = os.open(path, flags)  # without waiting: a pipe has no end
    except OSError as error:
        raise Unreadable("refused", reason=error.strerror or str(error)) from error
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise Unreadable("no_file")
    with os.fdopen(handle, "rb") as file:
        try:
            data = file.read(limits.file_bytes + 1) if status.st_size <= limits.file_bytes else None
        except OSError as error:
            raise Unreadable("refused", reason=error.strerror or str(error)) from error
    return checked_bytes(data, limits)


def checked_bytes(data: bytes | None, limits: ReadLimits) -> bytes:
    """`data` if it is neither empty nor over the limit."""
    if data is None or len(data) > limits.file_bytes:
        raise Unreadable("too_large", limit=f"{limits.file_bytes // 2**20}")
    if not data.strip():
        raise Unreadable("empty")
    return data
