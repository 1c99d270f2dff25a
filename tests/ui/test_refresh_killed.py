"""The command, killed (SIGKILL) in the middle of what it does: the catalog of before stays usable, and the next run goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.settings import read_settings
from knowledge.facts import use_snapshots
from knowledge.snapshot_rows import Snapshot
from knowledge.snapshots import newest_snapshot
from tests.knowledge.aliyun.stub import PROXIES, Request, Stub
from tests.knowledge.refresh.market import ASKED, STEPS, open_market
from tests.knowledge.refresh.shop import SMALL
from tests.ui.running import ROOT, run, run_json

OLD, NEW = "9.99", "7.77"
LONGEST_S = 60


@pytest.fixture
def market() -> Iterator[Stub]:
    with open_market() as stub:
        yield stub
    use_snapshots(None)


def environment(stub: Stub, data: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in PROXIES}
    address = f"http://{stub.host}"
    return kept | {
        "XUANKA_DATA_DIR": str(data),
        "XUANKA_ALIYUN_ENDPOINT": address,
        "XUANKA_ALIYUN_BILLING_ENDPOINT": address,
        "XUANKA_ALIYUN_ACCESS_KEY_ID": "test-key-id",
        "XUANKA_ALIYUN_ACCESS_KEY_SECRET": "test-key-secret",
        "XUANKA_ALIYUN_CALLS_PER_SECOND": "100",
    }


def start(stub: Stub, data: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "ui.cli", "refresh", *ASKED],
        cwd=ROOT, env=environment(stub, data), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(stub: Stub, data: Path) -> None:
    process = start(stub, data)
    _, errors = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 0, errors.decode()


def kill_at_request(stub: Stub, data: Path, number: int) -> None:
    """Kills the command while it waits for the answer to its number-th request."""
    doomed: list[subprocess.Popen[bytes]] = []
    left, alive = [number], dict(stub.answers)

    def answer_or_kill(request: Request) -> Any:
        left[0] -= 1
        if not left[0]:
            wait_until(lambda: bool(doomed))
            doomed[0].send_signal(signal.SIGKILL)
            doomed[0].wait(LONGEST_S)
        answer = alive[request.action]
        return answer(request) if callable(answer) else answer

    stub.answers = dict.fromkeys(alive, answer_or_kill)
    doomed.append(start(stub, data))
    doomed[0].communicate(timeout=LONGEST_S)
    stub.answers = alive
    assert doomed[0].returncode == -signal.SIGKILL


def kill_while_writing(stub: Stub, data: Path) -> None:
    """Kills the command when the half-written snapshot shows, if it can be caught there."""
    process = start(stub, data)
    wait_until(lambda: process.poll() is not None or any((data / "snapshots").glob(".half-*")))
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=LONGEST_S)


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.0002)


def undated(snapshot: Snapshot | None) -> list[list[Any]]:
    """The rows without their day: a test may run over midnight."""
    assert snapshot is not None, "no snapshot can be read"
    priced = [replace(row, as_of="", source_id="") for row in snapshot.prices]
    return [[*snapshot.types], [replace(row, as_of="") for row in snapshot.offered], priced]


def assert_usable(data: Path, amounts: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = newest_snapshot(data / "snapshots")
    assert snapshot is not None
    monkeypatch.setenv("XUANKA_DATA_DIR", str(data))
    read_settings.cache_clear()
    assert run_json("instances", "show", SMALL)["types"][0]["price"]["amount"] in amounts
    assert run("refresh", "list").exit_code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_killed_again_and_again_it_goes_on_and_ends_as_if_undisturbed(
    market: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "killed"
    with open_market(factor=str(float(OLD) / float(NEW))) as before:
        finish(before, data)
    finish(market, tmp_path / "undisturbed")
    market.requests.clear()
    for number in (1, 3, 4, 4):  # the first, in the middle of the lists, among the prices, the last
        kill_at_request(market, data, number)
        assert_usable(data, {OLD}, monkeypatch)
    asked = len(market.requests)
    assert asked == STEPS + 3  # all but what was under way when it was killed was asked for once, and so will the last be
    kill_while_writing(market, data)
    assert_usable(data, {OLD, NEW}, monkeypatch)
    assert len(market.requests) == asked + 1
    finish(market, data)
    assert_usable(data, {NEW}, monkeypatch)
    found, undisturbed = newest_snapshot(data / "snapshots"), newest_snapshot(tmp_path / "undisturbed" / "snapshots")
    assert undated(found) == undated(undisturbed)
    assert not list((data / "snapshots").glob(".half-*"))
    files = [path for path in data.rglob("*") if path.is_file()]
    assert files and not [path for path in files if b"test-key" in path.read_bytes()]
