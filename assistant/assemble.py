"""Makes the Answer of a finished turn: structure from evidence, text checked, marks renumbered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.freshness import CODE, staleness

from .agent import question_of
from .answer import Answer, Call, Caution
from .check.check import find_problems, strike
from .compose.compose import compose
from .compose.draft import Draft
from .evidence import Evidence, Finding
from .offline import current_reading
from .read.reading import Reading

if TYPE_CHECKING:
    from datetime import date

    from langchain_core.messages import BaseMessage

OFFLINE = "offline"
WITHOUT_CATALOG = "search_guides"
"""The tool whose findings are not made of catalog or prices."""


def assemble(messages: list[BaseMessage], *, llm: str, today: date | None = None, stale_after_days: int = 0) -> Answer:
    """The Answer from the messages of a thread whose last message is the model's draft.

    With a `today` it says, where it used the catalog, that this is older than `stale_after_days` (0: never).
    """
    reading = current_reading(messages)
    evidence = Evidence.of(messages)
    composed = compose(reading, evidence)
    question = question_of(messages)
    text, removed, verified, spoken_by = _checked_text(str(messages[-1].text), composed, evidence, question, llm)
    shown, citations = evidence.cited(text)
    used = not composed.constant and any(f.tool != WITHOUT_CATALOG and not f.error for f in evidence.findings)
    stale = staleness(today, stale_after_days, language=reading.language) if today and used else None
    return Answer(
        language=reading.language,
        kind=composed.kind,
        text=f"{shown}\n\n{stale}" if stale else shown,
        assumptions=composed.assumptions,
        cautions=composed.cautions + ([Caution(code=CODE, text=stale)] if stale else []),
        reading=_short(reading),
        estimate=composed.estimate,
        recommendations=composed.recommendations,
        citations=citations,
        calls=[_call(finding) for finding in evidence.findings],
        llm=spoken_by,
        verified=verified,
        removed=removed,
    )


def call_of(message: BaseMessage) -> Call:
    """The tool call that a tool message reports."""
    artifact = getattr(message, "artifact", None)
    if isinstance(artifact, dict):
        return _call(Finding.model_validate(artifact))
    return Call(tool=str(message.name or ""), args={}, ok=False, ms=0.0)


def _checked_text(
    draft: str, composed: Draft, evidence: Evidence, question: str, llm: str
) -> tuple[str, list[str], bool, str]:
    """Text, what was struck, whether the draft passed, and who speaks. A real model's bad draft gives way to ours."""
    mine = draft == composed.text
    if mine and composed.constant:
        return draft, [], True, llm
    derived = composed.derived if mine else []
    problems = find_problems(draft, evidence, question=question, derived=derived)
    if draft.strip() and not problems:
        return draft, [], True, llm
    if llm != OFFLINE:
        text, _, verified, _ = _checked_text(composed.text, composed, evidence, question, OFFLINE)
        return text, sorted({p.text for p in problems}), verified, OFFLINE
    text, removed = strike(draft, problems)
    return text, removed, False, OFFLINE


def _call(finding: Finding) -> Call:
    return Call(tool=finding.tool, args=finding.args, ok=not finding.error, ms=finding.ms)


def _short(reading: Reading) -> dict[str, object]:
    """What was understood, without the empty fields."""
    return {key: value for key, value in reading.model_dump(mode="json").items() if value not in (None, [], "")}
