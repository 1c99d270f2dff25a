from __future__ import annotations

import re

import pytest

from evals.bench import environment, questions


def test_the_questions_are_many_varied_and_of_both_languages() -> None:
    asked = list(questions())
    chinese = sum(bool(re.search("[\u4e00-\u9fff]", question)) for question in asked)
    assert len(asked) >= 100 and len(set(asked)) == len(asked)
    assert 0.4 <= chinese / len(asked) <= 0.6


def test_a_measured_process_has_one_thread_and_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_THREADS", "8")
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    given = environment(XUANKA_DATA_DIR="/x")
    assert (given["XUANKA_THREADS"], given["OMP_NUM_THREADS"], given["XUANKA_DATA_DIR"]) == ("1", "1", "/x")
    assert "PYTHONDONTWRITEBYTECODE" not in given and given["PYTHONPYCACHEPREFIX"]
