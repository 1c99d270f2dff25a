"""The bodies in which servers say a reply, and the messages of a request in one form."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.assistant.llm.wire import MODEL, Json, Reply

PIECE = 7
"""Characters of one piece of a stream."""


def openai_reply(reply: Reply) -> Json:
    """A whole reply, with the reasoning where DeepSeek, DashScope and vLLM put it."""
    message: Json = {"role": "assistant", "content": reply.text}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.uses:
        message["tool_calls"] = [
            {"id": f"call_{n}", "type": "function", "function": {"name": use.name, "arguments": use.text}} for n, use in enumerate(reply.uses)
        ]
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason, "logprobs": None}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": MODEL, "choices": [choice], "usage": _usage(reply)}


def openai_stream(reply: Reply, *, usage: bool) -> Iterator[bytes]:
    """The same in pieces, as server-sent events. Where the connection is to break (`done=False`) the last events are left out."""
    yield _event({"role": "assistant", "content": "" if reply.text is not None else None})
    yield from (_event({"content": None, "reasoning_content": piece}) for piece in _pieces(reply.reasoning))
    yield from (_event({"content": piece}) for piece in _pieces(reply.text or ""))
    for n, use in enumerate(reply.uses):
        yield _event({"tool_calls": [{"index": n, "id": f"call_{n}", "type": "function", "function": {"name": use.name, "arguments": ""}}]})
        yield from (_event({"tool_calls": [{"index": n, "function": {"arguments": piece}}]}) for piece in _pieces(use.text))
    if not reply.done:
        return
    yield _event({}, finish=reply.finish_reason)
    if usage:
        yield _line({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": MODEL, "choices": [], "usage": _usage(reply)})
    yield b"data: [DONE]\n\n"


def ollama_lines(reply: Reply, *, streamed: bool) -> Iterator[bytes]:
    """A reply as Ollama says it: JSON lines, arguments as objects, reasoning as `thinking`."""
    uses = [{"function": {"name": use.name, "arguments": use.arguments if isinstance(use.arguments, dict) else json.loads(use.text)}} for use in reply.uses]
    words = _pieces(reply.text or "") if streamed else [reply.text or ""]
    if reply.reasoning:
        yield _ollama({"role": "assistant", "content": "", "thinking": reply.reasoning})
    if uses:
        yield _ollama({"role": "assistant", "content": "", "tool_calls": uses})
    yield from (_ollama({"role": "assistant", "content": piece}) for piece in words)
    end = {"done": True, "done_reason": "stop", "prompt_eval_count": reply.tokens[0], "eval_count": reply.tokens[1]}
    yield _ollama({"role": "assistant", "content": ""}, **end)


def plain_messages(messages: list[Json]) -> list[Json]:
    """The messages with content as text, whether it was sent as text, as parts, or not at all."""
    return [{**message, "content": _text(message.get("content"))} for message in messages]


def _text(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return "" if content is None else str(content)


def _usage(reply: Reply) -> Json:
    asked, said = reply.tokens
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]


def _event(delta: Json, *, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _line({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": MODEL, "choices": [choice]})


def _line(data: Json) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _ollama(message: Json, **more: object) -> bytes:
    line = {"model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": message, "done": False, **more}
    return (json.dumps(line, ensure_ascii=False) + "\n").encode()
