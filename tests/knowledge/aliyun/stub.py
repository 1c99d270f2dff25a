"""A stand-in for the cloud's interface on 127.0.0.1: it answers like it, fails like it, and remembers every request.

    with open_stub() as stub:
        stub.answers["DescribePrice"] = price_answer("9.9")        # a value, or a function of the request
        stub.failures["DescribePrice"] = [throttled(), throttled()]  # the next answers, before that one
        cloud = stub.open(clock=…)
        assert stub.sent("DescribePrice")[0].query["RegionId"] == "cn-hangzhou"
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from knowledge.aliyun.account import Account, open_cloud
from knowledge.aliyun.cloud import CloudOptions, Credentials
from tests.knowledge.aliyun.samples import ANSWERS

NOW = datetime(2026, 12, 5, 8, 0, tzinfo=UTC)
KEYS = Credentials("test-key-id", "test-key-secret")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy")
"""Variables that the SDK would follow even to this machine; delete them in a fixture."""


@dataclass(frozen=True)
class Request:
    """One request as it came over the wire."""

    method: str
    action: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """One answer as it goes over the wire."""

    body: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0


Answer = Mapping[str, Any] | Reply | Callable[[Request], Mapping[str, Any] | Reply]


@dataclass
class Stub:
    """`answers` by action; `failures` are taken first, one a request, and end; `always` fails every request."""

    host: str = ""
    answers: dict[str, Answer] = field(default_factory=lambda: dict(ANSWERS))
    failures: dict[str, list[Reply]] = field(default_factory=dict)
    always: Reply | None = None
    requests: list[Request] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def sent(self, action: str) -> list[Request]:
        """The requests of one action, in their order."""
        return [request for request in self.requests if request.action == action]

    def open(
        self, credentials: Credentials = KEYS, *, clock: Callable[[], datetime] = lambda: NOW, **options: Any
    ) -> Account:
        """The real client, sent here; it does not really wait between calls (`waits` says how long it would have)."""
        defaults = {"read_timeout_s": 5.0, "calls_per_second": 100.0, "attempts": 3}
        address = {"endpoint": f"http://{self.host}", "billing_endpoint": f"http://{self.host}"}
        chosen = CloudOptions(**{**defaults, **address, **options})
        return open_cloud(credentials, options=chosen, clock=clock, sleep=self.waits.append)

    def answer(self, request: Request) -> Reply:
        """What this request gets."""
        self.requests.append(request)
        if self.always:
            return self.always
        if waiting := self.failures.get(request.action):
            return waiting.pop(0)
        found = self.answers.get(request.action, failure(404, "InvalidAction.NotFound"))
        made = found(request) if callable(found) else found
        return made if isinstance(made, Reply) else Reply(json.dumps(made))


def failure(status: int, code: str, *, message: str = "no", **headers: str) -> Reply:
    """An error of the interface."""
    body = {"RequestId": "R-1", "HostId": "127.0.0.1", "Code": code, "Message": message, "Recommend": ""}
    return Reply(json.dumps(body), status, headers)


def throttled(*, retry_after_ms: int | None = None, code: str = "Throttling.User") -> Reply:
    """Too many calls; with a time to wait it is a 429."""
    if retry_after_ms is None:
        return failure(400, code)
    return Reply(failure(429, code).body, 429, {"x-acs-retry-after": str(retry_after_ms)})


def page_of_a_gateway(status: int) -> Reply:
    """HTML where JSON should be."""
    return Reply("<html><body>Bad Gateway</body></html>", status, {"Content-Type": "text/html"})


EMPTY = Reply('{"RequestId":"R-1"}')
NO_RIGHT = failure(403, "Forbidden.RAM", message="User not authorized to operate on the specified resource")
UNKNOWN_KEY = failure(404, "InvalidAccessKeyId.NotFound", message="Specified access key test-key-id is not found.")
NOT_SOLD = failure(404, "InvalidInstanceType.ValueNotSupported")
OTHER_DISK = failure(403, "InvalidSystemDiskCategory.ValueNotSupported")
BROKEN = failure(500, "InternalError")


@contextmanager
def open_stub() -> Iterator[Stub]:
    """A stub that listens on a free port of this machine."""
    stub = Stub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(stub))
    server.daemon_threads = True
    stub.host = f"127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


def _handler(stub: Stub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            url = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            query = dict(parse_qsl(url.query, keep_blank_values=True))
            self._send(stub.answer(Request(self.command, headers.get("x-acs-action", ""), query, headers, body)))

        do_GET = do_POST

        def _send(self, reply: Reply) -> None:
            time.sleep(reply.delay_s)
            body = reply.body.encode("utf-8")
            try:
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                pass  # the caller did not wait

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    return Handler
