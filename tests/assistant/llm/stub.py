"""A language model's server on this machine: the OpenAI way (plain and streamed) and Ollama's, played by a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.assistant.llm.bodies import ollama_lines, openai_reply, openai_stream, plain_messages
from tests.assistant.llm.wire import MODEL, Asked, Fault, Json, Reply, Said, Script

SLICE_S = 0.05
"""How often a slow answer looks whether the server is closing."""


@dataclass
class Stub:
    """The open server. `asked` records every request for a reply, in order of arrival."""

    script: Script
    asked: list[Asked] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    port: int = 0

    @property
    def url(self) -> str:
        """Base URL of the OpenAI interface."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def root(self) -> str:
        """Base URL of Ollama's interface."""
        return f"http://127.0.0.1:{self.port}"

    def begin(self, script: Script) -> None:
        """Another script from now on, and nothing asked yet."""
        with self.lock:
            self.script, self.asked = script, []

    def reply(self, path: str, headers: dict[str, str], body: Json) -> tuple[Asked, Said]:
        """Records a request and asks the script for what is said to it."""
        with self.lock:
            asked = Asked(len(self.asked), path, headers, body)
            self.asked.append(asked)
            script = self.script
        return asked, script(asked)


@contextmanager
def open_stub(script: Script) -> Iterator[Stub]:
    """Serves the script on a free port of 127.0.0.1 until the block ends; answers that are still on their way are dropped."""
    stub = Stub(script)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(stub))
    server.daemon_threads, server.block_on_close = True, False
    stub.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(stub: Stub) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        served = stub

    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served: Stub

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        """The list of models."""
        models = {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "stub"}]}
        known: dict[str, Json] = {"/v1/models": models, "/api/tags": {"models": [{"name": MODEL, "model": MODEL}]}}
        found = known.get(self.path)
        self._send(Fault(body=found) if found else Fault(404, {"error": {"message": "Not Found"}}))

    def do_POST(self) -> None:
        """One reply of the model, or what Ollama tells of a model."""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        with suppress(BrokenPipeError, ConnectionResetError):
            if self.path == "/api/show":
                self._send(Fault(body={"capabilities": ["completion", "tools"], "model_info": {}}))
            else:
                self._say(body)

    def _say(self, body: Json) -> None:
        body["messages"] = plain_messages(body.get("messages", []))
        _, said = self.served.reply(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        self._wait(said.delay_s)
        if isinstance(said, Fault):
            self._send(said)
        elif self.path == "/api/chat":
            self._stream(ollama_lines(said, streamed=bool(body.get("stream", True))), said, "application/x-ndjson")
        elif body.get("stream"):
            self._stream(openai_stream(said, usage=bool(body.get("stream_options"))), said, "text/event-stream; charset=utf-8")
        else:
            self._wait_for(said)
            self._send(Fault(body=openai_reply(said)))

    def _send(self, fault: Fault) -> None:
        data = fault.data
        self._head(fault.status, {"Content-Type": fault.content_type, "Content-Length": str(len(data)), **fault.headers})
        data = data if fault.cut is None else data[: fault.cut]
        step = max(1, int(fault.bytes_per_s * SLICE_S)) if fault.bytes_per_s else max(1, len(data))
        for start in range(0, len(data), step):
            self.wfile.write(data[start : start + step])
            self.wfile.flush()
            if fault.bytes_per_s and self._wait(SLICE_S):
                return

    def _stream(self, pieces: Iterator[bytes], said: Reply, content_type: str) -> None:
        self._head(200, {"Content-Type": content_type, "Transfer-Encoding": "chunked"})
        self._wait_for(said)
        for piece in pieces:
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.flush()
            if self._wait(said.pause_s):
                return
        if said.done:
            self.wfile.write(b"0\r\n\r\n")

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Connection": "close"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True

    def _wait(self, seconds: float) -> bool:
        """Whether the server is closing, after so many seconds or earlier."""
        return self.served.closing.wait(seconds) if seconds else self.served.closing.is_set()

    def _wait_for(self, said: Reply) -> None:
        while said.gate is not None and not said.gate.wait(SLICE_S) and not self.served.closing.is_set():
            pass
