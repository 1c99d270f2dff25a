"""When an answer says that its catalog is old. Every day is given; none is today's."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from knowledge.facts import CATALOG_READ_ON, use_snapshots
from knowledge.snapshots import write_snapshot
from tests.knowledge.snapshot_samples import snapshot
from tools.freshness import catalog_age, catalog_in_use, staleness

READ = date.fromisoformat(CATALOG_READ_ON)


@pytest.mark.parametrize(
    ("days", "limit", "said"),
    [(0, 30, False), (30, 30, False), (31, 30, True), (400, 30, True), (2, 1, True), (400, 0, False), (400, -1, False), (-3650, 1, False)],
)
def test_said_only_when_older_than_allowed(days: int, limit: int, said: bool) -> None:
    for language in ("zh", "en"):
        sentence = staleness(READ + timedelta(days), limit, language=language)
        assert (sentence is not None) == said
        if sentence:
            assert CATALOG_READ_ON in sentence
            assert f"{days} " in sentence
            assert "xuanka refresh" in sentence
            assert "\n" not in sentence


def test_a_refresh_counts_from_its_own_day(tmp_path: Path) -> None:
    write_snapshot(tmp_path, snapshot("2027-03-01T08:00:00Z"))
    use_snapshots(tmp_path)
    assert staleness(date(2027, 3, 20), 30, language="en") is None
    old = staleness(date(2027, 4, 20), 30, language="en")
    assert old is not None
    assert "2027-03-01, 50 days ago" in old
    assert "上一次" not in (staleness(date(2027, 4, 20), 30, language="zh") or "")
    assert catalog_age(date(2020, 1, 1)) == 0, "a clock behind the snapshot"


def test_the_catalog_in_use_tells_what_it_holds(tmp_path: Path) -> None:
    shipped = catalog_in_use(READ + timedelta(9), language="en")
    assert (shipped.refreshed, shipped.as_of, shipped.age_days, shipped.regions) == (False, CATALOG_READ_ON, 9, [])
    assert CATALOG_READ_ON in shipped.sentence
    write_snapshot(tmp_path, snapshot())
    use_snapshots(tmp_path)
    for language in ("zh", "en"):
        found = catalog_in_use(date(2026, 12, 7), language=language)
        assert (found.refreshed, found.as_of, found.age_days) == (True, "2026-12-05", 2)
        assert (found.listed_types, found.prices, found.spot_quotes, found.offers) == (1, 1, 1, 1)
        assert found.source_ids == ["ecs-api-2026-12-05"]
        assert "cn-hangzhou" in found.sentence
