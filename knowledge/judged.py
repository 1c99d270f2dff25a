"""A statement of a text with its verdict, kept with the document or passage that it stands in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

WRONG = ("wrong", "not_in_catalog")
"""Verdicts that say: this is not so."""


@dataclass(frozen=True, slots=True)
class JudgedStatement:
    """The stretch [start, end) of a text, what it is about, and what is so by the fact tables."""

    start: int
    end: int
    text: str
    subject: str
    verdict: str  # as tools.results.Verdict: true | wrong | partly | outdated | not_in_catalog | cannot_judge
    fact_zh: str
    fact_en: str
    source_ids: tuple[str, ...] = ()

    @property
    def is_wrong(self) -> bool:
        return self.verdict in WRONG

    def fact(self, language: str) -> str:
        """What is so, in `language` (zh or en)."""
        return self.fact_zh if language == "zh" else self.fact_en


def within(statements: Iterable[JudgedStatement], start: int, end: int) -> tuple[JudgedStatement, ...]:
    """Those that overlap the stretch [start, end); their offsets stay those of the whole text."""
    return tuple(item for item in statements if item.start < end and item.end > start)
