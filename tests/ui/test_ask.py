from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.answer import Answer
from tests.ui.running import ROOT, is_one_sentence, run, run_json, run_process


def ask(*arguments: str) -> Answer:
    return Answer.model_validate(run_json("ask", *arguments))


def test_json_is_the_answer_of_the_python_api() -> None:
    answer = ask("Qwen2.5-72B bf16，32K 上下文，8 并发，选什么实例？")
    assert (answer.kind, answer.language, answer.llm) == ("sizing", "zh", "offline")
    assert answer.estimate and answer.recommendations and answer.citations and answer.calls


def test_text_has_answer_bars_and_numbered_sources() -> None:
    result = run("ask", "Which instance for Qwen2.5-7B, 8 users?")
    assert result.exit_code == 0
    for part in ("ecs.", "GiB", "█", "Sources", "[1] ", "https://"):
        assert part in result.stdout
    assert "\x1b" not in result.stdout and "**" not in result.stdout and "```" not in result.stdout


@pytest.mark.parametrize(("question", "kind"), [("今天天气怎么样", "out_of_scope"), ("What is the weather?", "out_of_scope")])
def test_an_answer_that_declines_is_exit_code_0(question: str, kind: str) -> None:
    assert ask(question).kind == kind


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_language_asked_for(lang: str) -> None:
    assert ask("Qwen2.5-7B", "--lang", lang).language == lang


@pytest.mark.parametrize("question", ["", "  \n", "\x00", "x" * 8001])
def test_no_answer_is_exit_code_2(question: str) -> None:
    result = run("ask", question, "--json")
    assert result.exit_code == 2 and not result.stdout
    assert is_one_sentence(result.stderr)


@pytest.mark.parametrize("llm", ["nonsense", "nosuch:model"])
def test_a_chat_model_that_cannot_be_used_is_one_sentence(llm: str) -> None:
    result = run("ask", "T4?", "--llm", llm)
    assert result.exit_code == 2 and is_one_sentence(result.stderr)


def test_a_broken_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_THREADS", "many")
    result = run("ask", "T4?")
    assert result.exit_code == 2 and "XUANKA_THREADS" in result.stderr and is_one_sentence(result.stderr)


def test_the_question_may_come_from_standard_input() -> None:
    result = run("ask", "-", "--json", stdin="A10 显存多大？\n")
    assert json.loads(result.stdout)["language"] == "zh"


def test_a_thread_is_kept_from_one_run_to_the_next() -> None:
    first = run_process("ask", "Qwen2.5-32B，32K 上下文，用什么实例？", "--thread", "客户/1", "--json")
    second = run_process("ask", "换成 int4 呢？", "--thread", "客户/1", "--json")
    alone = run_process("ask", "换成 int4 呢？", "--json")
    kinds = [json.loads(done.stdout)["kind"] for done in (first, second, alone)]
    assert kinds[:2] == ["sizing", "sizing"] and kinds[2] != "sizing"
    arguments = [json.loads(done.stdout)["calls"][0]["args"] for done in (first, second)]
    assert arguments[0]["model"] == arguments[1]["model"] and arguments[1]["context"] == 32768


