"""The drafts of the scripted models as cases of the check, in the form of evals/cases: struck or shown without any server."""

from __future__ import annotations

from pathlib import Path

from evals.check.cases import read_cases
from evals.check.turns import Rules
from knowledge.search import Library
from tests.assistant.llm.scenes import DRAFTS

TRANSCRIPTS = Path(__file__).with_name("transcripts.jsonl")


def test_every_draft_is_a_case() -> None:
    names = {f"scripted-{name}-{language}" for kind in DRAFTS.values() for name, row in kind.items() for language in ("zh", "en") if row[language].strip()}
    assert {case.id for case in read_cases(TRANSCRIPTS)} == names


def test_cases_are_judged_as_their_writers_say(library: Library) -> None:
    rules, wrong = Rules(library), []
    for case in read_cases(TRANSCRIPTS):
        codes = {problem.code for problem in rules.play(case.turns).problems(case.draft)}
        if bool(codes & {*case.expect}) != bool(case.expect) or codes and not case.expect:
            wrong.append((case.id, codes, case.expect))
    assert not wrong
