from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from knowledge.errors import CloudError, CloudErrorKind, RefreshBusy, RefreshFailed
from knowledge.refresh.journal import open_journal
from knowledge.refresh.request import WHATS, RefreshRequest, Step
from knowledge.refresh.worker import FAILURES_IN_A_ROW, RefreshReport, refresh
from knowledge.snapshot_rows import ListedType
from knowledge.snapshots import list_snapshots, newest_snapshot
from tests.knowledge.refresh.shop import BARE, FAMILY, KNOWN, LARGE, NOW, REQUEST, SMALL, Shop

EVERYTHING = replace(REQUEST, what=WHATS)


def run(shop: Shop, folder: Path, request: RefreshRequest = REQUEST, *, days: float = 0, fresh: bool = False) -> RefreshReport:
    return refresh(shop, request, folder=folder, known=KNOWN, clock=lambda: NOW + timedelta(days=days), fresh=fresh)


def failing(kind: CloudErrorKind, *methods: str, region: str = "", times: int = 10**6) -> Callable[[str, str, str], CloudError | None]:
    left = [times]

    def fails(method: str, where: str, name: str) -> CloudError | None:
        if method not in methods or region not in where or not left[0]:
            return None
        left[0] -= 1
        return CloudError(kind, f"{kind} for {method}")

    return fails


def test_all_that_was_asked_for_is_in_the_snapshot(tmp_path: Path) -> None:
    report = run(Shop(), tmp_path, EVERYTHING)
    snapshot = newest_snapshot(tmp_path)
    assert snapshot is not None and snapshot.manifest == newest_manifest(report)
    assert {row.instance_type for row in snapshot.types} == set(FAMILY)
    assert {row.charge for row in snapshot.offered} == {"payg", "subscription", "spot"}
    assert len(snapshot.prices) == 2 * 3 * 3 and len(snapshot.spot) == 2 * 3
    assert len(snapshot.advice) == 6 and len(snapshot.plans) == 4
    assert snapshot.manifest.whole_families == ("gn7i", "ebmgn7e") and snapshot.manifest.taken_at == "2026-12-05T08:00:00+00:00"
    assert (report.left_out, report.carried, report.resumed) == ((), (), 0)


def newest_manifest(report: RefreshReport) -> object:
    """The manifest as it was read back: with counts and digests."""
    snapshot = newest_snapshot(report.path.parent)
    assert snapshot is not None
    return replace(report.snapshot.manifest, rows=snapshot.manifest.rows, sha256=snapshot.manifest.sha256)


def test_types_that_the_catalog_does_not_know_are_priced_too(tmp_path: Path) -> None:
    report = refresh(Shop(), REQUEST, folder=tmp_path, known={}, clock=lambda: NOW)
    assert {row.instance_type for row in report.snapshot.prices} == set(FAMILY)


def test_families_without_a_type_are_named(tmp_path: Path) -> None:
    assert run(Shop(), tmp_path, replace(REQUEST, families=("gn7i", "gn99x"))).unlisted == ("gn99x",)
    assert run(Shop(), tmp_path, replace(REQUEST, what=("stock",))).unlisted == ()


def test_families_that_are_not_named_are_found_and_priced(tmp_path: Path) -> None:
    shop = Shop()
    report = run(shop, tmp_path, replace(REQUEST, families=("gn7i",), others=True))
    assert report.snapshot.manifest.families == ("gn7i", "ebmgn7e")
    assert report.snapshot.manifest.whole_families == ("gn7i",)  # the other one was listed in one region only
    assert {row.instance_type for row in report.snapshot.prices} == set(FAMILY)
    assert {row.instance_type for row in report.snapshot.offered} == set(FAMILY)
    named = run(Shop(), tmp_path / "named", replace(REQUEST, families=("gn7i",)))
    assert {row.instance_type for row in named.snapshot.prices} == {SMALL, LARGE}


def test_a_list_of_other_families_that_fails_is_left_out(tmp_path: Path) -> None:
    class Narrow(Shop):
        def list_types(self, region: str, families: Sequence[str]) -> list[ListedType]:
            if not families:
                raise CloudError("timeout", "too slow")
            return super().list_types(region, families)

    report = run(Narrow(), tmp_path, replace(REQUEST, others=True))
    assert [(item.kind, item.reason) for item in report.left_out] == [("types", "timeout")]
    assert report.snapshot.manifest.whole_families == REQUEST.families and len(report.snapshot.prices) == 6


