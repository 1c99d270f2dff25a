from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from .running import run, run_json

GOOD = {"id": "good", "lang": "zh", "turns": ["你好"]}
MISSED = {"id": "missed", "lang": "zh", "turns": ["A10 显存多大"], "draft": "A10 有 24 GB 显存。", "expect": ["link"]}


def cases(folder: Path, *rows: Mapping[str, object]) -> str:
    file = folder / "cases.jsonl"
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return str(file)


def test_a_run_that_reaches_the_goals_ends_with_0(tmp_path: Path) -> None:
    found = run_json("eval", "run", "--suite", "check", "--cases", cases(tmp_path, GOOD), "--each", "0")
    assert [found[key] for key in ("suite", "llm", "cases", "right", "wrong", "unanswered")] == ["check", "offline", 1, 1, 0, 0]
    assert set(found["by"]) == {"language", "category", "behaviour", "source", "kind"} and found["failures"] == []


def test_a_goal_that_is_missed_ends_with_1_and_tells_why(tmp_path: Path) -> None:
    found = run_json("eval", "run", "--cases", cases(tmp_path, GOOD, MISSED), exit_code=1)
    (failure,) = found["failures"]
    assert failure["id"] == "missed" and "wanted link" in failure["reasons"][0] and failure["text"] == MISSED["draft"]


@pytest.mark.parametrize(("lang", "words"), [("zh", "好答案被误报"), ("en", "false alarms on good answers")])
def test_the_table_is_in_the_language_asked_for(lang: str, words: str, tmp_path: Path) -> None:
    result = run("eval", "run", "--cases", cases(tmp_path, GOOD, MISSED), "--lang", lang)
    assert result.exit_code == 1 and words in result.stdout and "missed" in result.stdout


def test_a_part_of_the_cases(tmp_path: Path) -> None:
    found = run_json("eval", "run", "--cases", cases(tmp_path, GOOD, {**GOOD, "id": "b"}, {**GOOD, "id": "c"}), "--limit", "2", "--each", "0")
    assert found["cases"] == 2


@pytest.mark.parametrize(
    "arguments", [("--suite", "poems"), ("--cases", "{folder}/none.jsonl"), ("--cases", "{folder}")], ids=["suite", "missing", "folder"]
)
def test_what_cannot_be_run_is_one_sentence(arguments: tuple[str, str], tmp_path: Path) -> None:
    result = run("eval", "run", *(part.format(folder=tmp_path) for part in arguments))
    assert result.exit_code == 2 and result.stdout == "" and len(result.stderr.strip().splitlines()) == 1
