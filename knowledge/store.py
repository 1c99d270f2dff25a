"""The vector store: a local Chroma database with our own vectors.

    folder/
      current.json            which build is in use, and its stamp
      build-<stamp>-<random>/ a Chroma database
      vectors.npz             vectors embedded here (shipped ones are not repeated)
      lock                    held while building

A build never changes: other content, embedder or dimension gives another stamp and a new build beside it, and
`current.json` is switched in one step. A broken build is left behind the same way. Where a document is removed, everything
that was made of it goes at once (`forget_vectors`).
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .embed import Embedder
from .errors import KnowledgeUnavailable
from .vectors import Entry, Progress, VectorCache, drop_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

LAYOUT = "3"  # raise when what is stored changes shape
LOCK_TIMEOUT_S = 120.0
_KEEP_OLD_S = 3600.0  # another process may still read an old build


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a build was made of. Two builds of one stamp are the same."""

    content: str
    embedder: str
    dimension: int
    entries: int


def stamp_of(entries: Sequence[Entry], embedder: Embedder) -> Stamp:
    """Stamp of these entries under this embedder."""
    digest = hashlib.sha256(LAYOUT.encode("ascii"))
    for entry in entries:
        digest.update(f"{entry.entry_id}\0{entry.kind}\0{entry.lang}\0{entry.key}\n".encode())
    return Stamp(digest.hexdigest()[:16], embedder.name, embedder.dimension, len(entries))


class Store:
    """An opened build: a collection for each shelf and language. Several threads may search at once."""

    def __init__(self, collections: Mapping[str, Any], entries: Sequence[Entry], stamp: Stamp) -> None:
        self._collections = collections
        self._entries = entries
        self._numbers = {entry.entry_id: number for number, entry in enumerate(entries)}
        self.stamp = stamp

    def search(
        self, vector: Vectors, *, k: int, kinds: Collection[str] | None = None
    ) -> list[tuple[int, float]]:
        """(entry number, cosine) of the `k` nearest entries of each collection, best first."""
        wanted = {_shelf(kind) for kind in kinds} if kinds is not None else None
        found: list[tuple[int, float]] = []
        for name, collection in self._collections.items():
            if wanted is None or name.partition("-")[0] in wanted:
                found += self._search_one(collection, vector, k)
        if kinds is not None:
            found = [pair for pair in found if self._entries[pair[0]].kind in kinds]
        return sorted(found, key=lambda pair: -pair[1])

    def _search_one(self, collection: Any, vector: Vectors, k: int) -> list[tuple[int, float]]:
        try:
            rows = collection.query(query_embeddings=[vector], n_results=k, include=["distances"])
        except Exception as error:  # Chroma's Rust core raises many types; search goes on by words
            raise KnowledgeUnavailable(f"the vector store cannot be read ({error})") from error
        pairs = zip(rows["ids"][0], rows["distances"][0], strict=True)
        return [(self._numbers[entry_id], 1.0 - float(distance)) for entry_id, distance in pairs]


def _shelf(kind: str) -> str:
    """Cards are many: apart, they do not crowd out guides, and limits of kind cost nothing."""
    return {"guide": "guides", "document": "documents"}.get(kind, "cards")


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
    stamp = stamp_of(entries, embedder)
    if not fresh and (store := _open_current(folder, entries, stamp)):
        return store
    with _alone_in(folder, lock_timeout_s):
        if not fresh and (store := _open_current(folder, entries, stamp)):
            return store  # another process built it while we waited
        return _build(folder, entries, embedder, stamp, on_progress)


def keep_vectors(
    folder: Path,
    entries: Sequence[Entry],
    embedder: Embedder,
    *,
    on_progress: Progress | None = None,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
) -> None:
    """Embeds what has no vector yet and keeps it, so that the next build of these entries takes no time.

    Raises KnowledgeUnavailable as `open_store`. An interruption leaves the kept vectors as they were.
    """
    with _alone_in(folder, lock_timeout_s):
        _fill_cache(folder, entries, embedder, on_progress)


def forget_vectors(folder: Path, keys: Collection[str], *, lock_timeout_s: float = LOCK_TIMEOUT_S) -> None:
    """Removes the vectors of these texts and every build, as each may hold them; the next opening builds anew.

    A process that has a build open searches on by words. Raises KnowledgeUnavailable as `open_store`.
    """
    if not folder.is_dir():
        return
    with _alone_in(folder, lock_timeout_s):
        (folder / "current.json").unlink(missing_ok=True)
        for build in folder.glob("build-*"):
            shutil.rmtree(build, ignore_errors=True)
        drop_vectors(folder / "vectors.npz", keys)


