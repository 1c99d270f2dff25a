"""ChatOpenAI for servers that are compatible with OpenAI's interface, each in its own way. Imports langchain_openai: load it late.

What ChatOpenAI sends and such servers mind: `max_completion_tokens` (unknown before September 2024), `content: null` beside tool
calls (templates fail on it), and no reasoning with the results of calls (DeepSeek answers 400 without it).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import DefaultHttpxClient
from pydantic import PrivateAttr

KEPT = 256
"""Tool calls whose reasoning is kept, newest last."""


class CompatibleChat(ChatOpenAI):
    """ChatOpenAI whose requests suit a server of another maker."""

    max_tokens_field: str = "max_tokens"
    reasoning_back: bool = False
    _reasons: OrderedDict[str, str] = PrivateAttr(default_factory=OrderedDict)

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        if "max_completion_tokens" in payload:
            payload[self.max_tokens_field] = payload.pop("max_completion_tokens")
        for message in payload.get("messages", ()):
            message.pop("name", None)
            if message.get("content") is None:
                message["content"] = ""
            if message["role"] == "developer":
                message["role"] = "system"
            calls = message.get("tool_calls")
            if calls and (reason := self._reasons.get(calls[0].get("id"))):
                message["reasoning_content"] = reason
        return payload

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        result = super()._create_chat_result(response, generation_info)
        if self.reasoning_back and result.generations:
            choices = getattr(response, "choices", None) or [None]
            reason = getattr(getattr(choices[0], "message", None), "reasoning_content", None)
            self._keep(result.generations[0].message, reason)
        return result

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        choices = chunk.get("choices") if self.reasoning_back else None
        reason = (choices[0].get("delta") or {}).get("reasoning_content") if choices else None
        if made is not None and reason:
            made.message.additional_kwargs["reasoning_content"] = reason
        return made

    def _stream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: CallbackManagerForLLMRun | None = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        whole: Any = None
        for chunk in super()._stream(messages, stop=stop, run_manager=run_manager, **kwargs):
            if self.reasoning_back:
                whole = chunk.message if whole is None else whole + chunk.message
            yield chunk
        if whole is not None:
            self._keep(whole, whole.additional_kwargs.get("reasoning_content"))

    def _keep(self, message: BaseMessage, reason: object) -> None:
        """Keeps the reasoning of a message that calls tools: the message itself loses it before it enters a conversation."""
        calls = message.tool_calls if isinstance(message, AIMessage) else []
        if not isinstance(reason, str) or not calls or not calls[0]["id"]:
            return
        self._reasons[calls[0]["id"]] = reason
        while len(self._reasons) > KEPT:
            self._reasons.popitem(last=False)


class HttpClient(DefaultHttpxClient):
    """Closes its connections when nobody holds it any more, as the client that openai makes by itself does."""

    def __del__(self) -> None:
        with suppress(Exception):  # at the end of a process half of it may be gone
            self.close()


class NotAChatReply(ValueError):
    """A page, or a single JSON text where a stream was asked for: the client would take it for an empty stream."""


def check_type(response: Any) -> None:
    """A hook on responses: raises NotAChatReply for a successful one that is none."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if response.status_code != 200 or response.request.method != "POST" or kind not in ("text/html", "application/json"):
        return
    if kind == "text/html" or b'"stream":true' in response.request.content.replace(b" ", b""):
        response.read()
        raise NotAChatReply(f"{kind}: {response.text[:1000]}")


def impatient(seconds: float) -> Callable[[Any], None]:
    """A hook on responses: a server that asks for a longer wait than this is not asked again."""

    def hook(response: Any) -> None:
        if response.status_code in (429, 503) and _wished_wait(response.headers) > seconds:
            response.headers["x-should-retry"] = "false"

    return hook


def _wished_wait(headers: Any) -> float:
    """Seconds of `retry-after-ms` or `retry-after` (a number or a date); 0 if neither can be read."""
    try:
        if "retry-after-ms" in headers:
            return float(headers["retry-after-ms"]) / 1000
        return float(headers.get("retry-after", 0))
    except ValueError:
        pass
    try:
        return (parsedate_to_datetime(headers["retry-after"]) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return 0.0
