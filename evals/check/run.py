"""Runs the check over good answers, spoilt ones and bad drafts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.check.problem import Problem
from tools.phrases import Language

from .cases import Case
from .change import Change
from .equal import Truths
from .mutants import choose_changes
from .spans import line_of
from .turns import JudgedBy, Rules

Progress = Callable[[int, int], None]
EACH = 2
"""Changes of every kind made in one good answer."""
TIMED = 400
"""Characters from which on the time of a check is counted: shorter drafts cost what the evidence costs."""


@dataclass(frozen=True)
class Judged:
    """One draft and what the check said. `kind`: good, bad, or the kind of change; `apart` why it stays true."""

    id: str
    kind: str
    lang: Language
    source: Literal["offline", "transcript"]
    category: str
    right: bool
    text: str
    found: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    apart: str = ""
    change: Change | None = None
    ms: float = 0.0
    characters: int = 0


def run_cases(rules: Rules, cases: Sequence[Case], *, seed: int = 0, each: int = EACH, progress: Progress | None = None) -> list[Judged]:
    """Every case judged; each good one also spoilt in `each` places of every kind."""
    judged: list[Judged] = []
    for done, case in enumerate(cases, 1):
        judged += _run_case(rules, case, seed=seed, each=each)
        if progress:
            progress(done, len(cases))
    return judged


def spread(cases: Sequence[Case], limit: int | None) -> list[Case]:
    """At most `limit` cases, spread evenly over all of them."""
    if limit is None or limit >= len(cases):
        return list(cases)
    return [cases[number * len(cases) // limit] for number in range(limit)]


def _run_case(rules: Rules, case: Case, *, seed: int, each: int) -> Iterator[Judged]:
    by = rules.play(case.turns)
    draft = case.draft or by.composed
    found = _check(by, draft)
    told = _told(found.problems, found.bug)
    if case.expect:
        codes = {problem.code for problem in found.problems}
        yield _judged(case, "bad", draft, bool(codes & {*case.expect}), told, wanted=case.expect)
        return
    yield _judged(case, "good", draft, not told, told, ms=found.ms, characters=len(draft))
    truths = Truths(by)
    for change in choose_changes(draft, sources=_sources(by), each=each, seed=f"{seed} {case.id}"):
        yield _spoilt(case, by, truths, draft, change, found.problems)


@dataclass(frozen=True)
class _Found:
    """What one run of the check found, and in how many CPU milliseconds; `bug` when it broke down."""

    problems: Sequence[Problem]
    ms: float
    bug: str = ""


def _check(by: JudgedBy, draft: str) -> _Found:
    started = time.process_time()
    try:
        problems = by.problems(draft)
    except Exception as bug:  # one draft that breaks the check must not end the run; it is judged wrongly
        return _Found((), 0.0, f"error: {type(bug).__name__}: {bug}")
    return _Found(problems, (time.process_time() - started) * 1000)


def _spoilt(case: Case, by: JudgedBy, truths: Truths, draft: str, change: Change, before: Sequence[Problem]) -> Judged:
    """A change is caught when it brings a problem that the good answer has not."""
    text = change.spoil(draft)
    known = {(problem.code, problem.text) for problem in before}
    found = _check(by, text)
    new = [problem for problem in found.problems if (problem.code, problem.text) not in known]
    apart = truths.why_true(draft, change)
    return _judged(case, change.kind, line_of(text, change.start), bool(new), _told(new, found.bug), change=change, apart=apart)


def _judged(
    case: Case,
    kind: str,
    text: str,
    right: bool,
    found: tuple[str, ...],
    *,
    wanted: tuple[str, ...] = (),
    apart: str = "",
    change: Change | None = None,
    ms: float = 0.0,
    characters: int = 0,
) -> Judged:
    source: Literal["offline", "transcript"] = "transcript" if case.draft else "offline"
    return Judged(case.id, kind, case.lang, source, case.category, right, text, found, wanted, apart, change, ms, characters)


def _told(problems: Sequence[Problem], bug: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*([bug] if bug else []), *(f"{problem.code}: {problem.text}" for problem in problems)]))


def _sources(by: JudgedBy) -> int:
    count = 0
    while by.evidence.citation(count + 1):
        count += 1
    return count
