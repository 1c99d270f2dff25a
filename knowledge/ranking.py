"""How the two ways of searching add up to one order.

    score = cosine of the nearest text of the passage          (its own text, or a question it answers)
          + WORDS  × share of the query's rare words it holds
          + TOPIC  if it is about a topic the caller is sure of
          + SUBJECT if it is about a family, card, model or disk the caller found in the question

The weights were measured with `python -m evals.retrieval` on both its sets; found within two hundredths of each
other: words 0.15 to 0.4, rare_share 0.1 to 0.3, question −0.02 to −0.04. Vectors alone find 4 to 12 in 100 fewer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from .chunks import Passage
from .documents import TRUSTS


@dataclass(frozen=True, slots=True)
class Weights:
    """Parts of the score. Cosines of the default embedder lie between 0.75 and 0.95."""

    words: float = 0.20
    rare_share: float = 0.20  # words in more passages than this have no vote beside vectors
    question: float = -0.03  # questions lie nearer to questions than passages do; this makes them even
    topic: float = 0.03
    subject: float = 0.05


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller knows of the question."""

    lang: str | None = None
    topics: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()


class Ranking:
    """Orders the keys of `passages` by scores given per passage number."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._keys = [passage.key for passage in passages]
        self._groups: dict[str, list[int]] = {}
        for number, key in enumerate(self._keys):
            self._groups.setdefault(key, []).append(number)

    def by_key(self, scores: Mapping[int, float]) -> dict[str, float]:
        """Best score of each key."""
        best: dict[str, float] = {}
        for number, score in scores.items():
            key = self._keys[number]
            best[key] = max(best.get(key, -1.0), score)
        return best

    def add_up(
        self, near: Mapping[int, float], held: Mapping[int, float], weights: Weights, wishes: Wishes
    ) -> dict[str, float]:
        """Score by key. Without vectors the share of words counts alone."""
        vectors, words = self.by_key(near), self.by_key(held)
        floor = min(vectors.values(), default=0.0)  # what no vector found is no nearer than the last
        weight = weights.words if vectors else 1.0
        scores = {}
        for key in vectors.keys() | words.keys():
            passage = self._passages[self._groups[key][0]]
            scores[key] = (
                vectors.get(key, floor)
                + weight * words.get(key, 0.0)
                + weights.topic * bool(wishes.topics & set(passage.topics))
                + weights.subject * (passage.subject in wishes.subjects)
            )
        return scores

    def order(self, scores: Mapping[str, float]) -> list[str]:
        """Keys, best first. Of equal scores the better source goes first: official before blog."""
        return sorted(scores, key=lambda key: (-round(scores[key], 3), self._distrust(key), key))

    def choose(
        self, key: str, lang: str | None, near: Mapping[int, float], held: Mapping[int, float]
    ) -> Passage:
        """Of the passages of a key the best in the wanted language, else the best."""

        def fitness(number: int) -> tuple[bool, float, float, int]:
            in_language = self._passages[number].lang == lang
            return in_language, near.get(number, -1.0), held.get(number, 0.0), -number

        return self._passages[max(self._groups[key], key=fitness)]

    def _distrust(self, key: str) -> int:
        trust = self._passages[self._groups[key][0]].trust
        return TRUSTS.index(trust) if trust in TRUSTS else len(TRUSTS)


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """Place of each key, from 1."""
    ordered = sorted(scores, key=lambda key: (-scores[key], key))
    return {key: rank for rank, key in enumerate(ordered, 1)}


def make_wishes(
    lang: str | None, topics: Collection[str], subjects: Collection[str]
) -> Wishes:
    return Wishes(lang, frozenset(topics), frozenset(subjects))
