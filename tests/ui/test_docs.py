from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from assistant.library import open_library
from assistant.settings import read_settings
from knowledge.added import make_document
from tests.ui.running import is_one_sentence, run, run_json
from ui.doctor import examine


@pytest.mark.parametrize(("query", "lang"), [("ESSD 云盘 PL3", "zh"), ("ESSD disk levels", "en")])
def test_search_prefers_the_language_of_the_query(query: str, lang: str) -> None:
    hits = run_json("docs", "search", query, "-k", "3")["hits"]
    assert len(hits) == 3 and hits[0]["lang"] == lang
    assert all(hit["title"] and hit["text"] and hit["source_ids"] for hit in hits)
    assert hits[0]["title"] in run("docs", "search", query).stdout


def test_nothing_found_is_said() -> None:
    assert run_json("docs", "search", "qqqqzzzz")["hits"] == []
    assert "Nothing found" in run("docs", "search", "qqqqzzzz", "--lang", "en").stdout


@pytest.mark.parametrize("query", ["", "   ", "\n", "　"])
def test_nothing_to_look_for_is_one_sentence(query: str) -> None:
    result = run("docs", "search", query, "--json")
    assert result.exit_code == 2 and not result.stdout and is_one_sentence(result.stderr)


def test_list_has_both_languages() -> None:
    rows = run_json("docs", "list")["documents"]
    assert {row["lang"] for row in rows} == {"zh", "en"}
    assert all(row["sections"] > 0 for row in rows)
    assert rows[0]["id"] in run("docs", "list").stdout


def test_list_has_what_the_user_added() -> None:
    library = open_library(read_settings())
    library.add(make_document("# 笔记\n\n我们的 A10 只跑 7B。", title="我们的笔记", origin="notes.md"))
    (row,) = [row for row in run_json("docs", "list")["documents"] if row["title"] == "我们的笔记"]
    assert (row["lang"], row["trust"], row["origin"]) == ("zh", "user", "notes.md")


def test_rebuild_without_embedder_says_so() -> None:
    status = run_json("docs", "rebuild")
    assert status["vectors"] is False and status["reason"] and status["passages"] > 100


def test_rebuild_builds_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_EMBEDDER", "hash")
    status = run_json("docs", "rebuild")
    assert status["vectors"] is True and status["passages"] > 100
    assert run_json("docs", "search", "ESSD")["hits"]


def test_doctor_finds_this_checkout_whole() -> None:
    report = run_json("doctor")
    assert report["ok"] and {item["check"] for item in report["checks"]} == {
        "python", "libraries", "names", "tables", "catalog", "settings", "llm", "index",
    }  # fmt: skip
    assert all(item["state"] == "ok" or item["way_out"] for item in report["checks"])


@pytest.mark.parametrize(
    ("name", "value", "check"),
    [
        ("XUANKA_THREADS", "many", "settings"),
        ("XUANKA_LLM", "qwen-plus", "llm"),
        ("XUANKA_LLM", "nosuchprovider:x", "llm"),
    ],
)
def test_doctor_names_what_is_broken(name: str, value: str, check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    report = run_json("doctor", exit_code=2)
    broken = {item["check"]: item for item in report["checks"] if item["state"] == "fail"}
    assert value in broken[check]["detail"] or name in broken[check]["detail"]
    assert broken[check]["way_out"]


@pytest.mark.parametrize("inside", ["", "data", "deep/er"])
def test_doctor_warns_of_a_file_where_the_folder_should_be(inside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    monkeypatch.setenv("XUANKA_DATA_DIR", str(file / inside))
    found = {item.check: item for item in examine()}
    assert found["settings"].state == "warn" and found["tables"].state == "ok"
    assert f"{file} is a file" in found["settings"].way_out


@pytest.mark.parametrize(
    ("embedder", "blocked", "way"),
    [
        ("hash", True, "vectors is a file"),
        ("nosuch", False, "XUANKA_EMBEDDER=none"),
        ("nosuch", True, "XUANKA_EMBEDDER=none"),
        ("st:nosuch", False, "XUANKA_EMBEDDER=none"),
    ],
)
def test_the_way_to_an_index_fits_the_cause(embedder: str, blocked: bool, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if embedder.startswith("st:") and find_spec("sentence_transformers"):
        pytest.skip("sentence-transformers is here and would look for the model")
    monkeypatch.setenv("XUANKA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("XUANKA_EMBEDDER", embedder)
    if blocked:
        (tmp_path / "index").mkdir()
        (tmp_path / "index" / "vectors").write_text("", encoding="utf-8")
    found = {item.check: item for item in examine()}
    assert found["index"].state == "warn" and way in found["index"].way_out
    result = run("docs", "rebuild", "--json")
    assert result.exit_code == 2 and not result.stdout and is_one_sentence(result.stderr) and way in result.stderr


@pytest.mark.parametrize(("lang", "word"), [("zh", "正常"), ("en", "ok")])
def test_doctor_speaks_both_languages(lang: str, word: str) -> None:
    assert word in run("doctor", "--lang", lang).stdout


def test_a_region_of_a_env_file_counts(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path_factory.mktemp("project")
    (folder / ".env").write_text("XUANKA_REGION=mars\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    result = run("size", "llm", "--model", "7B")
    assert result.exit_code == 2 and "mars" in result.stderr and is_one_sentence(result.stderr)
    assert json.loads(run("size", "llm", "--model", "7B", "--region", "cn-beijing", "--json").stdout)
