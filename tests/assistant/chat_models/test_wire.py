"""What the real client classes send to servers of each kind, and what they make of the replies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from assistant.chat_models.chat_model import open_chat_model
from assistant.settings import Settings
from tests.assistant.chat_models.stub import (
    Body,
    Reply,
    completion,
    error,
    ollama_message,
    serve,
    streamed,
)

TOOL = {"type": "function", "function": {"name": "size", "description": "Sizes.", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}}
CALL: Any = {"name": "size", "args": {"n": 1}, "id": "call_0", "type": "tool_call"}
TALK: list[BaseMessage] = [
    SystemMessage("system"),
    HumanMessage("question", name="somebody"),
    AIMessage("", tool_calls=[CALL]),
    ToolMessage("result", tool_call_id="call_0", name="size"),
]
PIECES: list[Body] = [
    {"role": "assistant", "content": None, "tool_calls": [{"index": 0, "id": "call_9", "type": "function", "function": {"name": "size", "arguments": ""}}]},
    {"tool_calls": [{"index": 0, "id": "", "type": "function", "function": {"name": "", "arguments": '{"n"'}}]},
    {"tool_calls": [{"index": 0, "id": "", "function": {"name": None, "arguments": ": 3}"}}]},
]


def good(path: str, body: Body) -> Reply:
    """Calls the tool, in a stream if one is asked for."""
    if path.endswith("/api/chat"):
        return Reply(ollama_message(calls=[("size", {"n": 3})]))
    if body.get("stream"):
        return Reply(streamed(*PIECES), kind="text/event-stream")
    return Reply(completion(None, calls=[("size", {"n": 3})], reasoning_content="because"))


def sent(llm: str, settings: Callable[..., Settings], **given: Any) -> tuple[Body, AIMessage]:
    """The body of the one request, and the reply."""
    with serve(good) as stub:
        model = open_chat_model(llm, settings=settings(llm_base_url=stub.url, **given))
        reply = model.bind_tools([TOOL]).invoke(TALK)
        assert len(stub.asked) == 1
        return stub.bodies[0], reply


ALLOWED = {"model", "messages", "tools", "stream", "temperature", "max_tokens"}


@pytest.mark.parametrize("llm", ["openai:m", "vllm:Qwen/Qwen3-8B", "sglang:m", "lmstudio:m", "llamacpp:m", "siliconflow:m"])
def test_strict_servers_see_nothing_unusual(llm: str, made: Callable[..., Settings]) -> None:
    body, reply = sent(llm, made)
    assert set(body) == ALLOWED, "no tool_choice, no parallel_tool_calls, no stream_options, no max_completion_tokens"
    assert body["model"] == llm.partition(":")[2] and body["max_tokens"] == 4096 and body["temperature"] == 0.1
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "tool"]
    assert all(isinstance(message["content"], str) and "name" not in message for message in body["messages"])
    assert reply.tool_calls[0]["args"] == {"n": 3} and reply.usage_metadata


def test_model_studio_is_asked_for_a_stream(made: Callable[..., Settings]) -> None:
    body, reply = sent("dashscope:qwen-plus", made)
    assert set(body) == {*ALLOWED, "stream_options"} and body["stream"] is True
    assert [(call["name"], call["args"], call["id"]) for call in reply.tool_calls] == [("size", {"n": 3}, "call_9")]
    assert reply.usage_metadata and reply.usage_metadata["total_tokens"] == 8


@pytest.mark.parametrize(
    ("llm", "thinking", "extra"),
    [
        ("dashscope:qwen3-8b", "on", {"enable_thinking": True}),
        ("dashscope:qwen3-8b", "off", {"enable_thinking": False}),
        ("dashscope:qwen3-8b", "auto", {}),
        ("deepseek:deepseek-chat", "auto", {"thinking": {"type": "disabled"}}),
        ("deepseek:deepseek-chat", "on", {"thinking": {"type": "enabled"}}),
        ("vllm:m", "off", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("llamacpp:m", "on", {"chat_template_kwargs": {"enable_thinking": True}}),
        ("lmstudio:m", "on", {}),
        ("openai:m", "off", {}),
    ],
)
def test_thinking_is_switched_as_each_provider_knows_it(llm: str, thinking: str, extra: Body, made: Callable[..., Settings]) -> None:
    body, _ = sent(llm, made, llm_thinking=thinking)
    assert {key: value for key, value in body.items() if key not in {*ALLOWED, "stream_options"}} == extra


@pytest.mark.parametrize(("model", "temperature", "effort"), [("gpt-4.1-mini", 0.1, None), ("o4-mini", None, "low"), ("gpt-5", None, "low")])
def test_openai_itself_is_asked_as_it_wants(model: str, temperature: float | None, effort: str | None, made: Callable[..., Settings]) -> None:
    chat: Any = open_chat_model(f"openai:{model}", settings=made(llm_thinking="off"))
    body = chat._get_request_payload(TALK)
    assert body["max_completion_tokens"] == 4096 and "max_tokens" not in body
    assert (body.get("temperature"), body.get("reasoning_effort")) == (temperature, effort)


@pytest.mark.parametrize("stream", [False, True])
def test_deepseek_gets_its_reasoning_back(stream: bool, made: Callable[..., Settings]) -> None:
    def answer(path: str, body: Body) -> Reply:
        if body.get("stream"):
            return Reply(streamed({"reasoning_content": "be"}, {"reasoning_content": "cause"}, *PIECES), kind="text/event-stream")
        return good(path, body)

    with serve(answer) as stub:
        model: Any = open_chat_model("deepseek:deepseek-chat", settings=made(llm_base_url=stub.url, llm_thinking="on"))
        model.streaming = stream
        reply = model.bind_tools([TOOL]).invoke(TALK[:2])
        call = reply.tool_calls[0]
        bare = AIMessage("", tool_calls=[call])  # what enters a conversation has no reasoning
        model.invoke([*TALK[:2], bare, ToolMessage("result", tool_call_id=call["id"])])
        assert stub.bodies[1]["messages"][2]["reasoning_content"] == "because"
        model.invoke(TALK[:2])
        assert not any("reasoning_content" in message for message in stub.bodies[2]["messages"])


@pytest.mark.parametrize(("thinking", "think"), [("auto", None), ("on", True), ("off", False)])
def test_ollama_is_asked_for_a_long_context(thinking: str, think: bool | None, made: Callable[..., Settings]) -> None:
    body, reply = sent("ollama:qwen3:8b", made, llm_thinking=thinking)
    assert body["model"] == "qwen3:8b" and body.get("think") == think
    assert body["options"]["num_ctx"] == 16_384 and body["options"]["num_predict"] == 4096
    assert reply.tool_calls[0]["args"] == {"n": 3}


def test_keys_stand_in_the_header_and_nowhere_else(made: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-somebody")
    for llm in ("vllm:m", "dashscope:m", "ollama:m"):
        with serve(good) as stub:
            open_chat_model(llm, settings=made(llm_base_url=stub.url)).invoke("x")
            path, body, headers = stub.asked[0]
            assert headers.get("authorization", headers.get("Authorization")) == "Bearer test-key"
            assert "of-somebody" not in str(headers) and "test-key" not in f"{path} {body}"


def test_one_more_try_and_no_longer_wait_than_is_sensible(made: Callable[..., Settings]) -> None:
    for headers, tries in (({"retry-after-ms": "20"}, 2), ({"retry-after": "0"}, 2), ({"retry-after": "30"}, 1), ({"retry-after": "Wed, 01 Jan 2098 00:00:00 GMT"}, 1)):
        with serve(lambda path, body, headers=headers: Reply(error("slow down"), 429, headers)) as stub:  # type: ignore[misc]
            with pytest.raises(Exception, match="slow down"):
                open_chat_model("vllm:m", settings=made(llm_base_url=stub.url)).invoke("x")
            assert len(stub.asked) == tries, headers


def test_nothing_is_asked_of_anybody_when_a_model_is_opened(made: Callable[..., Settings]) -> None:
    with serve(good) as stub:
        for llm in ("openai:m", "dashscope:m", "deepseek:m", "ollama:m"):
            open_chat_model(llm, settings=made(llm_base_url=stub.url))
        assert stub.asked == []
