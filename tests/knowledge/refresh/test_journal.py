from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from knowledge.errors import RefreshBusy
from knowledge.refresh.journal import Dropped, open_journal
from knowledge.refresh.request import RefreshRequest, Step
from tests.knowledge.refresh.shop import LARGE, NOW, REQUEST, SMALL, listed, price

LISTED = Step("types", "cn-hangzhou")
PRICED = Step("price", "cn-hangzhou", SMALL, "hour")
NOT_SOLD = Step("price", "cn-hangzhou", LARGE, "hour")
ROWS = {
    LISTED: (listed(SMALL), replace(listed(LARGE), memory_gib=None, cpu_model='Xeon, "Ice Lake"\r\n')),
    PRICED: (price(SMALL, "cn-hangzhou", "9.900"),),
    NOT_SOLD: (),
}


def write(folder: Path, request: RefreshRequest = REQUEST) -> Path:
    """A journal with three steps, as a killed refresh leaves it."""
    with open_journal(folder, request, now=NOW) as journal:
        for step, rows in ROWS.items():
            journal.add(step, rows)
    return journal.path


def reopen(folder: Path, request: RefreshRequest = REQUEST, *, hours: float = 1, fresh: bool = False) -> tuple[set[str], Dropped]:
    with open_journal(folder, request, now=NOW + timedelta(hours=hours), fresh=fresh) as journal:
        return set(journal.done), journal.dropped


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    write(tmp_path)
    with open_journal(tmp_path, REQUEST, now=NOW) as journal:
        assert journal.done == {step.key: rows for step, rows in ROWS.items()}
        assert journal.resumed == 3 and journal.dropped == ""


def test_it_is_on_disk_before_the_step_counts(tmp_path: Path) -> None:
    with open_journal(tmp_path, REQUEST, now=NOW) as journal:
        journal.add(PRICED, ROWS[PRICED])
        assert PRICED.key in journal.path.read_text(encoding="utf-8")


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_is_ignored_and_written_over(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path)
    path.write_bytes(path.read_bytes()[:-cut])
    with open_journal(tmp_path, REQUEST, now=NOW) as journal:
        assert set(journal.done) == {LISTED.key, PRICED.key}
        journal.add(NOT_SOLD, ())
    assert reopen(tmp_path) == ({step.key for step in ROWS}, "")
    assert all(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("broken", [b"{}", b"null", b"[1]", b"not json", b'{"step": "nonsense/", "csv": ""}', b'{"step": 3, "csv": ""}'])
def test_nothing_behind_a_broken_line_is_trusted(tmp_path: Path, broken: bytes) -> None:
    path = write(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[1], broken + b"\n", *lines[2:]]))
    assert reopen(tmp_path) == ({LISTED.key}, "")
    assert len(path.read_bytes().splitlines()) == 2


@pytest.mark.parametrize(
    ("request_", "hours", "why"),
    [
        (replace(REQUEST, regions=("cn-beijing",)), 1, "other_request"),
        (replace(REQUEST, what=("types",)), 1, "other_request"),
        (replace(REQUEST, site="intl"), 1, "other_request"),
        (REQUEST, 25, "too_old"),
        (REQUEST, -2, "too_old"),  # from the future: the clock was set back
    ],
)
def test_another_request_or_day_starts_afresh_and_says_so(tmp_path: Path, request_: RefreshRequest, hours: float, why: Dropped) -> None:
    write(tmp_path)
    assert reopen(tmp_path, request_, hours=hours) == (set(), why)


def test_fresh_starts_anew(tmp_path: Path) -> None:
    write(tmp_path)
    assert reopen(tmp_path, fresh=True) == (set(), "")
    assert reopen(tmp_path) == (set(), "")  # what was there is gone


@pytest.mark.parametrize("content", [b"", b"\n", b"\x00\xff", b'{"format": 1}\n', b'{"format": 99, "request": {}, "started_at": "x"}\n'])
def test_a_broken_head_is_no_journal(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path)
    path.write_bytes(content)
    assert reopen(tmp_path)[0] == set()


def test_one_refresh_at_a_time(tmp_path: Path) -> None:
    with open_journal(tmp_path, REQUEST, now=NOW), pytest.raises(RefreshBusy, match="another refresh is running"):
        reopen(tmp_path)
    assert reopen(tmp_path) == (set(), "")


def test_a_finished_refresh_leaves_no_journal(tmp_path: Path) -> None:
    with open_journal(tmp_path, REQUEST, now=NOW) as journal:
        journal.add(PRICED, ROWS[PRICED])
        journal.remove()
    assert not journal.path.exists()
