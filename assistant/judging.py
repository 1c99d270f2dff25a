"""Judges every statement of a text by the fact tables, and words the facts in both languages."""

from __future__ import annotations

from knowledge.judged import JudgedStatement
from tools.claims.check import check_claims
from tools.results import Statement


def judge_text(text: str) -> tuple[JudgedStatement, ...]:
    """Statements of `text` in order of their place; offsets are those of `text`."""
    english = {_place(item): item for item in check_claims(text, language="en").statements}
    return tuple(_both(item, english.get(_place(item))) for item in check_claims(text, language="zh").statements)


def _place(item: Statement) -> tuple[int, int, str, str]:
    return item.start, item.end, item.subject, item.verdict


def _both(zh: Statement, en: Statement | None) -> JudgedStatement:
    """One statement of the two reports. Statements of one place differ only in their words; what has no twin keeps the words it has."""
    return JudgedStatement(
        start=zh.start, end=zh.end, text=zh.text, subject=zh.subject, verdict=zh.verdict,
        fact_zh=zh.fact, fact_en=en.fact if en else zh.fact, source_ids=tuple(zh.source_ids),
    )  # fmt: skip
