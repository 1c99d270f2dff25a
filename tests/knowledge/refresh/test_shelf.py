from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from knowledge.errors import CloudError, InputError
from knowledge.refresh.shelf import (
    KEEP,
    go_back,
    last_failure,
    note_failure,
    remove_old,
    used_snapshot,
)
from knowledge.snapshot_rows import FORMAT, Manifest, Snapshot
from knowledge.snapshots import list_snapshots, newest_snapshot, write_snapshot
from tests.knowledge.refresh.shop import NOW


def fill(folder: Path, count: int) -> list[Path]:
    """Snapshots of days in a row, oldest first."""
    days = [(NOW + timedelta(days=day)).isoformat() for day in range(count)]
    return [write_snapshot(folder, Snapshot(Manifest(FORMAT, day, "cn", (), (), ()))) for day in days]


def test_the_newest_five_stay(tmp_path: Path) -> None:
    paths = fill(tmp_path, KEEP + 2)
    assert remove_old(tmp_path) == (paths[1].name, paths[0].name)
    assert list_snapshots(tmp_path) == tuple(reversed(paths[2:]))
    assert remove_old(tmp_path) == ()


def test_broken_ones_neither_count_nor_go(tmp_path: Path) -> None:
    paths = fill(tmp_path, KEEP + 1)
    (paths[-1] / "manifest.json").write_text('{"format": 99}', encoding="utf-8")  # of a later version
    assert remove_old(tmp_path) == ()
    assert len(list_snapshots(tmp_path)) == KEEP + 1


def test_going_back_step_by_step(tmp_path: Path) -> None:
    old, new = fill(tmp_path, 2)
    assert used_snapshot(tmp_path) == new
    assert go_back(tmp_path) == (new, old)
    found = newest_snapshot(tmp_path)
    assert found is not None and found.manifest.taken_at == NOW.isoformat()
    assert go_back(tmp_path) == (old, None)
    with pytest.raises(InputError, match="shipped catalog is in use"):
        go_back(tmp_path)


def test_a_broken_one_is_not_gone_back_to(tmp_path: Path) -> None:
    old, broken, new = fill(tmp_path, 3)
    (broken / "prices.csv").unlink()
    assert go_back(tmp_path) == (new, old)


@pytest.mark.parametrize("content", ["", "[]", "null", "{"])
def test_a_broken_note_of_failure_is_none(tmp_path: Path, content: str) -> None:
    note_failure(tmp_path / "new", at=NOW, error=CloudError("timeout", "too slow", zh="超时"))
    assert last_failure(tmp_path / "new") == {"at": "2026-12-05T08:00:00+00:00", "sentence": "too slow", "zh": "超时"}
    (tmp_path / "new" / "last_failure.json").write_text(content, encoding="utf-8")
    assert last_failure(tmp_path / "new") is None