def test_what_a_region_does_not_sell_is_not_asked_for(tmp_path: Path) -> None:
    shop = Shop(sells={"cn-hangzhou": (SMALL,), "cn-shanghai": (LARGE, BARE)})
    run(shop, tmp_path)
    assert [call for call in shop.calls if call[0] == "prices"] == [
        ("prices", "cn-hangzhou", f"{SMALL} hour"),
        ("prices", "cn-shanghai", f"{LARGE} hour"),
        ("prices", "cn-shanghai", f"{BARE} hour"),
    ]


def test_progress_counts_to_the_end(tmp_path: Path) -> None:
    seen: list[tuple[int, int, Step]] = []
    refresh(Shop(), REQUEST, folder=tmp_path, known=KNOWN, clock=lambda: NOW, on_progress=lambda *told: seen.append(told))
    assert [done for done, _, _ in seen] == list(range(1, 11))
    assert {total for _, total, _ in seen} == {10}


@pytest.mark.parametrize("method", ["list_types", "prices"])
def test_refused_keys_end_it_at_once(tmp_path: Path, method: str) -> None:
    shop = Shop(fails=failing("credentials", method))
    with pytest.raises(CloudError) as caught:
        run(shop, tmp_path)
    assert caught.value.kind == "credentials" and shop.calls[-1][0] == method
    assert sum(call[0] == method for call in shop.calls) == 1
    assert list_snapshots(tmp_path) == ()


@pytest.mark.parametrize(
    ("method", "kind"), [("spot_advice", "advice"), ("plan_rates", "plans"), ("spot_history", "spot"), ("prices", "price")]
)
def test_an_action_that_is_not_allowed_is_left_out_and_asked_once(tmp_path: Path, method: str, kind: str) -> None:
    shop = Shop(fails=failing("permission", method))
    report = run(shop, tmp_path, EVERYTHING)
    assert sum(call[0] == method for call in shop.calls) == 1
    assert [(item.kind, item.region, item.reason) for item in report.left_out] == [(kind, "", "permission")]
    assert report.snapshot.types and report.snapshot.offered
    assert "permission" in report.snapshot.manifest.left_out[0]


def test_keys_without_any_right_write_nothing(tmp_path: Path) -> None:
    shop = Shop(fails=lambda method, region, name: CloudError("permission", f"not allowed: {method}"))
    with pytest.raises(RefreshFailed, match="not allowed") as caught:
        run(shop, tmp_path)
    assert caught.value.code == "nothing" and list_snapshots(tmp_path) == ()
    assert len(shop.calls) == 3  # one for each kind of step


def test_empty_answers_write_nothing_and_are_asked_for_again(tmp_path: Path) -> None:
    with pytest.raises(RefreshFailed, match="empty"):
        run(Shop(sells={}), tmp_path)
    assert list_snapshots(tmp_path) == ()
    assert run(Shop(), tmp_path).resumed == 0


def test_without_the_right_to_the_price_list_prices_come_type_by_type(tmp_path: Path) -> None:
    shop = Shop(fails=failing("permission", "bulk_prices"))
    report = run(shop, tmp_path, replace(REQUEST, bulk=True))
    assert len(report.snapshot.prices) == 6 and [item.kind for item in report.left_out] == ["bulk"]


def test_the_price_list_is_cut_to_the_families(tmp_path: Path) -> None:
    shop = Shop()
    report = run(shop, tmp_path, replace(REQUEST, bulk=True))
    assert {row.instance_type for row in report.snapshot.prices} == set(FAMILY)
    assert not [call for call in shop.calls if call[0] == "prices"]


def test_an_unknown_region_is_left_out(tmp_path: Path) -> None:
    shop = Shop(fails=failing("region", "list_types", "offered", "prices", region="cn-shanghai"))
    report = run(shop, tmp_path)
    assert {row.region for row in report.snapshot.prices} == {"cn-hangzhou"}
    assert [(item.region, item.reason) for item in report.left_out] == [("cn-shanghai", "region")]
    assert sum(call[1] == "cn-shanghai" for call in shop.calls) == 1
    assert report.snapshot.manifest.whole_families == ()  # one of the regions was not read


