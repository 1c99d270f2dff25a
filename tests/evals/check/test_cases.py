from __future__ import annotations

import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from evals.check.cases import CODES, Case, read_cases
from evals.check.equal import Truths
from evals.check.spans import find_figures
from evals.check.turns import Rules
from knowledge.errors import InputError

CASES = read_cases()
HONEST = [case for case in CASES if case.draft and not case.expect]


def test_there_are_many_cases_of_every_sort_in_both_languages() -> None:
    questions = [case for case in CASES if not case.draft]
    bad = [case for case in CASES if case.expect]
    assert len(questions) >= 120 and len(HONEST) >= 60 and len(bad) >= 60
    assert len({case.id for case in CASES}) == len(CASES)
    for group in (questions, HONEST, bad):
        share = Counter(case.lang for case in group)
        assert min(share["zh"], share["en"]) >= 0.3 * len(group)
    assert len({case.category for case in questions}) >= 14
    assert sum(len(case.turns) > 1 for case in questions) >= 8
    assert {code for case in bad for code in case.expect} == set(CODES)


@pytest.mark.parametrize("case", HONEST, ids=lambda case: case.id)
def test_every_figure_of_an_honest_draft_is_in_the_evidence_of_today(case: Case, rules: Rules) -> None:
    """What fails here after a refresh of the catalog is a draft that has aged: its figure is no longer so."""
    numbers = Truths(rules.play(case.turns)).numbers + [_value(s.text) for turn in case.turns for s in find_figures(turn)]
    figures = [span.text for span in find_figures(unicodedata.normalize("NFKC", case.draft))]
    unknown = [figure for figure in figures if figure not in case.worked and not any(_is_rounded(figure, number) for number in numbers)]
    assert unknown == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"id": "a", "lang": "fr", "turns": ["?"]}', "lang"),
        ('{"id": "a", "lang": "zh", "turns": []}', "turns"),
        ('{"id": "a", "lang": "zh", "turns": ["？"], "draft": "x", "expect": ["nonsense"]}', "expect"),
        ("not json", "line 2"),
    ],
)
def test_a_line_that_is_no_case_is_named(tmp_path: Path, line: str, told: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "good", "lang": "zh", "turns": ["A10 显存多大"]}\n' + line, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_cases(file)
    assert "line 2" in str(error.value) and told in str(error.value)


def test_a_file_without_cases_and_a_missing_one(tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text("\n\n", encoding="utf-8")
    with pytest.raises(InputError):
        read_cases(file, language="zh")


def _value(text: str) -> float:
    return float(text.replace(",", ""))


def _is_rounded(figure: str, number: float) -> bool:
    half = 0.5 * 10.0 ** -len(figure.partition(".")[2])
    return abs(_value(figure) - number) <= half + 1e-9
