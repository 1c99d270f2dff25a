"""The verdict on a draft: what the composed answer of the same evidence is, and what of the draft nothing supports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.check.check import find_problems
from assistant.check.citations import plain_marks
from assistant.check.problem import Problem
from assistant.compose.compose import compose
from assistant.compose.draft import Draft
from assistant.evidence import Evidence
from assistant.offline import current_reading, question_of
from assistant.prompts import system_prompt
from assistant.read.reading import Reading

from .results import composed_digests

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


@dataclass(frozen=True)
class Verdict:
    """A draft with everything it is judged by. `problems` is empty for a draft that may be shown."""

    draft: str
    composed: Draft
    evidence: Evidence
    reading: Reading
    problems: tuple[Problem, ...]

    @property
    def is_shown(self) -> bool:
        """Whether the draft may be shown as it is."""
        return bool(self.draft.strip()) and not self.problems


def judge_composed(messages: Sequence[BaseMessage]) -> Verdict:
    """Judges a draft that was composed by code: its figures stand where code put them."""
    reading, evidence, draft = current_reading(messages), Evidence.of(messages), str(messages[-1].text)
    composed = compose(reading, evidence)
    if draft == composed.text and composed.constant:
        return Verdict(draft, composed, evidence, reading, ())
    derived = composed.derived if draft == composed.text else ()
    problems = find_problems(draft, evidence, question=question_of(messages), derived=derived)
    return Verdict(draft, composed, evidence, reading, tuple(problems))


def judge_draft(messages: Sequence[BaseMessage], evidence: Evidence | None = None) -> Verdict:
    """Judges what a chat model wrote: every figure must be proved, at its place."""
    reading, evidence, draft = current_reading(messages), evidence or Evidence.of(messages), plain_marks(str(messages[-1].text))
    composed = compose(reading, evidence)
    problems = find_problems(
        draft, evidence, question=question_of(messages), derived=composed.derived, reference="\n\n".join([composed.text, *composed_digests(messages)]),
        earlier=said_before(messages), bound=True, reading=reading, prompt=system_prompt(),
    )  # fmt: skip
    return Verdict(draft, composed, evidence, reading, tuple(problems))


def said_before(messages: Sequence[BaseMessage]) -> list[str]:
    """Questions and checked answers of the thread before this question."""
    last = max(i for i, m in enumerate(messages) if m.type == "human" and not m.additional_kwargs.get("guard"))
    return [str(m.text) for m in messages[:last] if m.type in ("human", "ai") and not m.additional_kwargs.get("guard")]
