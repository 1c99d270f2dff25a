from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.ui.running import is_one_sentence, run, run_json
from tools.results import ClaimReport
from ui.cli import app
from ui.speech import written_language

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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
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


@pytest.mark.parametrize("name", ["no-such-guide.md", "/no/such/guide", "./guide", "~/no-such-guide", "~nobody-here/x.md", ".", "ui", "../"])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_path_without_a_file_is_not_taken_for_a_text(name: str, lang: str) -> None:
    result = run("check", name, "--lang", lang)
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and name in result.stderr


def test_a_folder_is_named(tmp_path: Path) -> None:
    result = run("check", str(tmp_path))
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and f"{tmp_path} is a folder" in result.stderr


NO_TEXTS = [b"\x00\x01\x02", b"\xff\xff\xff\xff", b"", b"  \n", b"text " * 3000 + b"\x00", bytes(range(1, 32)) * 9, b"\x89PNG\r\n\x1a\n" + bytes(90)]


@pytest.mark.parametrize("content", NO_TEXTS)
@pytest.mark.parametrize("how", ["file", "stdin"])
def test_what_is_no_text_is_refused(content: bytes, how: str, tmp_path: Path) -> None:
    file = tmp_path / "x.bin"
    file.write_bytes(content)
    result = CliRunner().invoke(app, ["check", str(file) if how == "file" else "-"], input=content)
    assert result.exit_code == 2 and not result.stdout and is_one_sentence(result.stderr)


@pytest.mark.parametrize("how", ["file", "stdin", "argument"])
def test_a_text_over_the_limit_is_refused_with_the_limit(how: str, tmp_path: Path) -> None:
    text = "a10是40GB" * 40_000
    file = tmp_path / "long.txt"
    file.write_text(text, encoding="utf-8")
    result = run("check", {"file": str(file), "stdin": "-", "argument": text}[how], stdin=text)
    assert result.exit_code == 2 and is_one_sentence(result.stderr)
    assert "200,000" in result.stderr and f"{len(text):,}" in result.stderr


def test_a_text_up_to_the_limit_is_checked() -> None:
    report = ClaimReport.model_validate(run_json("check", "-", stdin=WRONG_ZH.ljust(200_000, "a"), exit_code=1))
    assert report.counts


@pytest.mark.parametrize(("line", "times"), [(WRONG_EN, "(3 times)"), ("A10 支持 FP8。", "（3 处）")])
def test_the_same_statement_is_shown_once_with_its_count(line: str, times: str) -> None:
    text = f"{line}\n\n" * 3
    assert len(run_json("check", text, exit_code=1)["statements"]) == 3
    shown = run("check", text).stdout
    assert shown.count(line.removeprefix("The ").rstrip("。.")) == 1 and shown.count(times) == 1
    assert times[1] not in run("check", line).stdout.splitlines()[0].removeprefix(line)


