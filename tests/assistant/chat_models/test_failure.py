"""Failures: real wordings of providers through the real client classes, their kinds, and what users are told."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Any, get_args

import pytest

from assistant.chat_models.chat_model import open_chat_model
from assistant.chat_models.failure import Kind, ModelFailure, clean_detail, failure_of, say_failure
from assistant.settings import Settings
from tests.assistant.chat_models.stub import Body, Reply, completion, dead_port, error, serve

HTML = b"<!doctype html><html><head><title>Sign in</title></head></html>"
PLAIN = "text/plain"
VLLM_LONG = (
    "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the "
    "completion). Please reduce the length of the messages or completion."
)

# status, body, kind
REPLIES: list[tuple[int, Body | bytes, Kind]] = [
    (401, error("Incorrect API key provided. For details, see: https://help.aliyun.com/zh/model-studio/error-code", code="invalid_api_key"), "key"),
    (401, error("Incorrect API key provided: test-key. You can find your API key at https://platform.openai.com/account/api-keys."), "key"),
    (401, error("Authentication Fails, Your api key: ****-key is invalid", kind="authentication_error"), "key"),
    (401, {"error": "Unauthorized"}, "key"),
    (403, error("Model access denied.", code="Model.AccessDenied"), "forbidden"),
    (403, error("Country, region, or territory not supported", code="unsupported_country_region_territory"), "forbidden"),
    (403, error('The free tier of the model has been exhausted. Disable the "use free tier only" mode.', code="AllocationQuota.FreeTierOnly"), "quota"),
    (400, error("Access denied, please make sure your account is in good standing.", code="Arrearage", kind="Arrearage"), "quota"),
    (402, error("Insufficient Balance"), "quota"),
    (429, error("You exceeded your current quota, please check your plan and billing details.", code="insufficient_quota"), "quota"),
    (429, error("Requests rate limit exceeded, please try again later.", code="limit_requests"), "rate_limited"),
    (429, error("Allocated quota exceeded, please increase your quota limit.", code="Throttling.AllocationQuota"), "rate_limited"),
    (404, error("The model `qwen-plux` does not exist or you do not have access to it.", code="model_not_found"), "model_not_found"),
    (404, {"object": "error", "message": "The model `x` does not exist.", "type": "NotFoundError", "param": None, "code": 404}, "model_not_found"),
    (404, {"error": "model 'qwen3:8b' not found"}, "model_not_found"),
    (400, error("Model Not Exist"), "model_not_found"),
    (404, {"detail": "Not Found"}, "wrong_url"),
    (404, b"404 page not found", "wrong_url"),
    (405, {"detail": "Method Not Allowed"}, "wrong_url"),
    (400, {"object": "error", "message": VLLM_LONG, "type": "BadRequestError", "code": 400}, "context_overflow"),
    (400, error("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]", code="invalid_parameter_error"), "context_overflow"),
    (400, error("the request exceeds the available context size, try increasing it", kind="exceed_context_size_error"), "context_overflow"),
    (400, error("The input (40000 tokens) is longer than the model's context length (32768 tokens)."), "context_overflow"),
    (400, error("Trying to keep the first 5000 tokens when context the overflows."), "context_overflow"),
    (413, b"<html><body>413 Request Entity Too Large</body></html>", "context_overflow"),
    (400, error("<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 2000]"), "max_tokens"),
    (400, {"object": "error", "message": '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', "code": 400}, "tools_unsupported"),
    (400, {"error": "registry.ollama.ai/library/gemma:2b does not support tools"}, "tools_unsupported"),
    (500, error("tools param requires --jinja flag", kind="server_error"), "tools_unsupported"),
    (400, error("parameter.enable_thinking must be set to false for non-streaming calls", code="invalid_parameter_error"), "thinking"),
    (400, error("The tool_choice parameter does not support being set to required or object in thinking mode"), "thinking"),
    (400, error("The `reasoning_content` in the thinking mode must be passed back to the API."), "thinking"),
    (400, {"error": '"llama3" does not support thinking'}, "thinking"),
    (400, error("Output data may contain inappropriate content.", code="data_inspection_failed"), "content_filter"),
    (400, error("Content Exists Risk"), "content_filter"),
    (400, error("Unrecognized request argument supplied: foo"), "bad_request"),
    (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, "bad_request"),
    (500, error("Internal server error"), "server"),
    (502, b"<html><h1>502 Bad Gateway</h1></html>", "server"),
    (503, error("The server is overloaded"), "server"),
    (504, b"upstream request timeout", "timeout"),
    (200, HTML, "garbage"),
    (200, b'{"id": ', "garbage"),
    (200, {"id": "x"}, "garbage"),
    (200, {"choices": []}, "garbage"),
    (200, {"choices": None}, "garbage"),
    (200, {"choices": [{"index": 0}]}, "garbage"),
]


@pytest.mark.parametrize("llm", ["vllm:m", "dashscope:m", "ollama:m"])
def test_what_servers_say(llm: str, made: Callable[..., Settings]) -> None:
    fast = {"retry-after-ms": "5"}
    current: list[Reply] = []
    with serve(lambda path, body: current[0]) as stub:
        model = open_chat_model(llm, settings=made(llm_base_url=stub.url))
        for status, body, kind in REPLIES:
            html = isinstance(body, bytes) and b"<" in body
            current[:] = [Reply(body, status, fast, kind="text/html" if html else PLAIN if isinstance(body, bytes) and status > 200 else "application/json")]
            with pytest.raises(Exception) as raised:
                model.invoke("x")
            failure = failure_of(raised.value)
            assert failure.kind == kind, (llm, status, body, raised.value)
            assert "test-key" not in failure.detail and "<" not in failure.detail and len(failure.detail) <= 160


@pytest.mark.parametrize("llm", ["vllm:m", "dashscope:m", "ollama:m"])
def test_servers_that_say_nothing(llm: str, made: Callable[..., Settings]) -> None:
    def kind_of(settings: Settings) -> Kind:
        with pytest.raises(Exception) as raised:
            open_chat_model(llm, settings=settings).invoke("x")
        return failure_of(raised.value).kind

    assert kind_of(made(llm_base_url=f"http://127.0.0.1:{dead_port()}")) == "unreachable"
    with serve(lambda path, body: Reply(completion("late"), wait_s=20)) as stub:
        assert kind_of(made(llm_base_url=stub.url, llm_timeout_s=0.2)) == "timeout"
    with serve(lambda path, body: Reply(b"", 302, {"location": "/elsewhere"})) as stub:
        assert kind_of(made(llm_base_url=stub.url)) == "wrong_url"


def test_failures_of_the_agent_and_of_no_client() -> None:
    import httpx
    from langchain.agents.middleware.model_call_limit import ModelCallLimitExceededError
    from langgraph.errors import GraphRecursionError

    from assistant.turn.context import TurnOver

    limit = ModelCallLimitExceededError(thread_count=1, run_count=7, thread_limit=None, run_limit=6)
    assert failure_of(GraphRecursionError("Recursion limit of 25 reached")) == ModelFailure("loop")
    assert failure_of(limit) == ModelFailure("loop")
    assert failure_of(TurnOver()) == ModelFailure("over_time")
    assert failure_of(TimeoutError()).kind == "timeout"
    assert failure_of(httpx.RemoteProtocolError("Server disconnected without sending a response.")).kind == "broken_off"
    assert failure_of(httpx.RemoteProtocolError("illegal status line: bytearray(b'SSH-2.0')")).kind == "garbage"
    assert failure_of(ConnectionRefusedError("refused")).kind == "unreachable"
    assert failure_of(ValueError("No generations found in stream.")).kind == "empty"
    assert failure_of(ExceptionGroup("several", [ValueError("x"), TimeoutError()])).kind == "timeout"
    assert failure_of(ZeroDivisionError("of sk-abcdefghijkl")) == ModelFailure("unknown", "ZeroDivisionError")
    assert failure_of(KeyboardInterrupt()).kind == "unknown"


class Sly(Exception):
    """An error that cannot say what it is, and whose cause is itself."""

    def __str__(self) -> str:
        raise RuntimeError("no")


def test_errors_that_are_hard_to_read() -> None:
    sly = Sly()
    sly.__cause__ = sly
    assert failure_of(sly).kind == "unknown"
    long: Exception = ValueError("x" * 10_000_000)
    for _ in range(50):
        outer = RuntimeError("outer")
        outer.__cause__ = long
        long = outer
    assert failure_of(long).kind == "unknown"


@pytest.mark.parametrize(
    ("text", "kept", "gone"),
    [
        ("Incorrect API key provided: sk-proj-AbC123def456.", "Incorrect", "AbC123"),
        ("header Authorization: Bearer abc.def.ghi was refused", "refused", "abc.def"),
        ("x-api-key=my-own-secret is wrong", "is wrong", "my-own-secret"),
        ("http://me:hunter2@box/v1 refused", "refused", "hunter2"),
        ("token 0123456789abcdef0123456789abcdef0123 expired", "expired", "0123456789abcdef"),
        ("bad \x1b[31mcolour\x1b[0m\r\nand\x00 line\u202e", "bad colour and line", "\x1b"),
        ("<h1>Bad</h1> <script>alert(1)</script>", "Bad", "<"),
        ("模型不存在，请检查", "模型不存在，请检查", "\n"),
        ("<" * 100_000, "", "\n"),
    ],
)
def test_details_are_fit_to_be_shown(text: str, kept: str, gone: str) -> None:
    shown = clean_detail(text)
    assert kept in shown and gone not in shown and len(shown) <= 160 and shown.isprintable()


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_is_said_in_one_sentence(kind: Kind) -> None:
    for llm in ("dashscope:qwen-plus", "ollama:qwen3:8b", "vllm:Qwen/Qwen3-8B", "openai:{x}", "nonsense"):
        for failure in (ModelFailure(kind), ModelFailure(kind, "it said {so} %s.")):
            zh, en = (say_failure(failure, llm=llm, language=language) for language in ("zh", "en"))
            assert zh.endswith("。") and re.search("[一-鿿]", zh) and en.endswith(".") and not re.search("[一-鿿]", en.replace("百炼", ""))
            assert "\n" not in zh + en and len(en) < 520


def test_what_is_said_fits_the_provider() -> None:
    def said(kind: Kind, llm: str, **more: Any) -> str:
        return say_failure(ModelFailure(kind), llm=llm, language="zh", **more)

    assert "XUANKA_LLM_REGION" in said("key", "qwen:qwen-plus")
    assert "XUANKA_LLM_REGION" not in said("key", "deepseek:deepseek-chat")
    assert "XUANKA_LLM_REGION" in said("key", "openai:qwen-plus", provider="dashscope")
    assert "ollama pull qwen3:8b" in said("model_not_found", "ollama:qwen3:8b")
    assert "--enable-auto-tool-choice" in said("tools_unsupported", "vllm:m") and "--jinja" in said("tools_unsupported", "llama.cpp:m")
    assert "（服务端的说法：boom）" in say_failure(ModelFailure("server", "boom."), llm="vllm:m", language="zh")


def test_rules_name_kinds_that_exist() -> None:
    table = tomllib.loads(files("assistant").joinpath("chat_models", "failure.toml").read_text(encoding="utf-8"))
    assert {rule["kind"] for rule in table["rule"]} <= set(get_args(Kind))
    assert set(table["say"]) == set(get_args(Kind))
    assert all(word == word.lower() for rule in table["rule"] for word in rule.get("words", ()))
