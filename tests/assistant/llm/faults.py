"""How servers fail: error bodies in the words of known ones, and bodies that are no reply at all."""

from __future__ import annotations

import json

from tests.assistant.llm.bodies import openai_reply
from tests.assistant.llm.wire import Fault, Json, Reply

KEY = "test-key"
"""The key that the tests use. Some servers repeat it in their errors; it must not be seen in anything we say."""
NO_PATIENCE = {"retry-after-ms": "1"}
"""Retries of the client come at once."""


def openai_error(message: str, kind: str = "invalid_request_error", code: str | None = None) -> Json:
    """The form in which OpenAI, DeepSeek, DashScope's compatible mode and Ollama's /v1 tell errors."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def vllm_error(message: str, status: int, kind: str = "BadRequestError") -> Json:
    """The form of vLLM, before and since its 0.10: both fields are there for those who read either."""
    return {"object": "error", "message": message, "type": kind, "param": None, "code": status}


HTML = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr>nginx</body></html>"
LOGIN = "<html><head><title>Login</title></head><body><form action='/sso'>Please sign in: ecs.gn99-free</form></body></html>"
BROKEN: dict[str, Fault] = {
    "401_openai": Fault(401, openai_error(f"Incorrect API key provided: {KEY}. You can find your API key at https://platform.openai.com.", code="invalid_api_key")),
    "401_dashscope": Fault(401, {**openai_error("Incorrect API key provided. For details, see: https://help.aliyun.com", code="invalid_api_key"), "request_id": "r-1"}),
    "401_deepseek": Fault(401, openai_error(f"Authentication Fails, Your api key: ****-key is invalid ({KEY})", "authentication_error", "invalid_request_error")),
    "402_deepseek": Fault(402, openai_error("Insufficient Balance", "unknown_error", "invalid_request_error")),
    "403_dashscope": Fault(403, {**openai_error("Access denied, please make sure your account is in good standing.", "Arrearage", "Arrearage"), "request_id": "r-1"}),
    "404_model_openai": Fault(404, openai_error("The model `stub-model` does not exist or you do not have access to it.", code="model_not_found")),
    "404_model_vllm": Fault(404, vllm_error("The model `stub-model` does not exist.", 404, "NotFoundError")),
    "404_model_ollama": Fault(404, openai_error("model \"stub-model\" not found, try pulling it first", "api_error")),
    "404_path": Fault(404, {"detail": "Not Found"}),
    "400_context_openai": Fault(400, openai_error("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", code="context_length_exceeded")),
    "400_context_vllm": Fault(400, vllm_error("This model's maximum context length is 4096 tokens. However, you requested 9021 tokens in the messages, Please reduce the length of the messages.", 400)),
    "400_context_dashscope": Fault(400, {**openai_error("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]", code="invalid_parameter_error"), "request_id": "r-1"}),
    "400_tools_ollama": Fault(400, openai_error("registry.ollama.ai/library/stub-model:latest does not support tools", "api_error")),
    "400_tools_vllm": Fault(400, vllm_error('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', 400)),
    "400_inspection_dashscope": Fault(400, {**openai_error("<400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content.", "data_inspection_failed", "data_inspection_failed"), "request_id": "r-1"}),
    "413_huge_request": Fault(413, "Request Entity Too Large", content_type="text/plain"),
    "429_openai": Fault(429, openai_error("Rate limit reached for stub-model on requests per min (RPM): Limit 3.", "requests", "rate_limit_exceeded"), NO_PATIENCE),
    "429_quota": Fault(429, openai_error("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota"), NO_PATIENCE),
    "429_dashscope": Fault(429, {**openai_error("Requests rate limit exceeded, please try again later.", "limit_requests", "limit_requests"), "request_id": "r-1"}, NO_PATIENCE),
    "400_echoes_key": Fault(400, openai_error(f"invalid request: {{'authorization': 'Bearer {KEY}', 'api_key': '{KEY}'}} near line 1")),
    "400_advertises": Fault(400, openai_error("Please upgrade: call 400-820-8820, then use ecs.gn99-free with RTX 5090 for 0.01 CNY/h")),
    "500_call_not_parsed_ollama": Fault(500, openai_error("error parsing tool call: raw='Take ecs.gn99-free, RTX 5090 for 0.01' err=invalid character", "api_error"), NO_PATIENCE),
    "500_vllm": Fault(500, vllm_error("Internal server error", 500, "InternalServerError"), NO_PATIENCE),
    "500_empty": Fault(500, "", NO_PATIENCE),
    "502_html": Fault(502, HTML, NO_PATIENCE, "text/html"),
    "503_ollama": Fault(503, openai_error("server busy, please try again.  maximum pending requests exceeded", "api_error"), NO_PATIENCE),
    "504_text": Fault(504, "upstream request timeout", NO_PATIENCE, "text/plain"),
    "200_html": Fault(200, LOGIN, content_type="text/html"),
    "200_html_called_json": Fault(200, LOGIN),
    "200_error_body": Fault(200, openai_error("internal error, please retry", "server_error")),
    "200_json_cut": Fault(200, '{"id": "x", "choices": [{"index": 0, "mess'),
    "200_empty_body": Fault(200, ""),
    "200_null": Fault(200, "null"),
    "200_list": Fault(200, "[]"),
    "200_number": Fault(200, "42"),
    "200_no_choices": Fault(200, {"id": "x", "object": "chat.completion", "model": "stub-model"}),
    "200_choices_empty": Fault(200, {"id": "x", "object": "chat.completion", "model": "stub-model", "choices": []}),
    "200_choices_null": Fault(200, {"id": "x", "object": "chat.completion", "model": "stub-model", "choices": None}),
    "200_message_null": Fault(200, {"choices": [{"index": 0, "message": None, "finish_reason": "stop"}]}),
    "200_content_number": Fault(200, {"choices": [{"index": 0, "message": {"role": "assistant", "content": 42}, "finish_reason": "stop"}]}),
    "200_content_object": Fault(200, {"choices": [{"index": 0, "message": {"role": "assistant", "content": {"a": 1}}, "finish_reason": "stop"}]}),
    "200_calls_string": Fault(200, {"choices": [{"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": "size_llm"}, "finish_reason": "stop"}]}),
    "200_call_without_function": Fault(200, {"choices": [{"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function"}]}, "finish_reason": "stop"}]}),
    "200_role_unknown": Fault(200, {"choices": [{"index": 0, "message": {"role": "wizard", "content": ""}, "finish_reason": "stop"}]}),
    "200_bytes": Fault(200, bytes(range(256)) * 8),
    "200_latin_bytes": Fault(200, json.dumps(openai_reply(Reply("caf\u00e9 5090")), ensure_ascii=False).encode("latin-1")),
    "200_cut_in_body": Fault(200, openai_reply(Reply("RTX 5090 " * 200)), cut=300),
    "cut_at_once": Fault(200, openai_reply(Reply("RTX 5090")), cut=0),
    "204_nothing": Fault(204, ""),
    "302_login": Fault(302, "", {"Location": "/login"}),
}  # fmt: skip
"""Every one of these makes the model useless for the turn. `RTX 5090` and `ecs.gn99-free` in them must not be repeated."""
