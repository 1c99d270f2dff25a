"""Judges every statement of a text by the fact tables, and words the facts in both languages."""

from __future__ import annotations

from knowledge.judged import JudgedStatement
from tools.claims.check import check_claims
from tools.results import Statement


def judge_text(text: str) -> tuple[JudgedStatement, ...]:
    """Statements of `text` in order of their place; offsets are those of `text`."""
    english: dict[tuple[object, ...], Statement] = {}
    for item in check_claims(text, language="en", questions=False).statements:
        for place in _places(item):
            english.setdefault(place, item)
    return tuple(_both(item, english) for item in check_claims(text, language="zh", questions=False).statements)


def _places(item: Statement) -> tuple[tuple[object, ...], ...]:
    """From exact to near: the merging of neighbours looks at the words of the fact, which differ between languages."""
    return (item.start, item.end, item.subject, item.verdict), (item.start, item.subject, item.verdict), (item.start, item.verdict)


def _both(zh: Statement, english: dict[tuple[object, ...], Statement]) -> JudgedStatement:
    """One statement of the two reports; what has no twin keeps the words it has."""
    en = next((english[place] for place in _places(zh) if place in english), zh)
    return JudgedStatement(
        start=zh.start, end=zh.end, text=zh.text, subject=zh.subject, verdict=zh.verdict,
        fact_zh=zh.fact, fact_en=en.fact, source_ids=tuple(zh.source_ids),
    )  # fmt: skip
