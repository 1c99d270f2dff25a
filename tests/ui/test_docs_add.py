from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.ui.running import is_one_sentence, run, run_json
from ui.cli import app

WRONG = "A10 支持 FP8。gn7i 每卡 16 GB 显存。"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text(f"# 机房笔记\n\n2026-07-19\n\n{WRONG}\n", encoding="utf-8")
    (folder / "deep" / "b.txt").write_text("The A10 has 24 GB of memory.\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(("lang", "words"), [("zh", ("[错]", "不支持 FP8", "错 2", "加入 2", "来源")), ("en", ("[wrong]", "does not support FP8", "wrong 2", "2 added", "Sources"))])
def test_the_report_says_what_is_wrong_with_fact_and_source(notes: Path, lang: str, words: tuple[str, ...]) -> None:
    shown = run("docs", "add", str(notes), "--lang", lang)
    assert shown.exit_code == 0 and all(word in shown.stdout for word in words)
    assert "机房笔记" in shown.stdout and "2026-07-19" in shown.stdout and "https://" in shown.stdout


def test_json_has_files_and_counts(notes: Path) -> None:
    report = run_json("docs", "add", str(notes), "--no-recursive")
    (file,) = report["files"]
    assert report["counts"] == {"added": 1} and file["counts"] == {"wrong": 2}
    assert (file["title"], file["published_on"], file["passages"], file["lang"]) == ("机房笔记", "2026-07-19", 1, "zh")
    assert all(item["fact"] and item["source_ids"] and item["context"] is not None for item in file["statements"])


def test_options_are_kept_and_listed(notes: Path) -> None:
    run_json("docs", "add", str(notes / "a.md"), "--title", "我的", "--date", "2025-01-02", "--trust", "vendor")
    (row,) = [row for row in run_json("docs", "list")["documents"] if row["title"] == "我的"]
    assert (row["trust"], row["published_on"], row["wrong"]) == ("vendor", "2025-01-02", 2)
    line = next(line for line in run("docs", "list").stdout.splitlines() if "我的" in line)
    assert " 2 " in line


def test_standard_input() -> None:
    (file,) = run_json("docs", "add", "-", "--title", "纪要", stdin=WRONG)["files"]
    assert (file["origin"], file["title"], file["counts"]) == ("-", "纪要", {"wrong": 2})


@pytest.mark.parametrize("names", [["http://example.com/a.pdf"], ["/no/such/file"], ["-"], ["/dev/null"], [""]])
@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_one_file_that_cannot_be_added_is_one_sentence(names: list[str], lang: str, form: list[str]) -> None:
    result = run("docs", "add", *names, "--lang", lang, *form, stdin="")
    assert result.exit_code == 2 and not result.stdout and is_one_sentence(result.stderr)


def test_several_that_cannot_be_added_are_reported_and_exit_2(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04" + bytes(90))
    result = run("docs", "add", str(tmp_path / "a.zip"), "http://example.com", "--lang", "en")
    assert result.exit_code == 2 and result.stdout.count("✗") == 2 and is_one_sentence(result.stderr)


@pytest.mark.parametrize("options", [["--date", "soon"], ["--trust", "holy"], ["--title", "one title for two"]])
def test_options_that_cannot_be(notes: Path, options: list[str]) -> None:
    result = CliRunner().invoke(app, ["docs", "add", str(notes), *options])
    assert result.exit_code == 2 and not result.stdout
    assert [row for row in run_json("docs", "list")["documents"] if row["trust"] == "user"] == []


def test_show_marks_what_is_wrong(notes: Path) -> None:
    added = run_json("docs", "add", str(notes / "a.md"))["files"][0]
    for name in (added["document_id"], str(notes / "a.md")):
        lines = run("docs", "show", name, "--lang", "zh").stdout.splitlines()
        assert lines.index(WRONG) + 1 == next(number for number, line in enumerate(lines) if line.startswith("  ▲ [错]"))
    shown = run_json("docs", "show", added["document_id"])
    assert shown["text"].endswith(WRONG) and shown["counts"] == {"wrong": 2}


@pytest.mark.parametrize("how", ["id", "path", "all"])
def test_what_is_removed_is_found_no_longer(notes: Path, how: str) -> None:
    files = run_json("docs", "add", str(notes))["files"]
    assert any(hit["kind"] == "document" for hit in run_json("docs", "search", "A10 支持 FP8", "-k", "50")["hits"])
    names = {"id": [item["document_id"] for item in files], "path": [item["origin"] for item in files], "all": ["--all"]}[how]
    assert len(run_json("docs", "remove", *names)["removed"]) == 2
    assert not any(hit["kind"] == "document" for hit in run_json("docs", "search", "A10 支持 FP8", "-k", "50")["hits"])
    assert not any("机房笔记" in row["title"] for row in run_json("docs", "list")["documents"])


@pytest.mark.parametrize("arguments", [["remove"], ["remove", "user-x", "--all"], ["remove", "user-nosuch"], ["show", "user-nosuch"], ["import", "/no/such"], ["export", "/no/such/folder/x.jsonl"]])
def test_what_cannot_be_done_is_one_sentence(arguments: list[str]) -> None:
    result = run("docs", *arguments)
    assert result.exit_code == 2 and not result.stdout and is_one_sentence(result.stderr)


def test_export_and_import(notes: Path, tmp_path: Path) -> None:
    run("docs", "add", str(notes))
    file = tmp_path / "out.jsonl"
    assert run_json("docs", "export", str(file))["documents"] == 2
    assert run("docs", "export", str(file)).exit_code == 2
    assert run("docs", "export", str(file), "--force").exit_code == 0
    run("docs", "remove", "--all")
    report = run_json("docs", "import", str(file))
    assert report["counts"] == {"added": 2} and sum(item["counts"].get("wrong", 0) for item in report["files"]) == 2
    file.write_text(file.read_text(encoding="utf-8") + "[]\n", encoding="utf-8")
    result = run("docs", "import", str(file))
    assert result.exit_code == 2 and "4" in result.stderr and is_one_sentence(result.stderr)


def test_search_says_that_a_passage_holds_wrong_statements(notes: Path) -> None:
    run("docs", "add", str(notes / "a.md"))
    hit = next(hit for hit in run_json("docs", "search", "机房笔记 A10 FP8", "-k", "20")["hits"] if hit["kind"] == "document")
    assert [item["verdict"] for item in hit["statements"]] == ["wrong", "wrong"]
    assert "wrong statements in this passage: 2" in run("docs", "search", "机房笔记 A10 FP8", "-k", "20", "--lang", "en").stdout


def test_rebuild_judges_again(notes: Path) -> None:
    run("docs", "add", str(notes / "a.md"))
    from assistant.settings import read_settings

    (file,) = (read_settings().data_dir / "index" / "documents").glob("*.json")
    values = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(values | {"statements": []}), encoding="utf-8")
    assert run("docs", "rebuild").exit_code == 0
    assert json.loads(file.read_text(encoding="utf-8"))["statements"]
