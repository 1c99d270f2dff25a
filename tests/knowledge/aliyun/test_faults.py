import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from knowledge.errors import CloudError
from tests.knowledge.aliyun.samples import SMALL, price_answer
from tests.knowledge.aliyun.stub import (
    BROKEN,
    KEYS,
    NO_RIGHT,
    UNKNOWN_KEY,
    Reply,
    Stub,
    failure,
    page_of_a_gateway,
    throttled,
)

ACTION = "DescribePrice"


def ask(stub: Stub, **options: Any) -> CloudError:
    """The error of one price."""
    with pytest.raises(CloudError) as raised:
        stub.open(**options).prices("cn-hangzhou", SMALL, "hour")
    return raised.value


@pytest.mark.parametrize(
    ("reply", "kind", "code", "requests"),
    [
        (NO_RIGHT, "permission", "ecs:DescribePrice", 1),
        (UNKNOWN_KEY, "credentials", "InvalidAccessKeyId.NotFound", 1),
        (failure(400, "SignatureDoesNotMatch"), "credentials", "SignatureDoesNotMatch", 1),
        (failure(400, "InvalidSecurityToken.Expired"), "credentials", "InvalidSecurityToken.Expired", 1),
        (failure(400, "InvalidTimeStamp.Expired"), "credentials", "InvalidTimeStamp.Expired", 1),
        (failure(403, "Forbidden.AccessKeyDisabled"), "credentials", "Forbidden.AccessKeyDisabled", 1),
        (failure(403, "InvalidAccountStatus.NotEnoughBalance"), "permission", "InvalidAccountStatus.NotEnoughBalance", 1),
        (failure(404, "InvalidRegionId.NotFound"), "region", "InvalidRegionId.NotFound", 1),
        (throttled(), "throttled", "Throttling.User", 3),
        (throttled(code="Throttling.Api"), "throttled", "Throttling.Api", 3),
        (throttled(code="Throttling"), "throttled", "Throttling", 3),
        (throttled(retry_after_ms=300), "throttled", "Throttling.User", 3),
        (throttled(retry_after_ms=300, code="Strange"), "throttled", "Strange", 3),
        (BROKEN, "unavailable", "InternalError", 3),
        (failure(503, "ServiceUnavailable"), "unavailable", "ServiceUnavailable", 3),
        (failure(500, "Strange.Code"), "unavailable", "Strange.Code", 3),
        (page_of_a_gateway(200), "bad_answer", "JSON", 3),
        (page_of_a_gateway(502), "bad_answer", "JSON", 3),
        (Reply(""), "bad_answer", "JSON", 3),
        (failure(400, "MissingParameter"), "bad_answer", "MissingParameter", 1),
        (failure(403, "OperationDenied"), "bad_answer", "OperationDenied", 1),
        (Reply("{}", 403), "permission", "HTTP 403", 1),
        (Reply("{}", 500), "unavailable", "HTTP 500", 3),
        (failure(400, "<script>alert(1)</script>"), "bad_answer", "", 1),
        (failure(400, "X" * 5000), "bad_answer", "", 1),
    ],
)
def test_every_failure_is_one_sentence_in_both_languages(stub: Stub, reply: Reply, kind: str, code: str, requests: int) -> None:
    stub.always = reply
    error = ask(stub)
    assert error.kind == kind
    assert len(stub.requests) == requests
    for language, end in (("zh", "。"), ("en", ".")):
        said = error.said("zh" if language == "zh" else "en")
        assert code in said and said.endswith(end)
        assert len(said) < 300 and "\n" not in said and "<" not in said and "{" not in said
    assert any("\u4e00" <= letter <= "\u9fff" for letter in error.said("zh"))
    assert str(error) == error.said("en")


@pytest.mark.parametrize("status", [400, 404, 429, 503])
def test_throttled_twice_then_answered(stub: Stub, status: int) -> None:
    stub.failures[ACTION] = [failure(status, "Throttling.User"), failure(status, "Throttling.User")]
    row = stub.open().prices("cn-hangzhou", SMALL, "hour")
    assert row and str(row.amount) == "10.5"
    assert len(stub.sent(ACTION)) == 3


def test_the_wait_that_the_cloud_asks_for(stub: Stub) -> None:
    stub.failures[ACTION] = [throttled(retry_after_ms=7300), throttled()]
    stub.open().prices("cn-hangzhou", SMALL, "hour")
    assert 7.3 in stub.waits  # then, where none was asked for, two seconds at the second failure
    assert 2.0 in stub.waits


def test_a_failure_on_the_way_loses_no_page(stub: Stub) -> None:
    stub.failures["DescribeInstanceTypes"] = [BROKEN, throttled()]
    assert len(stub.open().list_types("cn-hangzhou", ["gn7i"])) == 2


def test_slower_than_the_read_timeout(stub: Stub) -> None:
    stub.always = Reply("{}", delay_s=0.6)
    error = ask(stub, read_timeout_s=0.1, attempts=2)
    assert error.kind == "timeout"
    assert len(stub.requests) == 2


def test_slow_once_then_answered(stub: Stub) -> None:
    stub.failures[ACTION] = [Reply("{}", delay_s=0.6)]
    row = stub.open(read_timeout_s=0.3).prices("cn-hangzhou", SMALL, "hour")
    assert row is not None


def test_nobody_listens(stub: Stub) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        stub.host = f"127.0.0.1:{free.getsockname()[1]}"
    assert ask(stub).kind == "unavailable"


@pytest.fixture
def hanging_up() -> Iterator[str]:
    """host:port where every connection is closed at once."""
    server = socket.create_server(("127.0.0.1", 0))

    def close_all() -> None:
        while True:
            try:
                server.accept()[0].close()
            except OSError:
                return

    thread = threading.Thread(target=close_all, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.getsockname()[1]}"
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(timeout=5)


def test_a_connection_that_breaks(stub: Stub, hanging_up: str) -> None:
    stub.host = hanging_up
    assert ask(stub).kind == "unavailable"


def test_plain_text_where_tls_is_spoken(stub: Stub) -> None:
    with pytest.raises(CloudError) as raised:
        stub.open(endpoint=stub.host).prices("cn-hangzhou", SMALL, "hour")
    assert raised.value.kind == "unavailable"
    assert "加密" in raised.value.said("zh")


def test_a_failure_leaves_the_next_call_alone(stub: Stub) -> None:
    cloud = stub.open()
    stub.always = NO_RIGHT
    with pytest.raises(CloudError):
        cloud.prices("cn-hangzhou", SMALL, "hour")
    stub.always = None
    stub.answers[ACTION] = price_answer(9.9)
    assert cloud.prices("cn-hangzhou", SMALL, "hour") is not None
    assert KEYS.complete
