"""The gate: the check stays as good as it is. A small sample; `xuanka eval run --suite check` runs all."""

from __future__ import annotations

import pytest

from evals.check.cases import read_cases
from evals.check.rates import FLOOR_ALARMS, FLOOR_CATCH, Report, report
from evals.check.run import run_cases, spread
from evals.check.turns import Rules

SAMPLE, EACH, SEED = 60, 1, 11


@pytest.fixture(scope="module")
def measured(rules: Rules) -> Report:
    return report(run_cases(rules, spread(read_cases(), SAMPLE), seed=SEED, each=EACH))


def failures(found: Report, start: str) -> str:
    return "\n".join(f"{f.id}: {f.reasons} {f.text[:160]!r}" for f in found.failures if f.reasons[0].startswith(start))


def test_spoilt_answers_and_bad_drafts_are_caught(measured: Report) -> None:
    least = min(measured.catch, measured.bad_found)
    assert least >= FLOOR_CATCH, failures(measured, "not caught")


def test_good_answers_pass(measured: Report) -> None:
    alarms = measured.alarms
    assert alarms <= FLOOR_ALARMS, failures(measured, "false alarm")


def test_the_sample_has_everything(measured: Report) -> None:
    assert measured.cases > 300 and set(measured.by["source"]) == {"offline", "transcript"}
    assert len(measured.by["kind"]) == 14 and {"zh", "en"} == set(measured.by["language"])