@pytest.mark.parametrize("locale", ["zh_CN.UTF-8", "en_US.UTF-8"])
@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("This guide (选卡指南) says a lot about machines. The A10 supports FP8.", "[wrong]"),
        ("The A10 supports FP8, see 阿里云 GPU 文档.", "[wrong]"),
        ("A10 支持 FP8，适合 vLLM 部署。", "[错]"),
        ("Ａ１０ 支持 ＦＰ８。", "[错]"),
        ("ecs.gn7i-c8g1.2xlarge 的 A10 支持 FP8", "[错]"),
    ],
)  # fmt: skip
def test_labels_follow_the_language_that_most_of_the_text_is_in(text: str, label: str, locale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", locale)
    result = run("check", "-", stdin=text)
    assert result.exit_code == 1 and label in result.stdout


@pytest.mark.parametrize(("locale", "language"), [("zh_CN.UTF-8", "zh"), ("en_US.UTF-8", "en")])
def test_a_text_without_letters_has_the_language_of_the_locale(locale: str, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", locale)
    assert written_language("A10 24GB, 8 × 1") == written_language("…") == language


def two_files(folder: Path) -> tuple[str, str]:
    one, other = folder / "one.md", folder / "other.md"
    one.write_text("# 选卡\r\n\r\n- A10 有 24 GB 显存。\r\n- A10 支持 FP8。\r\n- 再说一遍：A10 支持 FP8。\r\n", encoding="utf-8")
    other.write_text("The T4 supports BF16.", encoding="utf-8")
    return str(one), str(other)


def test_files_are_shown_with_lines_and_columns_to_jump_to(tmp_path: Path) -> None:
    one, other = two_files(tmp_path)
    result = run("check", one, other, "--lang", "en")
    assert result.exit_code == 1
    places = [line for line in result.stdout.splitlines() if line.startswith(str(tmp_path))]
    assert places == [
        f"{one}:3:3: [true] A10 有 24 GB",
        f"{one}:4:3: [wrong] A10 支持 FP8",
        f"{one}:5:8: [wrong] A10 支持 FP8",
        f"{other}:1:5: [wrong] T4 supports BF16",
    ]


def test_standard_input_has_places_and_a_typed_text_has_none() -> None:
    assert run("check", "-", stdin=f"\n{WRONG_EN}").stdout.startswith("<stdin>:2:5: [wrong]")
    assert run("check", WRONG_EN).stdout.startswith("[wrong]")


def test_quiet_shows_what_is_wrong_and_nothing_when_all_is_right(tmp_path: Path) -> None:
    shown = run("check", "--quiet", *two_files(tmp_path))
    assert "[对]" not in shown.stdout and shown.stdout.count("[错]") == 3
    quiet = run("check", "-q", RIGHT_EN)
    assert (quiet.exit_code, quiet.stdout) == (0, "")
    report = run_json("check", "-q", "A10 有 24 GB 显存。A10 支持 FP8。", exit_code=1)
    assert [item["verdict"] for item in report["statements"]] == ["wrong"] and report["counts"] == {"true": 1, "wrong": 1}


def test_json_of_several_files_names_each(tmp_path: Path) -> None:
    one, other = two_files(tmp_path)
    report = run_json("check", one, other, exit_code=1)
    assert [item["file"] for item in report["files"]] == [one, other]
    assert report["counts"] == {"true": 1, "wrong": 3}
    assert {"statements", "counts"} == set(run_json("check", one, exit_code=1))


@pytest.mark.parametrize("as_json", [False, True])
def test_a_file_that_cannot_be_read_does_not_hide_the_others(as_json: bool, tmp_path: Path) -> None:
    one, other = two_files(tmp_path)
    missing = str(tmp_path / "gone.md")
    result = run("check", one, missing, other, *(["--json"] if as_json else []))
    assert result.exit_code == 2
    if as_json:
        files = json.loads(result.stdout)["files"]
        assert [item["file"] for item in files] == [one, other, missing] and missing in files[2]["error"]
    else:
        assert is_one_sentence(result.stderr) and missing in result.stderr and "T4 supports BF16" in result.stdout


PARTLY = "抢占式实例一般按 3 折计费。"


@pytest.mark.parametrize(("more", "code"), [([], 0), (["--fail-on", "partly"], 1), (["--fail-on", "outdated, cannot-judge"], 0), (["--fail-on", "Partly，outdated"], 1)])
def test_further_verdicts_fail_when_asked_to(more: list[str], code: int) -> None:
    assert run("check", PARTLY, *more).exit_code == code


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_an_unknown_verdict_is_refused(lang: str) -> None:
    result = run("check", RIGHT_EN, "--fail-on", "bad", "--lang", lang)
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and "partly" in result.stderr


def test_words_without_quotes_are_one_text() -> None:
    assert run_json("check", *WRONG_EN.split(), exit_code=1) == run_json("check", WRONG_EN, exit_code=1)


def write_docx(path: Path) -> None:
    import docx

    document = docx.Document()
    document.add_heading("选卡", 1)
    document.add_paragraph("A10 支持 FP8。")
    document.save(str(path))


def write_html(path: Path) -> None:
    path.write_text("<html><body><h1>Cards</h1><p>The <b>A10</b> supports <i>FP8</i>.</p></body></html>", encoding="utf-8")


@pytest.mark.parametrize(("name", "write"), [("a.docx", write_docx), ("a.html", write_html)])
def test_documents_are_read_as_text(name: str, write: Callable[[Path], None], tmp_path: Path) -> None:
    write(tmp_path / name)
    report = ClaimReport.model_validate(run_json("check", str(tmp_path / name), exit_code=1))
    assert [item.subject for item in report.statements] == ["A10 FP8"]


@pytest.mark.parametrize("content", [b"%PDF-1.4\nno pages", b"PK\x03\x04 broken"])
def test_a_broken_document_is_refused_in_one_sentence(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "broken.pdf"
    file.write_bytes(content)
    result = run("check", str(file))
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and str(file) in result.stderr


def test_what_a_file_only_asks_is_not_judged_and_what_is_typed_is(tmp_path: Path) -> None:
    file = tmp_path / "faq.md"
    file.write_text("## gn7i 有没有 NVLink？\n\n没有，gn7i 走 PCIe。\n", encoding="utf-8")
    assert "wrong" not in run_json("check", str(file))["counts"]
    assert run("check", "gn7i 有没有 NVLink？").exit_code == 1
