"""One line to a model of each kind, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assistant.chat_models.ping import NEEDED_CONTEXT, Ping, ping, say_ping
from assistant.chat_models.refused import ModelRefused
from assistant.settings import Settings
from tests.assistant.chat_models.stub import (
    Body,
    Reply,
    completion,
    dead_port,
    error,
    ollama_message,
    serve,
    streamed,
)

CALL: list[tuple[str, Body]] = [("look_up_card", {"card": "A10"})]
PRINTED = '<tool_call>{"name": "look_up_card", "arguments": {"card": "A10"}}</tool_call>'
STREAM = "text/event-stream"


def listed(*names: str, context: int | None = None) -> Reply:
    """The list of models of a server."""
    rows = [{"id": name, "object": "model", "created": 1, "owned_by": "x", **({"max_model_len": context} if context else {})} for name in names]
    return Reply({"object": "list", "data": rows})


def openai(reply: Reply, *, models: Reply, stream: Reply | None = None) -> Callable[[str, Body], Reply]:
    """A server of OpenAI's interface."""

    def answer(path: str, body: Body) -> Reply:
        if path.endswith("/models"):
            return models
        if body.get("stream"):
            return stream or Reply(streamed({"content": "OK"}), kind=STREAM)
        return reply

    return answer


def ollama(reply: Reply, *, context: int = 40_960) -> Callable[[str, Body], Reply]:
    """Ollama with one model."""

    def answer(path: str, body: Body) -> Reply:
        if path.endswith("/api/tags"):
            return Reply({"models": [{"model": "qwen3:8b", "name": "qwen3:8b"}]})
        if path.endswith("/api/show"):
            return Reply({"model_info": {"qwen3.context_length": context}, "capabilities": ["tools"]})
        return reply if body.get("tools") else Reply(ollama_message("OK"))

    return answer


GOOD = Reply(completion(None, calls=CALL))
MODELS = listed("Qwen/Qwen3-8B", "Qwen/Qwen3-32B", context=32_768)
OLLAMA_GOOD = Reply(ollama_message(calls=CALL))


