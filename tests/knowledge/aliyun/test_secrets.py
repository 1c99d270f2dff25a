"""No key, token or signature is ever shown: in an error, a log record, a repr, on the terminal, or in a file."""

import copy
import logging
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from knowledge.aliyun.cloud import CloudOptions, Credentials
from knowledge.errors import CloudError, SettingsError, XuankaError
from tests.knowledge.aliyun.samples import SMALL
from tests.knowledge.aliyun.stub import (
    BROKEN,
    EMPTY,
    NO_RIGHT,
    NOW,
    OTHER_DISK,
    UNKNOWN_KEY,
    Reply,
    Stub,
    failure,
    page_of_a_gateway,
    throttled,
)

KEYS = Credentials("test-key-id-7f3a", "test-key-secret-91bc", "test-token-55de")
SECRETS = ("7f3a", "91bc", "55de", "Signature=", "ACS3-HMAC")
QUOTED = f"key test-key-id-7f3a, string to sign test-key-secret-91bc, token test-token-55de, {'Signature=abc'}"
REPLIES = [
    NO_RIGHT,
    UNKNOWN_KEY,
    BROKEN,
    EMPTY,
    OTHER_DISK,
    throttled(),
    throttled(retry_after_ms=1),
    page_of_a_gateway(200),
    page_of_a_gateway(502),
    failure(404, "InvalidAccessKeyId.NotFound", message=QUOTED),
    failure(400, "SignatureDoesNotMatch", message=QUOTED),
    failure(400, "test-key-id-7f3a", message=QUOTED),
    failure(400, "Bad.test-token-55de", message=QUOTED),
    Reply(QUOTED),
    Reply(f'"{QUOTED}"'),
    Reply("{}", delay_s=0.3),
    Reply('{"Success": false, "Code": "test-key-id-7f3a"}'),
]


@pytest.fixture(autouse=True)
def everything_is_logged(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Also the headers, which the SDK logs when it is told to."""
    monkeypatch.setenv("DEBUG", "sdk")
    loggers = [logging.getLogger(name) for name in ("", "urllib3", "darabonba-core", "alibabacloud-tea", "credentials")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    with caplog.at_level(logging.DEBUG):
        yield
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)


def shown(error: BaseException) -> str:
    """All that a traceback, a log or a bug report would show of an error."""
    return "\n".join([*traceback.format_exception(error), str(error), repr(error), repr(error.args), repr(vars(error)), repr(error.__context__)])


def assert_nothing_leaked(text: str) -> None:
    assert [secret for secret in SECRETS if secret in text] == []


@pytest.mark.parametrize("reply", REPLIES)
def test_errors_logs_and_the_terminal(stub: Stub, reply: Reply, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    stub.always = reply
    cloud = stub.open(KEYS, read_timeout_s=0.1, attempts=2)
    asks = (
        lambda: cloud.list_types("cn-hangzhou", ["gn7i"]),
        lambda: cloud.offered("cn-hangzhou"),
        lambda: cloud.prices("cn-hangzhou", SMALL, "hour"),
        lambda: cloud.bulk_prices("cn-hangzhou"),
        lambda: cloud.spot_history("cn-hangzhou", SMALL, NOW),
        lambda: cloud.spot_advice("cn-hangzhou", ["gn7i"]),
        lambda: cloud.plan_rates("cn-hangzhou", ["gn7i"]),
    )
    for ask in asks:
        try:
            assert_nothing_leaked(repr(ask()))
        except CloudError as error:
            assert_nothing_leaked(shown(error))
            assert error.__context__ is None and error.__cause__ is None  # exceptions of the SDK hold the signed request
    assert_nothing_leaked(caplog.text)
    assert_nothing_leaked("".join(capfd.readouterr()))
    assert "authorization" in stub.requests[0].headers  # there was something to leak
    assert "urllib3" in caplog.text  # and logs to leak it to


def test_an_answered_call_leaks_nothing_either(stub: Stub, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    assert stub.open(KEYS).prices("cn-hangzhou", SMALL, "hour") is not None
    assert_nothing_leaked(caplog.text + "".join(capfd.readouterr()))


def test_objects_do_not_show_their_keys(stub: Stub) -> None:
    cloud = stub.open(KEYS)
    cloud.prices("cn-hangzhou", SMALL, "hour")
    reading = cloud._reading
    for thing in (KEYS, [KEYS], {"keys": KEYS}, copy.copy(KEYS), cloud, vars(cloud), reading, vars(reading), vars(reading.client)):
        for text in (repr(thing), str(thing), f"{thing!r}", f"{thing}"):
            assert_nothing_leaked(text)
    assert repr(KEYS) == "Credentials(sts)"
    assert repr(Credentials("a", "b")) == "Credentials(access_key)"
    assert repr(Credentials(ram_role=True)) == "Credentials(ram_role)"
    assert repr(Credentials()) == "Credentials(none)"


def test_no_file_is_written(stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for reply in (None, UNKNOWN_KEY):
        stub.always = reply
        with suppress(XuankaError):
            stub.open(KEYS).prices("cn-hangzhou", SMALL, "hour")
    assert list(tmp_path.rglob("*")) == []


def test_an_endpoint_that_is_refused_does_not_show_a_password() -> None:
    with pytest.raises(SettingsError) as raised:
        CloudOptions(endpoint="user:test-key-secret-91bc@example.com")
    assert_nothing_leaked(f"{raised.value} {raised.value!r}")
