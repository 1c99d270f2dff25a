"""BM25 over an inverted index, in plain Python.

Own code, because fusing needs what packages hide: the weight of each word of a query (so that only rare
words vote), several texts per passage, and no numpy at import. rank-bm25 keeps no inverted index and reads
every passage for each query; bm25s gives scores only.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence


class WordIndex:
    """Okapi BM25 (Robertson and Zaragoza 2009, eq. 3.15), k1 and b as usual."""

    def __init__(self, documents: Sequence[Sequence[str]], *, k1: float = 1.2, b: float = 0.75) -> None:
        self.size = len(documents)
        self._k1 = k1
        mean = sum(map(len, documents)) / self.size if self.size else 1.0
        # saturation of a document's counts by its length
        self._norm = [k1 * (1 - b + b * len(words) / (mean or 1.0)) for words in documents]
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, words in enumerate(documents):
            for word, count in Counter(words).items():
                self._postings[word].append((number, count))

    def idf(self, word: str) -> float:
        """Rarity of a word; 0 for one that stands nowhere."""
        found = len(self._postings.get(word, ()))
        return math.log(1 + (self.size - found + 0.5) / (found + 0.5)) if found else 0.0

    def scores(self, words: Iterable[str], *, max_share: float = 1.0) -> Mapping[int, float]:
        """Share of the query's rarity that each document holds, 0 to 1, by document number.

        Words that stand in more than `max_share` of the documents have no vote. A word of the query that stands
        nowhere counts as lost, so a query of unknown words gives low scores.
        """
        wanted = set(words)
        voting = {w: self.idf(w) for w in wanted if self._share(w) <= max_share and self.idf(w) > 0}
        unknown = sum(word not in self._postings for word in wanted)
        total = sum(voting.values()) + unknown * math.log(1 + 2 * self.size + 1)
        found: dict[int, float] = defaultdict(float)
        for word, idf in voting.items():
            for number, count in self._postings[word]:
                found[number] += idf * count * (self._k1 + 1) / (count + self._norm[number])
        best = total * (self._k1 + 1)
        return {number: score / best for number, score in found.items()}

    def _share(self, word: str) -> float:
        return len(self._postings.get(word, ())) / self.size if self.size else 0.0
