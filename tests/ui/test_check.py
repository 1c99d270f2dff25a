from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ui.running import is_one_sentence, run, run_json
from tools.results import ClaimReport

WRONG_ZH = "gn7v 规格族配备 A10，A10 支持 FP8。"
WRONG_EN = "The A10 supports FP8."
RIGHT_EN = "The A10 has 24 GB of memory."


@pytest.mark.parametrize("text", [WRONG_ZH, WRONG_EN])
def test_wrong_statements_give_exit_code_1(text: str) -> None:
    report = ClaimReport.model_validate(run_json("check", text, exit_code=1))
    assert {"wrong", "not_in_catalog"} & report.counts.keys()
    assert all(item.text == text[item.start : item.end] for item in report.statements)


def test_right_statements_give_exit_code_0() -> None:
    report = ClaimReport.model_validate(run_json("check", RIGHT_EN))
    assert report.counts == {"true": 1}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_files_in_the_encodings_of_the_field(encoding: str, tmp_path: Path) -> None:
    file = tmp_path / "guide.md"
    file.write_text(WRONG_ZH, encoding=encoding)
    assert run_json("check", str(file), exit_code=1) == run_json("check", WRONG_ZH, exit_code=1)


def test_standard_input() -> None:
    result = run("check", "-", "--json", stdin=WRONG_ZH)
    assert result.exit_code == 1
    assert json.loads(result.stdout) == run_json("check", WRONG_ZH, exit_code=1)


@pytest.mark.parametrize(("text", "verdict"), [(WRONG_ZH, "[错]"), (WRONG_EN, "[wrong]")])
def test_text_speaks_the_language_of_what_is_checked(text: str, verdict: str) -> None:
    result = run("check", text)
    assert result.exit_code == 1 and verdict in result.stdout and "https://" in result.stdout


@pytest.mark.parametrize(("text", "said"), [("今天天气很好。", "没有找到"), ("Nice weather today.", "Nothing that can be checked")])
def test_nothing_to_judge_is_said(text: str, said: str) -> None:
    result = run("check", text)
    assert result.exit_code == 0 and said in result.stdout


def test_a_missing_file_is_not_taken_for_a_text() -> None:
    result = run("check", "no-such-guide.md")
    assert result.exit_code == 2 and is_one_sentence(result.stderr)


@pytest.mark.parametrize("content", [b"\x00\x01\x02", b"\xff\xff\xff\xff", b"", b"  \n"])
def test_what_is_no_text_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "x.bin"
    file.write_bytes(content)
    result = run("check", str(file))
    assert result.exit_code == 2 and is_one_sentence(result.stderr)
