"""The measure measured: a check that finds nothing catches nothing, one that finds everything alarms everywhere, one that breaks is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from assistant.check.problem import Problem
from assistant.evidence import Evidence, Finding, SourceRef
from assistant.read.read import read_question
from evals.check.cases import Case
from evals.check.rates import Report, report
from evals.check.report import report_text
from evals.check.run import run_cases, spread
from evals.check.turns import JudgedBy, Rules
from knowledge.search import Library

DRAFT = "选 `ecs.gn7i-c8g1.2xlarge`（1 张 A10 24 GB），9.5326 元/小时[1]，2024-12-31。" * 12
Way = Literal["nothing", "everything", "differences", "breaks"]


@dataclass(frozen=True)
class PretendedCheck(JudgedBy):
    """A check of our own making in place of the real one."""

    way: Way = "nothing"

    def problems(self, draft: str) -> list[Problem]:
        if self.way == "breaks":
            raise KeyError("billing")
        found = [Problem("number", "9", 0)]
        return {"nothing": [], "everything": found, "differences": found if draft != DRAFT else [], "breaks": []}[self.way]


@dataclass(frozen=True)
class PretendedRules(Rules):
    way: Way = "nothing"

    def play(self, turns: object) -> JudgedBy:
        finding = Finding(tool="x", sources=[SourceRef(source_id=name, excerpt="words") for name in "ab"])
        return PretendedCheck("？", Evidence([finding]), DRAFT, read_question("？"), DRAFT, way=self.way)


GOOD, SAID = Case(id="q", lang="zh", turns=("？",)), Case(id="t", lang="zh", turns=("？",), draft=DRAFT)
BAD = Case(id="b", lang="zh", turns=("？",), draft=DRAFT + "x", expect=("number", "name"))
OTHER = Case(id="o", lang="en", turns=("？",), draft=DRAFT + "x", expect=("link",))


def measure(way: Way, shipped_library: Library, *cases: Case, each: int = 2) -> Report:
    return report(run_cases(PretendedRules(shipped_library, way=way), cases, each=each))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("empty"), passages=[])


def test_a_perfect_check_reaches_the_goals(library: Library) -> None:
    found = measure("differences", library, GOOD, SAID, BAD)
    assert (found.catch, found.bad_found, found.alarms) == (1, 1, 0) and found.reaches_goals
    assert found.failures == [] and found.cases == found.right


def test_a_check_that_finds_nothing_catches_nothing(library: Library) -> None:
    found = measure("nothing", library, GOOD, SAID, BAD)
    assert (found.catch, found.bad_found, found.alarms) == (0, 0, 0) and not found.reaches_goals
    assert found.by["behaviour"]["accept"].right == 2 and found.by["behaviour"]["reject"].right == 0
    assert "not caught: wanted number or name, found nothing" in {f.reasons[0] for f in found.failures}


def test_a_check_that_always_alarms_is_no_better(library: Library) -> None:
    found = measure("everything", library, GOOD, SAID)
    assert found.alarms == 1 and found.catch == 0, "a problem that the good answer has too is no catch"
    assert found.alarm_codes == {"number": 2}


def test_a_bad_draft_must_be_found_for_its_reason(library: Library) -> None:
    assert measure("everything", library, BAD).bad_found == 1
    assert measure("everything", library, OTHER).bad_found == 0


def test_a_check_that_breaks_is_an_alarm_and_no_catch(library: Library) -> None:
    found = measure("breaks", library, GOOD)
    assert found.alarms == 1 and found.catch == 0
    assert found.alarm_codes == {"error": 1} and any("KeyError" in reason for f in found.failures for reason in f.reasons)


def test_without_changes_only_drafts_are_judged(library: Library) -> None:
    found = measure("nothing", library, GOOD, BAD, each=0)
    assert set(found.by["kind"]) == {"good", "bad"} and found.catch == 1


@pytest.mark.parametrize(("language", "words"), [("zh", "改坏的答案被抓住"), ("en", "spoilt answers caught")])
def test_the_report_tells_rates_groups_and_failures(language: Literal["zh", "en"], words: str, library: Library) -> None:
    text = report_text(measure("nothing", library, GOOD, BAD), language)
    assert words in text and "0.00%" in text and "misspelt" in text and "9.5326" in text


def test_a_part_of_the_cases_is_spread_over_all_of_them() -> None:
    cases = [Case(id=str(n), lang="zh", turns=("？",)) for n in range(100)]
    assert [case.id for case in spread(cases, 4)] == ["0", "25", "50", "75"]
    assert len(spread(cases, None)) == len(spread(cases, 500)) == 100
