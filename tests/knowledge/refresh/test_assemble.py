"""What a refresh keeps of the snapshot before it: nothing is overwritten with nothing, and what is carried over keeps its day."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from knowledge.errors import CloudError
from knowledge.refresh.assemble import family_of
from knowledge.refresh.request import WHATS, RefreshRequest
from knowledge.refresh.worker import RefreshReport, refresh
from tests.knowledge.refresh.shop import BARE, DAY, FAMILY, KNOWN, LARGE, NOW, REQUEST, SMALL, Shop

LATER = "2026-12-08"
EVERYTHING = replace(REQUEST, what=WHATS)


def first(folder: Path, request: RefreshRequest = EVERYTHING) -> RefreshReport:
    return refresh(Shop(), request, folder=folder, known=KNOWN, clock=lambda: NOW)


def second(folder: Path, shop: Shop, request: RefreshRequest = EVERYTHING) -> RefreshReport:
    shop.day = LATER
    return refresh(shop, request, folder=folder, known=KNOWN, clock=lambda: NOW + timedelta(days=3))


def test_a_region_that_fails_keeps_its_rows(tmp_path: Path) -> None:
    first(tmp_path)

    def fails(method: str, region: str, name: str) -> CloudError | None:
        return CloudError("region", "no such region") if region == "cn-shanghai" else None

    report = second(tmp_path, Shop(fails=fails))
    days = {(row.region, row.as_of) for rows in (report.snapshot.prices, report.snapshot.offered, report.snapshot.spot) for row in rows}
    assert days == {("cn-hangzhou", LATER), ("cn-shanghai", DAY)}
    assert {(item.table, item.as_of) for item in report.carried} == {
        (table, DAY) for table in ("prices", "offered", "spot", "advice", "plans")
    }


def test_another_family_or_region_leaves_the_rest(tmp_path: Path) -> None:
    first(tmp_path)
    request = RefreshRequest(("cn-beijing",), ("gn7i",))
    report = second(tmp_path, Shop(sells={"cn-beijing": (SMALL,)}), request)
    assert {row.instance_type for row in report.snapshot.types} == set(FAMILY)
    assert {row.as_of for row in report.snapshot.types} == {"", DAY}  # BARE was listed on the first day
    assert {row.region for row in report.snapshot.prices} == {"cn-beijing", "cn-hangzhou", "cn-shanghai"}
    assert report.snapshot.manifest.regions == ("cn-beijing", "cn-hangzhou", "cn-shanghai")
    assert report.snapshot.manifest.families == ("gn7i", "ebmgn7e")


def test_the_day_of_a_carried_type_is_that_of_its_list(tmp_path: Path) -> None:
    first(tmp_path)
    request = RefreshRequest(REQUEST.regions, ("gn7i",), what=("types",))
    for _ in range(2):  # carried over twice, it still keeps the first day
        report = second(tmp_path, Shop(), request)
        days = {row.instance_type: row.as_of for row in report.snapshot.types}
        assert days == {SMALL: "", LARGE: "", BARE: DAY}


def test_what_is_no_longer_listed_or_sold_goes(tmp_path: Path) -> None:
    first(tmp_path)
    report = second(tmp_path, Shop(sells={"cn-hangzhou": (SMALL, BARE), "cn-shanghai": (SMALL, BARE)}))
    assert {row.instance_type for row in report.snapshot.types} == {SMALL, BARE}
    assert {row.instance_type for row in report.snapshot.offered} == {SMALL, BARE}
    old = [row for row in report.snapshot.prices if row.instance_type == LARGE]
    assert old and {row.as_of for row in old} == {DAY}  # its last list price stays, with its day


def test_an_empty_list_removes_nothing(tmp_path: Path) -> None:
    first(tmp_path)
    report = second(tmp_path, Shop(sells={"cn-hangzhou": (), "cn-shanghai": (BARE,)}))
    assert {row.instance_type for row in report.snapshot.types} == set(FAMILY)  # gn7i without a single type
    assert report.snapshot.manifest.whole_families == ("ebmgn7e", "gn7i")  # gn7i as of the first day
    assert {row.as_of for row in report.snapshot.offered if row.region == "cn-hangzhou"} == {DAY}
    assert {(row.instance_type, row.as_of) for row in report.snapshot.offered if row.region == "cn-shanghai"} == {(BARE, LATER)}


def test_a_list_of_fewer_regions_than_before_removes_no_type(tmp_path: Path) -> None:
    first(tmp_path)
    report = second(tmp_path, Shop(sells={"cn-hangzhou": (SMALL, BARE)}), RefreshRequest(("cn-hangzhou",), REQUEST.families))
    assert {row.instance_type for row in report.snapshot.types} == set(FAMILY)


def test_keys_of_the_other_site_carry_nothing_over(tmp_path: Path) -> None:
    first(tmp_path)
    report = second(tmp_path, Shop(currency="USD"))
    assert report.previous is None and report.carried == () and report.snapshot.manifest.site == "intl"


def test_each_row_stands_once(tmp_path: Path) -> None:
    first(tmp_path)
    snapshot = second(tmp_path, Shop()).snapshot
    for rows in (snapshot.types, snapshot.offered, snapshot.prices, snapshot.spot, snapshot.advice, snapshot.plans):
        assert len(set(rows)) == len(rows) > 0
    assert len({row.instance_type for row in snapshot.types}) == len(snapshot.types)


@pytest.mark.parametrize(
    ("name", "listed", "family"),
    [
        ("ecs.gn7i-c8g1.2xlarge", {}, "gn7i"),
        ("ecs.ebmgn7e.32xlarge", {}, "ebmgn7e"),
        ("ecs.vgn6i-m4-vws.xlarge", {"ecs.vgn6i-m4-vws.xlarge": "vgn6i-vws"}, "vgn6i-vws"),
    ],
)
def test_family_of_a_type(name: str, listed: dict[str, str], family: str) -> None:
    assert family_of(name, listed) == family
