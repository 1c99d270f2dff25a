"""Makes the Answer of a finished turn: structure from evidence, text checked, marks renumbered, what was replaced said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.freshness import CODE, staleness

from .answer import Answer, Caution
from .check.check import strike
from .read.reading import Reading
from .turn.run import call_of_finding
from .turn.verdict import Verdict

if TYPE_CHECKING:
    from datetime import date

    from .turn.trouble import Trouble

WITHOUT_CATALOG = "search_guides"
"""The tool whose findings are not made of catalog or prices."""
REPLACED = "model_replaced"
"""Code of the caution that the rules answered in place of the chat model."""


def assemble(verdict: Verdict, *, llm: str, today: date | None = None, stale_after_days: int = 0) -> Answer:
    """The Answer of a draft that was judged; lines with problems are struck out.

    With a `today` it says, where it used the catalog, that this is older than `stale_after_days` (0: never).
    """
    reading, evidence, composed = verdict.reading, verdict.evidence, verdict.composed
    text, removed = strike(verdict.draft, verdict.problems) if verdict.problems else (verdict.draft, [])
    shown, citations = evidence.cited(text)
    used = not composed.constant and any(f.tool != WITHOUT_CATALOG and not f.error for f in evidence.findings)
    stale = staleness(today, stale_after_days, language=reading.language) if today and used else None
    answer = Answer(
        language=reading.language,
        kind=composed.kind,
        text=shown,
        assumptions=[*composed.assumptions, *_corrections(verdict)],
        cautions=composed.cautions,
        reading=_short(reading),
        estimate=composed.estimate,
        recommendations=composed.recommendations,
        citations=citations,
        calls=[call_of_finding(finding) for finding in evidence.findings],
        llm=llm,
        verified=verdict.is_shown,
        removed=removed,
    )
    return with_note(answer, CODE, stale) if stale else answer


def replaced(answer: Answer, trouble: Trouble) -> Answer:
    """The rules' answer that stands in for a chat model's, saying so."""
    noted = with_note(answer, REPLACED, trouble.sentence)
    return noted.model_copy(update={"removed": [*trouble.removed, *answer.removed]})


def with_note(answer: Answer, code: str, sentence: str) -> Answer:
    """The answer with a sentence under its text that is a caution too."""
    cautions = [*answer.cautions, Caution(code=code, text=sentence)]
    return answer.model_copy(update={"text": f"{answer.text}\n\n{sentence}", "cautions": cautions})


def _corrections(verdict: Verdict) -> list[str]:
    """What a chat model's calls said against the question, and what was computed in its place."""
    if not any(finding.corrections for finding in verdict.evidence.findings):
        return []
    from .arguments.words import say_corrections

    return say_corrections(verdict.evidence.findings, verdict.reading.language)


def _short(reading: Reading) -> dict[str, object]:
    """What was understood, without the empty fields."""
    return {key: value for key, value in reading.model_dump(mode="json").items() if value not in (None, [], "")}