@pytest.mark.parametrize("command", [("ask", "T4?"), ("chat",)])
def test_a_broken_file_of_conversations_is_one_sentence(command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_DATA_DIR", str(tmp_path))
    assert run("ask", "T4?", "--thread", "a").exit_code == 0
    (file,) = (tmp_path / "threads").iterdir()
    file.write_text("{" * 5000, encoding="utf-8")
    result = run(*command, "--thread", "a")
    assert result.exit_code == 2 and is_one_sentence(result.stderr) and file.name in result.stderr
    assert file.read_text(encoding="utf-8") == "{" * 5000


@pytest.mark.parametrize("where", ["redis://u:test-key@h/0", "postgresql://u:test-key@127.0.0.1:1/d"])
def test_a_place_that_keeps_no_conversations_is_one_sentence(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_CONVERSATIONS", where)
    result = run("ask", "T4?", "--thread", "a")
    assert result.exit_code == 2 and is_one_sentence(result.stderr)
    assert "XUANKA_CONVERSATIONS" in result.stderr and "test-key" not in result.stderr
    assert run("ask", "T4?").exit_code == 0


def test_a_file_of_an_older_version_is_told_once_and_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_DATA_DIR", str(tmp_path))
    old = tmp_path / "threads" / f"{hashlib.sha256(b'a').hexdigest()[:24]}.json"
    old.parent.mkdir()
    old.write_text("{}", encoding="utf-8")
    first, second = run("ask", "T4?", "--thread", "a"), run("ask", "A10?", "--thread", "a")
    assert first.exit_code == 0 and is_one_sentence(first.stderr) and old.name in first.stderr
    assert not second.stderr and old.read_text(encoding="utf-8") == "{}"


def test_a_question_that_stands_alone_loads_no_store() -> None:
    code = "import sys; from ui.ask import answered; answered('T4?', llm=None, lang=None, region=None, thread=None); print([n for n in sys.modules if n.startswith(('langgraph.checkpoint.sqlite', 'psycopg', 'aiosqlite', 'sqlite_vec'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT, timeout=120, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_conversations_in_memory_end_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("XUANKA_CONVERSATIONS", "memory")
    assert run("ask", "T4?", "--thread", "a").exit_code == 0
    assert not list(tmp_path.iterdir())


def test_a_chat_is_taken_up_again_and_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_DATA_DIR", str(tmp_path))
    run("chat", "--thread", "客户", stdin="Qwen2.5-32B 用什么实例？\n")
    again = run("chat", "--thread", "客户", stdin="换成 int4 呢？\n/new\n换成 int4 呢？\n")
    assert again.exit_code == 0 and not again.stderr
    assert "Qwen2.5-32B 用什么实例？" in again.stdout and again.stdout.count("权重（int4") == 1
    assert run_json("ask", "换成 fp8 呢？", "--thread", "客户")["kind"] != "sizing"


def test_a_chat_without_a_name_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_DATA_DIR", str(tmp_path))
    assert run("chat", stdin="A10 显存多大？\n").exit_code == 0
    assert not list(tmp_path.iterdir())


def test_a_chat_that_cannot_be_kept_says_so_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_DATA_DIR", str(no_folder(tmp_path, "under a file")))
    result = run("chat", "--thread", "x", stdin="Qwen2.5-32B 用什么实例？\n换成 int4 呢？\n")
    assert result.exit_code == 0 and "权重（int4" in result.stdout
    assert is_one_sentence(result.stderr) and "没有保存" in result.stderr


def test_chat_answers_follow_ups_in_one_thread_and_shows_steps() -> None:
    result = run("chat", stdin="Qwen2.5-32B 用什么实例？\n换成 int4 呢？\n/quit\nnot read\n")
    assert result.exit_code == 0 and not result.stderr
    assert result.stdout.count("· size_llm ✓") == 2 and "权重（int4" in result.stdout
    assert "Xuanka 选卡" in result.stdout and "say which model" in result.stdout


def test_chat_starts_over() -> None:
    result = run("chat", stdin="Qwen2.5-32B 用什么实例？\n/new\n换成 int4 呢？\n")
    assert "权重（bf16" in result.stdout and "权重（int4" not in result.stdout


@pytest.mark.parametrize("stdin", ["", "\n\n", "/help\n", "/nonsense\n", "/quit"])
def test_chat_ends_with_its_input(stdin: str) -> None:
    result = run("chat", stdin=stdin)
    assert result.exit_code == 0 and not result.stderr


def test_an_error_ends_the_turn_not_the_chat() -> None:
    result = run("chat", stdin="x" * 9000 + "\nA10 显存多大？\n")
    assert result.exit_code == 0 and is_one_sentence(result.stderr) and "24 GB" in result.stdout


def no_folder(tmp_path: Path, kind: str) -> Path:
    """A data folder in which nothing can be kept, whoever runs the tests."""
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    return {"under a file": file / "data", "a file": file, "proc": Path("/proc/xuanka")}[kind]


@pytest.mark.parametrize("kind", ["under a file", "a file", "proc"])
@pytest.mark.parametrize(("question", "said"), [("Does the T4 support bf16?", "not kept"), ("T4 支持 bf16 吗？", "没有保存")])
def test_a_thread_that_cannot_be_kept_is_one_sentence_beside_the_answer(
    kind: str, question: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = no_folder(tmp_path, kind)
    monkeypatch.setenv("XUANKA_DATA_DIR", str(folder))
    for form in ([], ["--json"]):
        result = run("ask", question, "--thread", "x", *form)
        assert result.exit_code == 0 and "T4" in result.stdout
        assert is_one_sentence(result.stderr) and said in result.stderr and str(folder) in result.stderr
        assert "XUANKA_DATA_DIR" in result.stderr


@pytest.mark.parametrize(("question", "said"), [("训练数据放哪种云盘", "只按词"), ("Which disk for training data?", "words only")])
def test_an_index_that_cannot_be_opened_is_one_sentence_beside_the_answer(
    question: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XUANKA_EMBEDDER", "hash")
    monkeypatch.setenv("XUANKA_DATA_DIR", str(no_folder(tmp_path, "under a file")))
    result = run("ask", question)
    assert result.exit_code == 0 and result.stdout
    assert is_one_sentence(result.stderr) and said in result.stderr and str(tmp_path / "file") in result.stderr
    kept = run("ask", question, "--thread", "x").stderr
    assert is_one_sentence(kept) and said in kept


def test_an_answer_that_lacks_nothing_says_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not run("ask", "训练数据放哪种云盘").stderr  # words only, but as set
    monkeypatch.setenv("XUANKA_EMBEDDER", "hash")
    assert not run("ask", "训练数据放哪种云盘", "--thread", "x").stderr
