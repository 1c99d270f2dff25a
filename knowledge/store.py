"""The vector store: a local Chroma collection with our own vectors.

    folder/
      current.json            which build is in use, and its stamp
      build-<stamp>-<random>/ a Chroma database with one collection
      vectors.npz             vectors embedded here (shipped ones are not repeated)
      lock                    held while building

A build never changes: other content, embedder or dimension gives another stamp and a new build beside it, and
`current.json` is switched in one step. A broken build is left behind the same way.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .embed import Embedder
from .errors import KnowledgeUnavailable
from .vectors import Entry, Progress, VectorCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

LAYOUT = "1"  # raise when what is stored changes shape
COLLECTION = "passages"
LOCK_TIMEOUT_S = 120.0
_KEEP_OLD_S = 3600.0  # another process may still read an old build


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a build was made of. Two builds of one stamp are the same."""

    content: str
    embedder: str
    dimension: int
    entries: int

    def as_dict(self) -> dict[str, str | int]:
        return {
            "content": self.content,
            "embedder": self.embedder,
            "dimension": self.dimension,
            "entries": self.entries,
        }


def stamp_of(entries: Sequence[Entry], embedder: Embedder) -> Stamp:
    """Stamp of these entries under this embedder."""
    digest = hashlib.sha256(LAYOUT.encode("ascii"))
    for entry in entries:
        digest.update(f"{entry.entry_id}\0{entry.kind}\0{entry.key}\n".encode())
    return Stamp(digest.hexdigest()[:16], embedder.name, embedder.dimension, len(entries))


class Store:
    """An opened build. `search` is safe to call from several threads."""

    def __init__(self, collection: Any, entries: Sequence[Entry], stamp: Stamp) -> None:
        self._collection = collection
        self._numbers = {entry.entry_id: number for number, entry in enumerate(entries)}
        self.stamp = stamp

    def search(
        self, vector: Vectors, *, k: int, kinds: Collection[str] | None = None
    ) -> list[tuple[int, float]]:
        """(entry number, cosine) of the `k` nearest entries, best first."""
        where = {"kind": {"$in": sorted(kinds)}} if kinds else None
        try:
            found = self._collection.query(
                query_embeddings=[vector], n_results=k, where=where, include=["distances"]
            )
        except Exception as error:  # Chroma's Rust core raises bare types; search goes on by words
            raise KnowledgeUnavailable(f"the vector store cannot be read ({error})") from error
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [(self._numbers[entry_id], 1.0 - float(distance)) for entry_id, distance in pairs]


def open_store(
    folder: Path,
    entries: Sequence[Entry],
    embedder: Embedder,
    *,
    fresh: bool = False,
    on_progress: Progress | None = None,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
) -> Store:
    """The store of these entries: the current build if its stamp fits and it opens, else a new one.

    `fresh` builds anew in any case. Raises KnowledgeUnavailable if the folder cannot be written, another process
    builds for too long, or Chroma does not work here.
    """
    from filelock import FileLock, Timeout

    stamp = stamp_of(entries, embedder)
    if not fresh and (store := _open_current(folder, entries, stamp)):
        return store
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "lock", timeout=lock_timeout_s):
            if not fresh and (store := _open_current(folder, entries, stamp)):
                return store  # another process built it while we waited
            return _build(folder, entries, embedder, stamp, on_progress)
    except Timeout as error:
        raise KnowledgeUnavailable(
            f"another process has been building the store in {folder} for {lock_timeout_s:g} s"
        ) from error
    except OSError as error:
        raise KnowledgeUnavailable(f"the store in {folder} cannot be written ({error})") from error


def read_current(folder: Path) -> dict[str, Any]:
    """Content of current.json; empty if there is none or it is broken."""
    try:
        found = json.loads((folder / "current.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _open_current(folder: Path, entries: Sequence[Entry], stamp: Stamp) -> Store | None:
    current = read_current(folder)
    if current.get("stamp") != stamp.as_dict():
        return None
    build = folder / str(current.get("build", ""))
    if build.parent != folder or not (build / "chroma.sqlite3").is_file():
        return None
    try:
        collection = _client(build).get_collection(COLLECTION, embedding_function=None)
        if collection.count() != len(entries):
            return None
        store = Store(collection, entries, stamp)
        probe = collection.get(limit=1, include=["embeddings"])["embeddings"][0]
        store.search(probe, k=1)  # vectors are read at the first query, not at opening
    except _panics() as error:
        _pass_on_exit(error)
        return None
    return store


def _build(
    folder: Path,
    entries: Sequence[Entry],
    embedder: Embedder,
    stamp: Stamp,
    on_progress: Progress | None,
) -> Store:
    vectors = _vectors(folder, entries, embedder, on_progress)
    name = f"build-{stamp.content}-{secrets.token_hex(4)}"
    try:
        client = _client(folder / name)
        collection = client.create_collection(
            COLLECTION,
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": 200}},
        )
        step = client.get_max_batch_size()
        for at in range(0, len(entries), step):
            part = entries[at : at + step]
            collection.add(
                ids=[entry.entry_id for entry in part],
                embeddings=vectors[at : at + step],
                metadatas=[{"kind": entry.kind} for entry in part],
            )
    except _panics() as error:
        _pass_on_exit(error)
        raise KnowledgeUnavailable(f"Chroma cannot build the vector store ({error})") from error
    _write_json(folder / "current.json", {"build": name, "stamp": stamp.as_dict()})
    _sweep(folder, keep=name)
    return Store(collection, entries, stamp)


def _vectors(
    folder: Path, entries: Sequence[Entry], embedder: Embedder, on_progress: Progress | None
) -> Vectors:
    cache = VectorCache(embedder.name)
    cache.read_shipped()
    absent = cache.missing(entries)
    own = folder / "vectors.npz"
    if absent:
        cache.read(own)
        if cache.fill(absent, embedder, on_progress):
            cache.write(own, keys=[entry.key for entry in absent])
    return cache.stack(entries)


def _client(path: Path) -> Any:
    """Chroma on disk. Telemetry is off, and no call of ours lets Chroma load an embedding function."""
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(
        path=str(path), settings=Settings(anonymized_telemetry=False)
    )


def _panics() -> tuple[type[BaseException], ...]:
    """What a broken database raises: any Exception, or the Rust core's panic, a BaseException."""
    return (BaseException,)


def _pass_on_exit(error: BaseException) -> None:
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError)):
        raise error


def _write_json(path: Path, content: object) -> None:
    half = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    half.write_text(json.dumps(content, indent=1), encoding="utf-8")
    half.replace(path)


def _sweep(folder: Path, *, keep: str) -> None:
    """Removes builds out of use for an hour."""
    for build in folder.glob("build-*"):
        if build.name != keep and time.time() - build.stat().st_mtime > _KEEP_OLD_S:
            shutil.rmtree(build, ignore_errors=True)
