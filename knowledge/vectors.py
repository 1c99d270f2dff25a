"""Vectors kept by the text they stand for, so that no text is embedded twice.

Shipped vectors (data/vectors.npz) cover every shipped passage: a first start embeds nothing. Kept as int8 with
one scale a row: a quarter of the size, and cosine changes by less than 0.001 (tests/knowledge/test_vectors.py).
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from .embed import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Progress = Callable[[int, int], None]
BATCH = 16


@dataclass(frozen=True, slots=True)
class Entry:
    """One text with a vector of its own. A question that a passage answers is an entry of that passage."""

    entry_id: str
    passage: int  # number of the passage it points to
    role: str  # passage | question
    text: str
    kind: str  # of the passage
    lang: str = "zh"
    alone: bool = False  # its passage has no twin in the other language

    @property
    def key(self) -> str:
        """Hash of role and text: the same text asked or told has different vectors."""
        return hashlib.sha256(f"{self.role}\0{self.text}".encode("utf-8", "replace")).hexdigest()[:32]


class VectorCache:
    """Vectors of one embedder by entry key; reads several files, writes one."""

    def __init__(self, embedder_name: str, dimension: int) -> None:
        self.embedder_name = embedder_name
        self.dimension = dimension
        self._rows: dict[str, NDArray[np.float32]] = {}

    def keys(self) -> set[str]:
        return set(self._rows)

    def read(self, path: Path) -> None:
        """Adds the vectors of a file. One of another embedder, or a broken one, adds nothing: it is a cache."""
        import numpy as np

        try:
            # opened here, as numpy leaves a broken file open
            with path.open("rb") as file, np.load(file, allow_pickle=False) as table:
                if str(table["embedder"]) != self.embedder_name:
                    return
                if table["values"].shape[1:] != (self.dimension,):
                    return
                rows = table["values"].astype(np.float32) * table["scales"][:, None]
                keys = [key.decode("ascii") for key in table["keys"].tolist()]
        except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
            return
        self._rows.update(zip(keys, rows, strict=True))

    def read_shipped(self) -> None:
        with as_file(files("knowledge").joinpath("data", "vectors.npz")) as path:
            self.read(path)

    def write(self, path: Path, *, keys: Sequence[str]) -> None:
        """Writes the vectors of `keys`, sorted so that equal content gives an equal file; in one step."""
        import numpy as np

        wanted = sorted(set(keys))
        rows = np.stack([self._rows[key] for key in wanted])
        scales = np.abs(rows).max(axis=1) / 127
        values = np.round(rows / np.where(scales == 0, 1, scales)[:, None]).astype(np.int8)
        half = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        with half.open("wb") as file:
            np.savez_compressed(
                file,
                embedder=np.array(self.embedder_name),
                keys=np.array(wanted, dtype="S32"),
                scales=scales.astype(np.float32),
                values=values,
            )
        half.replace(path)

    def missing(self, entries: Sequence[Entry]) -> list[Entry]:
        """Entries without a vector, each text once."""
        absent = {entry.key: entry for entry in entries if entry.key not in self._rows}
        return list(absent.values())

    def fill(
        self, entries: Sequence[Entry], embedder: Embedder, on_progress: Progress | None = None
    ) -> int:
        """Embeds what is missing; returns how many. `on_progress(done, total)` after each batch."""
        todo = self.missing(entries)
        for role in ("passage", "question"):
            texts = [entry for entry in todo if entry.role == role]
            embed = embedder.passages if role == "passage" else embedder.queries
            offset = 0 if role == "passage" else len(todo) - len(texts)
            for at in range(0, len(texts), BATCH):
                batch = texts[at : at + BATCH]
                found = embed([entry.text for entry in batch])
                self._rows.update(zip((entry.key for entry in batch), found, strict=True))
                if on_progress:
                    on_progress(offset + at + len(batch), len(todo))
        return len(todo)

    def stack(self, entries: Sequence[Entry]) -> Vectors:
        """Vectors (len(entries), dimension). KeyError for an entry that was not filled."""
        import numpy as np

        if not entries:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([self._rows[entry.key] for entry in entries])


def drop_vectors(path: Path, keys: Collection[str]) -> None:
    """Rewrites a file of vectors without those of `keys`, whatever embedder made it; removes one that is empty or broken."""
    import numpy as np

    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as table:
            cache = VectorCache(str(table["embedder"]), int(table["values"].shape[1]))
    except FileNotFoundError:
        return
    except (OSError, KeyError, ValueError, EOFError, IndexError, zipfile.BadZipFile):
        path.unlink(missing_ok=True)
        return
    cache.read(path)
    left = cache.keys() - set(keys)
    if left:
        cache.write(path, keys=sorted(left))
    else:
        path.unlink(missing_ok=True)
