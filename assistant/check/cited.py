"""What a source of the evidence holds: its excerpts, and the records of findings that carry its id."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from assistant.evidence import Evidence

from .loose import read_numbers
from .support import Support


@dataclass
class Kept:
    """What records say under one source id: their words, their figures, and their prices."""

    words: dict[str, None] = field(default_factory=dict)
    figures: set[float] = field(default_factory=set)
    prices: set[float] = field(default_factory=set)


class CitedSource:
    """One source: `text` is what its excerpts say, `records` what the findings say under its id. Both in lower case, one width."""

    def __init__(self, source_id: str, evidence: Evidence) -> None:
        self.source_id = source_id
        self._evidence = evidence

    @cached_property
    def text(self) -> str:
        refs = (ref for finding in self._evidence.findings for ref in finding.sources if ref.source_id == self.source_id)
        lines = dict.fromkeys(f"{ref.title}\n{ref.excerpt}\n{ref.published_on}" for ref in refs)
        return unicodedata.normalize("NFKC", "\n".join(lines)).lower()

    @cached_property
    def records(self) -> str:
        return unicodedata.normalize("NFKC", "\n".join(self._kept.words)).lower()

    @cached_property
    def _kept(self) -> Kept:
        return records_by_id(self._evidence).get(self.source_id) or Kept()

    @cached_property
    def _text_numbers(self) -> list[float]:
        return sorted({value for value, _ in read_numbers(self.text)})

    @cached_property
    def _record_numbers(self) -> list[float]:
        return sorted(self._kept.figures)

    @cached_property
    def _prices(self) -> list[float]:
        return sorted(self._kept.prices)

    @property
    def tells_prices(self) -> bool:
        """Whether prices of this turn carry its id."""
        return bool(self._prices)

    def has_number(self, value: float, decimals: int) -> bool:
        """Whether a figure of the source rounds to `value` at that many decimals."""
        slack = 0.5 * 10.0**-decimals + 1e-9 * max(1.0, abs(value))
        return _is_among(value, slack, self._text_numbers) or _is_among(value, slack, self._record_numbers)

    def has_price(self, value: float, decimals: int) -> bool:
        """Whether an excerpt has the figure, or a price of the source is it."""
        slack = 0.5 * 10.0**-decimals + 1e-9 * max(1.0, abs(value))
        return _is_among(value, slack, self._text_numbers) or _is_among(value, slack, self._prices)


@lru_cache(maxsize=256)
def source_of(number: int, support: Support) -> CitedSource | None:
    """The source that a mark stands for; None where there is no such source."""
    citation = support.evidence.citation(number)
    return CitedSource(citation.source_id, support.evidence) if citation else None


def _is_among(value: float, slack: float, numbers: list[float]) -> bool:
    at = bisect_left(numbers, value - slack)
    return at < len(numbers) and numbers[at] <= value + slack


@lru_cache(maxsize=4)
def records_by_id(evidence: Evidence) -> dict[str, Kept]:
    """What the findings say under each source id, in one walk."""
    found: dict[str, Kept] = {}
    for finding in evidence.findings:
        for record in _records(finding.data):
            words: dict[str, None] = {}
            figures: set[float] = set()
            for value in _own(record):
                if isinstance(value, str):
                    words[value] = None
                    figures |= _figures_in(value)
                else:
                    figures.add(float(value))
            prices = figures if "amount" in record else set()
            for source_id in _ids(record):
                kept = found.setdefault(source_id, Kept())
                kept.words.update(words)
                kept.figures |= figures
                kept.prices |= prices
    return found


@lru_cache(maxsize=4096)
def _figures_in(text: str) -> frozenset[float]:
    """The figures of a string of a record: an amount by itself, or those of a sentence."""
    if not any(character.isdigit() for character in text):
        return frozenset()
    try:
        return frozenset([float(text)])
    except ValueError:
        return frozenset(value for value, _ in read_numbers(unicodedata.normalize("NFKC", text)))


def _ids(value: dict[str, object]) -> list[str]:
    """The sources that a record names."""
    ids = value.get("source_ids") or []
    own = value.get("source_id")
    return [*(ids if isinstance(ids, list) else []), *([own] if isinstance(own, str) else [])]


def _records(value: object) -> Iterator[dict[str, object]]:
    """Records, at any depth, that name a source."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack += [part for part in item if isinstance(part, (dict, list))]
        elif isinstance(item, dict):
            if item.get("source_ids") or item.get("source_id"):
                yield item
            stack += [part for part in item.values() if isinstance(part, (dict, list))]


def _own(record: dict[str, object]) -> Iterator[str | int | float]:
    """Words and figures of a record; of its parts only those that name no sources of their own, and its estimate."""
    stack: list[object] = [record]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack += item
        elif isinstance(item, dict):
            stack += [part for key, part in item.items() if not isinstance(part, dict) or not _ids(part) or key == "estimate"]
        elif isinstance(item, (str, int, float)) and not isinstance(item, bool):
            yield item