@pytest.mark.parametrize("kind", ["throttled", "unavailable", "timeout", "bad_answer"])
def test_what_fails_for_a_while_is_tried_once_more(tmp_path: Path, kind: CloudErrorKind) -> None:
    report = run(Shop(fails=failing(kind, "prices", times=2)), tmp_path)
    assert len(report.snapshot.prices) == 6 and report.left_out == ()


def test_failures_in_a_row_end_it_and_the_rest_is_kept(tmp_path: Path) -> None:
    shop = Shop(fails=failing("unavailable", "prices"))
    with pytest.raises(RefreshFailed, match="unavailable for prices") as caught:
        run(shop, tmp_path)
    assert (caught.value.code, caught.value.kept) == ("gave_up", 4)
    assert sum(call[0] == "prices" for call in shop.calls) == FAILURES_IN_A_ROW
    assert list_snapshots(tmp_path) == ()
    again = Shop()
    assert run(again, tmp_path).resumed == 4
    assert {call[0] for call in again.calls} == {"prices"}


def test_a_single_failure_is_no_reason_to_give_up(tmp_path: Path) -> None:
    def fails(method: str, region: str, name: str) -> CloudError | None:
        return CloudError("timeout", "too slow") if name == f"{LARGE} hour" and region == "cn-shanghai" else None

    report = run(Shop(fails=fails), tmp_path)
    assert len(report.snapshot.prices) == 5
    assert [(item.kind, item.region, item.reason, item.steps) for item in report.left_out] == [("price", "cn-shanghai", "timeout", 1)]


@pytest.mark.parametrize("after", range(12))
def test_cut_short_at_any_call_it_goes_on_there(tmp_path: Path, after: int) -> None:
    """Each finished step is asked for once in both runs together, and the result is that of an undisturbed run."""

    class Stopping(Shop):
        def _called(self, method: str, region: str, name: str = "") -> None:
            if len(self.calls) == after:
                raise KeyboardInterrupt
            super()._called(method, region, name)

    first, second, undisturbed = Stopping(), Shop(), Shop()
    try:
        run(first, tmp_path / "cut")
    except KeyboardInterrupt:
        assert list_snapshots(tmp_path / "cut") == ()
        report = run(second, tmp_path / "cut", days=0.01)
        assert report.resumed == after
    whole = run(undisturbed, tmp_path / "whole").snapshot
    assert sorted(first.calls + second.calls) == sorted(undisturbed.calls)
    snapshot = newest_snapshot(tmp_path / "cut")
    assert snapshot is not None and replace(snapshot, manifest=whole.manifest) == whole


def test_a_failure_is_noted_and_forgotten(tmp_path: Path) -> None:
    note = tmp_path / "last_failure.json"
    with pytest.raises(CloudError):
        run(Shop(fails=failing("credentials", "list_types")), tmp_path)
    assert json.loads(note.read_text(encoding="utf-8")) == {
        "at": "2026-12-05T08:00:00+00:00",
        "sentence": "credentials for list_types",
        "zh": "credentials for list_types",
    }
    run(Shop(), tmp_path)
    assert not note.exists()


def test_a_failure_leaves_the_old_snapshot(tmp_path: Path) -> None:
    run(Shop(), tmp_path)
    before = newest_snapshot(tmp_path)
    with pytest.raises(CloudError):
        run(Shop(fails=failing("credentials", "prices")), tmp_path, days=1)
    assert newest_snapshot(tmp_path) == before


def test_a_second_refresh_does_not_run_beside_the_first(tmp_path: Path) -> None:
    shop = Shop()
    with open_journal(tmp_path, REQUEST, now=NOW), pytest.raises(RefreshBusy):
        run(shop, tmp_path)
    assert shop.calls == [] and not (tmp_path / "last_failure.json").exists()


def test_bugs_crash(tmp_path: Path) -> None:
    class Broken(Shop):
        def list_types(self, region: str, families: object) -> list[object]:  # type: ignore[override]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(Broken(), tmp_path)
