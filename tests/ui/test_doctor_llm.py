"""`xuanka doctor` with a chat model: one line to it, in both languages and as JSON; offline it asks nobody."""

from __future__ import annotations

import pytest

from tests.assistant.chat_models.stub import (
    Body,
    Reply,
    completion,
    dead_port,
    error,
    serve,
    streamed,
)
from tests.ui.running import run, run_json

CALL: list[tuple[str, Body]] = [("look_up_card", {"card": "A10"})]


@pytest.fixture(autouse=True)
def key(plain_session: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_LLM", "vllm:m")
    monkeypatch.setenv("XUANKA_LLM_API_KEY", "test-key")


def good(path: str, body: Body) -> Reply:
    if path.endswith("/models"):
        return Reply({"object": "list", "data": [{"id": "m", "object": "model", "created": 1, "owned_by": "x"}]})
    return Reply(streamed({"content": "OK"}), kind="text/event-stream") if body.get("stream") else Reply(completion(None, calls=CALL))


def bad_key(path: str, body: Body) -> Reply:
    return Reply(error("Incorrect API key provided: test-key"), 401)


@pytest.mark.parametrize(("lang", "word"), [("zh", "会调用工具"), ("en", "calls tools")])
def test_a_model_that_works(lang: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(good) as stub:
        monkeypatch.setenv("XUANKA_LLM_BASE_URL", stub.url)
        report = {item["check"]: item for item in run_json("doctor", "--lang", lang)["checks"]}
        assert word in report["llm"]["detail"] and report["llm"]["state"] in ("ok", "warn")  # warn: a busy machine is slow
        assert {path for path, _, _ in stub.asked} == {"/v1/chat/completions", "/v1/models"}


@pytest.mark.parametrize(("lang", "word"), [("zh", "API Key"), ("en", "does not accept this API key")])
def test_a_key_that_is_refused(lang: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(bad_key) as stub:
        monkeypatch.setenv("XUANKA_LLM_BASE_URL", stub.url)
        result = run("doctor", "--lang", lang)
        assert result.exit_code == 2 and word in result.stdout and "test-key" not in result.output
        report = run_json("doctor", "--lang", lang, exit_code=2)
    broken = [item for item in report["checks"] if item["state"] == "fail"]
    assert [item["check"] for item in broken] == ["llm"] and broken[0]["way_out"]


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_LLM_BASE_URL", f"http://127.0.0.1:{dead_port()}")
    assert "cannot be reached" in run("doctor", "--lang", "en").stdout


@pytest.mark.parametrize(("llm", "word"), [("qwen-plus", "dashscope:qwen-plus"), ("cohere:x", "pip install langchain-cohere"), ("dashscop:x", "dashscope")])
def test_names_that_cannot_be_opened(llm: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_LLM", llm)
    for lang in ("zh", "en"):
        report = run_json("doctor", "--lang", lang, exit_code=2)
        broken = {item["check"]: item for item in report["checks"] if item["state"] == "fail"}
        assert word in broken["llm"]["detail"] and broken["llm"]["way_out"]


def test_offline_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XUANKA_LLM", "offline")
    with serve(good) as stub:
        monkeypatch.setenv("XUANKA_LLM_BASE_URL", stub.url)
        assert run_json("doctor")["ok"] and stub.asked == []