@contextmanager
def _alone_in(folder: Path, timeout_s: float) -> Iterator[None]:
    """Holds the lock of the folder, which is made if need be."""
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "lock", timeout=timeout_s):
            yield
    except Timeout as error:
        raise KnowledgeUnavailable(f"another process has been building the store in {folder} for {timeout_s:g} s") from error
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
    """The current build if it is of this stamp and sound."""
    import numpy as np

    current = read_current(folder)
    build = folder / str(current.get("build", ""))
    if current.get("stamp") != asdict(stamp) or build.parent != folder:
        return None
    if _index_files(build) != current.get("files"):
        return None  # Chroma opens a shortened index without a word and finds nonsense in it
    try:
        client = _client(build)
        groups = _groups(entries)
        collections = {
            name: client.get_collection(name, embedding_function=None) for name in groups
        }
        for name, part in groups.items():
            if collections[name].count() != len(part):
                return None
        store = Store(collections, entries, stamp)
        # the index is read at the first query, not at opening
        store.search(np.eye(1, stamp.dimension, dtype=np.float32)[0], k=1)
    except Exception:  # Chroma raises many types for a broken database; all mean: build it anew
        return None
    return store


def _build(
    folder: Path,
    entries: Sequence[Entry],
    embedder: Embedder,
    stamp: Stamp,
    on_progress: Progress | None,
) -> Store:
    vectors = _fill_cache(folder, entries, embedder, on_progress).stack(entries)
    name = f"build-{stamp.content}-{secrets.token_hex(4)}"
    try:
        collections = _fill(_client(folder / name), entries, vectors)
    except OSError:
        raise
    except Exception as error:  # see above
        raise KnowledgeUnavailable(f"Chroma cannot build the vector store ({error})") from error
    current = {"build": name, "stamp": asdict(stamp), "files": _index_files(folder / name)}
    _write_json(folder / "current.json", current)
    _sweep(folder, keep=name)
    return Store(collections, entries, stamp)


def _fill(client: Any, entries: Sequence[Entry], vectors: Vectors) -> dict[str, Any]:
    """Collections with all entries, by name."""
    step = client.get_max_batch_size()
    collections = {}
    for name, numbers in _groups(entries).items():
        collections[name] = client.create_collection(
            name,
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": 200}},
        )
        for at in range(0, len(numbers), step):
            part = numbers[at : at + step]
            collections[name].add(
                ids=[entries[number].entry_id for number in part], embeddings=vectors[part]
            )
    return collections


def _groups(entries: Sequence[Entry]) -> dict[str, list[int]]:
    """Entry numbers by collection. Languages are apart, as a question lies nearer to texts of its own."""
    groups: dict[str, list[int]] = {}
    for number, entry in enumerate(entries):
        groups.setdefault(f"{_shelf(entry.kind)}-{entry.lang}", []).append(number)
    return groups


def _index_files(build: Path) -> dict[str, int]:
    """Sizes of the index files, which do not change after a build."""
    return {
        file.relative_to(build).as_posix(): file.stat().st_size
        for file in sorted(build.glob("*/*"))
        if file.is_file()
    }


def _fill_cache(folder: Path, entries: Sequence[Entry], embedder: Embedder, on_progress: Progress | None) -> VectorCache:
    """Vectors of all entries: shipped ones, those kept in the folder, and the rest embedded now and kept."""
    cache = VectorCache(embedder.name, embedder.dimension)
    cache.read_shipped()
    absent = cache.missing(entries)
    own = folder / "vectors.npz"
    if absent:
        cache.read(own)
        if cache.fill(absent, embedder, on_progress):
            cache.write(own, keys=[entry.key for entry in absent])
    return cache


def _client(path: Path) -> Any:
    """Chroma on disk. Telemetry is off, and no call of ours lets Chroma load an embedding function."""
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(
        path=str(path), settings=Settings(anonymized_telemetry=False)
    )


def _write_json(path: Path, content: object) -> None:
    half = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    half.write_text(json.dumps(content, indent=1), encoding="utf-8")
    half.replace(path)


def _sweep(folder: Path, *, keep: str) -> None:
    """Removes builds out of use for an hour."""
    for build in folder.glob("build-*"):
        if build.name != keep and time.time() - build.stat().st_mtime > _KEEP_OLD_S:
            shutil.rmtree(build, ignore_errors=True)
