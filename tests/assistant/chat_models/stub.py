"""A small server on 127.0.0.1 that answers as a provider would, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """One HTTP reply. `body`: bytes as they are, a dict as JSON, a list as server-sent events or JSON lines."""

    body: bytes | Body | list[Any] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    drip_s: float = 0.0
    kind: str = "application/json"


@dataclass
class Stub:
    """`answer` makes the reply of a request; the requests so far stand in `asked`."""

    url: str
    asked: list[tuple[str, Body, dict[str, str]]] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)

    @property
    def bodies(self) -> list[Body]:
        """Bodies of the requests for a completion."""
        return [body for path, body, _ in self.asked if body and path.endswith(("/completions", "/chat"))]


@contextmanager
def serve(answer: Callable[[str, Body], Reply]) -> Iterator[Stub]:
    """A running server; `url` has no path."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._reply({})

        def do_POST(self) -> None:
            self._reply(json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}"))

        def _reply(self, body: Body) -> None:
            stub.asked.append((self.path, body, dict(self.headers.items())))
            reply = answer(self.path, body)
            stub.closed.wait(reply.wait_s)
            data = _encoded(reply, sse=self.path.endswith("/completions"))
            try:
                self.send_response(reply.status)
                for name, value in {"Content-Type": reply.kind, "Content-Length": str(len(data)), **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                for start in range(0, len(data), 8) if reply.drip_s else ():
                    self.wfile.write(data[start : start + 8])
                    self.wfile.flush()
                    if stub.closed.wait(reply.drip_s):
                        return
                if not reply.drip_s:
                    self.wfile.write(data)
            except OSError:  # the client has gone
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub = Stub(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.closed.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _encoded(reply: Reply, *, sse: bool) -> bytes:
    if isinstance(reply.body, bytes):
        return reply.body
    if isinstance(reply.body, dict):
        return json.dumps(reply.body).encode()
    if sse:
        return "".join(f"data: {json.dumps(item)}\n\n" for item in reply.body).encode() + b"data: [DONE]\n\n"
    return "".join(f"{json.dumps(item)}\n" for item in reply.body).encode()


def dead_port() -> int:
    """A port of this machine that nobody listens on."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def completion(content: str | None = "", *, calls: list[tuple[str, Body]] | None = None, **message: Any) -> Body:
    """A reply of the chat completions interface."""
    called = [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for number, (name, args) in enumerate(calls or [])
    ]
    whole = {"role": "assistant", "content": content, **({"tool_calls": called} if called else {}), **message}
    choice = {"index": 0, "finish_reason": "tool_calls" if called else "stop", "message": whole}
    return {"id": "c1", "object": "chat.completion", "model": "m", "choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}}


def streamed(*deltas: Body) -> list[Body]:
    """The same as events of a stream."""
    chunks = [{"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    last = {"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return [*chunks, last, {"id": "c1", "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}}]


def error(message: str, *, code: str | None = None, kind: str = "invalid_request_error") -> Body:
    """An error as OpenAI's interface words it."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def ollama_message(content: str = "", *, calls: list[tuple[str, Body]] | None = None, **more: Any) -> list[Body]:
    """A reply of Ollama's own interface, as it streams."""
    called = [{"function": {"name": name, "arguments": args}} for name, args in calls or []]
    first = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": content, "tool_calls": called, **more}, "done": False}
    last = {"model": "m", "created_at": "2026-01-01T00:00:01Z", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 5, "eval_count": 3}
    return [first, last]