@pytest.mark.parametrize(
    ("llm", "answer", "kind", "notes", "word"),
    [
        ("vllm:Qwen/Qwen3-8B", openai(GOOD, models=MODELS), None, (), "会调用工具"),
        ("dashscope:qwen-plus", openai(GOOD, models=MODELS, stream=Reply(streamed({"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": {"name": "look_up_card", "arguments": '{"card": "A10"}'}}]}), kind=STREAM)), None, (), "会调用工具"),
        ("ollama:qwen3:8b", ollama(OLLAMA_GOOD), None, (), "会调用工具"),
        ("vllm:m", openai(Reply(completion("A10 has 24 GB.")), models=MODELS), None, ("no_call",), "没有调用工具"),
        ("vllm:m", openai(Reply(completion(PRINTED)), models=MODELS), None, ("calls_as_text",), "写在正文里"),
        ("vllm:m", openai(Reply(completion("<think>hm</think>", calls=CALL)), models=MODELS), None, ("reasoning",), "思考过程"),
        ("vllm:m", openai(Reply(completion("<think>I could " + PRINTED)), models=MODELS), None, ("no_call", "reasoning"), "没有调用工具"),
        ("vllm:Qwen/Qwen3-8B", openai(GOOD, models=listed("Qwen/Qwen3-8B", context=4096)), None, ("small_context",), "4,096"),
        ("ollama:qwen3:8b", ollama(OLLAMA_GOOD, context=8192), None, ("small_context",), "8,192"),
        ("vllm:m", openai(GOOD, models=MODELS, stream=Reply(error("no stream"), 400)), None, ("stream_broken",), "流式"),
        ("vllm:m", openai(GOOD, models=MODELS, stream=Reply(completion("whole"))), None, ("stream_broken",), "流式"),
        ("vllm:m", openai(GOOD, models=Reply(b"", 404)), None, (), "会调用工具"),
        ("vllm:qwen3-8b", openai(Reply(error("The model `qwen3-8b` does not exist."), 404), models=MODELS), "model_not_found", (), "最接近"),
        ("openai:qwen-plus", openai(Reply(error("Incorrect API key", code="invalid_api_key"), 401), models=MODELS), "key", (), "API Key"),
        ("vllm:m", openai(Reply(completion("")), models=MODELS), "empty", (), "空的"),
        ("vllm:m", openai(Reply({"object": "error", "message": '"auto" tool choice requires --enable-auto-tool-choice', "code": 400}, 400), models=MODELS), "tools_unsupported", (), "--enable-auto-tool-choice"),
        ("ollama:gemma", ollama(Reply({"error": "registry.ollama.ai/library/gemma does not support tools"}, 400)), "tools_unsupported", (), "不支持工具调用"),
        ("ollama:qwen3", ollama(Reply({"error": "model 'qwen3' not found"}, 404)), "model_not_found", (), "ollama pull qwen3"),
        ("vllm:m", openai(Reply(completion("x"), wait_s=30), models=MODELS), "timeout", (), "时限"),
        ("vllm:m", openai(Reply(completion("x" * 400), drip_s=0.2), models=MODELS), "timeout", (), "时限"),
    ],
)  # fmt: skip
def test_what_a_ping_finds(llm: str, answer: Callable[[str, Body], Reply], kind: str | None, notes: tuple[str, ...], word: str, made: Callable[..., Settings]) -> None:
    with serve(answer) as stub:
        found = ping(llm, settings=made(llm_base_url=stub.url), seconds=5.0 if kind != "timeout" else 1.0)
        assert all("tool_choice" not in body for body in stub.bodies)
    notes_found = tuple(note for note in found.notes if note != "slow")  # on a busy machine
    assert (found.failure and found.failure.kind, notes_found) == (kind, notes)
    assert found.works is (kind is None and "no_call" not in notes)
    detail, way = say_ping(found, "zh")
    assert word in detail + way and "test-key" not in detail + way
    assert bool(way) is bool(kind or found.notes)
    assert all(say_ping(found, "en")) if way else say_ping(found, "en")[0]


def test_the_nearest_names_are_told(made: Callable[..., Settings]) -> None:
    with serve(openai(Reply(error("model_not_found"), 404), models=listed("qwen-max", "qwen-plus", "text-embedding-v4"))) as stub:
        found = ping("openai:qwen-plux", settings=made(llm_base_url=stub.url))
    assert found.nearest[0] == "qwen-plus" and "qwen-plus" in say_ping(found, "en")[1]


def test_a_known_host_is_spoken_of_as_what_it_is() -> None:
    from assistant.chat_models.failure import ModelFailure

    detail, _ = say_ping(Ping("openai:qwen-plus", 0.1, ModelFailure("key"), provider="dashscope"), "zh")
    assert "XUANKA_LLM_REGION" in detail


def test_nobody_there(made: Callable[..., Settings]) -> None:
    for llm in ("vllm:m", "ollama:m", "dashscope:m"):
        found = ping(llm, settings=made(llm_base_url=f"http://127.0.0.1:{dead_port()}"))
        assert found.failure and found.failure.kind == "unreachable"


def test_what_cannot_be_opened_is_refused(made: Callable[..., Settings]) -> None:
    with pytest.raises(ModelRefused):
        ping("qwen-plus", settings=made())


def test_the_needed_context_is_that_of_instructions_and_tools(made: Callable[..., Settings]) -> None:
    import json

    from langchain_core.utils.function_calling import convert_to_openai_tool

    from assistant.library import open_library
    from assistant.prompts import system_prompt
    from assistant.toolbox import make_toolbox

    tools: list[Any] = make_toolbox(open_library(made(embedder="none")), schemas=True)
    text = system_prompt("zh") + json.dumps([convert_to_openai_tool(tool) for tool in tools], ensure_ascii=False)
    han = sum("一" <= char <= "鿿" for char in text)
    tokens = han + (len(text) - han) / 3
    assert NEEDED_CONTEXT / 4 < tokens < NEEDED_CONTEXT * 2 / 3, "room for findings and an answer is left, and not too much"
