from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from knowledge import facts
from knowledge.refresh.changes import Change, Known, find_changes
from knowledge.rows import Instance, PriceRow
from knowledge.snapshot_rows import FORMAT, ListedType, Manifest, Offered, Snapshot
from tests.knowledge.refresh.shop import BARE, DAY, LARGE, SMALL, listed, offer, price, quote

OLD = "2026-11-01"
NOTHING = Known({}, (), ())


def snapshot(day: str = DAY, *, whole: tuple[str, ...] = ("gn7i", "ebmgn7e"), **tables: tuple[object, ...]) -> Snapshot:
    manifest = Manifest(FORMAT, f"{day}T08:00:00+00:00", "cn", ("cn-hangzhou",), ("gn7i", "ebmgn7e"), whole)
    return Snapshot(manifest, **tables)  # type: ignore[arg-type]


def kinds(changes: tuple[Change, ...]) -> list[tuple[str, str]]:
    return [(change.kind, change.instance_type) for change in changes]


@pytest.mark.parametrize(
    ("old", "new", "kind", "percent"),
    [
        ("10", "12.5", "dearer", "25.00"),
        ("10", "7", "cheaper", "-30.00"),
        ("10", "10.000", None, None),
        ("10.0001", "10.0002", None, None),  # listed with more decimals, not dearer
        ("0", "10", None, None),  # no percentage of nothing
    ],
)
def test_prices(old: str, new: str, kind: str | None, percent: str | None) -> None:
    known = Known({}, (price(SMALL, "cn-hangzhou", old, day=OLD),), ())
    changes = find_changes(known, snapshot(prices=(price(SMALL, "cn-hangzhou", new),)), None)
    assert [(change.kind, str(change.percent)) for change in changes] == ([(kind, percent)] if kind else [])
    for change in changes:
        assert (change.old, change.new, change.unit) == (old, new, "CNY/hour")
        assert (change.old_as_of, change.new_as_of, change.subject) == (OLD, DAY, "payg")


@pytest.mark.parametrize(
    "other",
    [
        price(SMALL, "cn-shanghai", "5", day=OLD),
        price(LARGE, "cn-hangzhou", "5", day=OLD),
        price(SMALL, "cn-hangzhou", "5", day=OLD, billing="month", per="month"),
        price(SMALL, "cn-hangzhou", "5", day=OLD, currency="USD"),
    ],
)
def test_prices_of_another_place_billing_or_currency_are_not_compared(other: PriceRow) -> None:
    changes = find_changes(Known({}, (other,), ()), snapshot(prices=(price(SMALL, "cn-hangzhou", "10"),)), None)
    assert kinds(changes) == [("priced", SMALL)]


def test_the_newest_of_the_prices_in_use_counts() -> None:
    both = (price(SMALL, "cn-hangzhou", "20", day=OLD), price(SMALL, "cn-hangzhou", "5", day="2024-12-31"))
    (change,) = find_changes(Known({}, both, ()), snapshot(prices=(price(SMALL, "cn-hangzhou", "10"),)), None)
    assert (change.kind, change.percent) == ("cheaper", Decimal("-50.00"))


def test_new_types_and_gone_ones_of_the_catalog() -> None:
    catalog = {name: facts.instances()[name] for name in (SMALL, LARGE)}
    changes = find_changes(Known(catalog, (), ()), snapshot(types=(listed(SMALL), listed(BARE))), None)
    assert kinds(changes) == [("gone", LARGE), ("new", BARE)]
    assert changes[1].new == "8 vCPU, 30 GiB, 1 × NVIDIA A10"


@pytest.mark.parametrize("whole", [(), ("ebmgn7e",)])
def test_nothing_is_gone_from_a_family_that_was_not_read_to_the_end(whole: tuple[str, ...]) -> None:
    catalog = {LARGE: facts.instances()[LARGE]}
    assert find_changes(Known(catalog, (), ()), snapshot(whole=whole), None) == ()


def test_what_was_gone_before_is_not_news() -> None:
    catalog = {name: facts.instances()[name] for name in (SMALL, LARGE)}
    before = snapshot(OLD, types=(listed(SMALL),))
    assert find_changes(Known(catalog, (), ()), snapshot(types=(listed(SMALL),)), before) == ()
    later = find_changes(Known(catalog, (), ()), snapshot(types=(listed(BARE),)), before)
    assert kinds(later) == [("gone", SMALL), ("new", BARE)]


def test_retired_types_are_not_expected() -> None:
    catalog = {LARGE: replace(facts.instances()[LARGE], status="phased_out")}
    assert find_changes(Known(catalog, (), ()), snapshot(types=(listed(SMALL),)), None)[0].kind == "new"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (listed(SMALL), replace(listed(SMALL), memory_gib=60.0), [("memory_gib", "30", "60")]),
        (listed(SMALL), replace(listed(SMALL), gpu_spec="NVIDIA A10-24Q"), [("gpu_spec", "NVIDIA A10", "NVIDIA A10-24Q")]),
        (listed(SMALL), replace(listed(SMALL), memory_gib=None, gpu_spec="", network_gbps=None), []),  # not said is no change
        (replace(listed(SMALL), pps=None), replace(listed(SMALL), pps=1_600_000), []),
    ],
)
def test_specifications(old: ListedType, new: ListedType, expected: list[tuple[str, str, str]]) -> None:
    changes = find_changes(NOTHING, snapshot(types=(new,)), snapshot(OLD, types=(old,)))
    assert [(change.subject, change.old, change.new) for change in changes] == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (facts.instances()[SMALL], [("vcpu", "8", "9")]),
        (replace(facts.instances()[SMALL], network_gbps=99.0, gpu_memory_gb_each=1.0), [("vcpu", "8", "9")]),  # rounded on the pages
    ],
)
def test_specifications_against_the_catalog(row: Instance, expected: list[tuple[str, str, str]]) -> None:
    changes = find_changes(Known({SMALL: row}, (), ()), snapshot(types=(listed(SMALL, vcpu=9),)), None)
    assert [(change.subject, change.old, change.new) for change in changes] == expected


HERE = "cn-hangzhou"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((offer(SMALL, HERE),), (offer(SMALL, HERE), offer(LARGE, HERE)), [("newly_sold", LARGE)]),
        ((offer(SMALL, HERE), offer(LARGE, HERE)), (offer(SMALL, HERE),), [("not_sold", LARGE)]),
        ((offer(SMALL, HERE),), (offer(SMALL, HERE, status="sold_out"),), [("sold_out", SMALL)]),
        ((offer(SMALL, HERE, status="sold_out"),), (offer(SMALL, HERE),), [("back_in_stock", SMALL)]),
        # another zone has it still
        ((offer(SMALL, HERE),), (offer(SMALL, HERE, status="sold_out"), offer(SMALL, HERE, zone="b")), []),
        # the stock of that place or way was not asked for before, or is not known now
        ((offer(SMALL, "cn-shanghai"),), (offer(SMALL, "cn-shanghai"), offer(SMALL, HERE)), []),
        ((offer(SMALL, HERE),), (offer(SMALL, HERE), offer(SMALL, HERE, charge="spot")), []),
        ((offer(SMALL, HERE), offer(SMALL, "cn-shanghai")), (offer(SMALL, HERE),), []),
    ],
)
def test_where_sold(before: tuple[Offered, ...], after: tuple[Offered, ...], expected: list[tuple[str, str]]) -> None:
    assert kinds(find_changes(NOTHING, snapshot(offered=after), snapshot(OLD, offered=before))) == expected


def test_a_family_that_was_not_asked_for_before_is_not_newly_sold() -> None:
    before = snapshot(OLD, offered=(offer(SMALL, HERE),))
    before = replace(before, manifest=replace(before.manifest, families=("gn7i",)))
    assert find_changes(NOTHING, snapshot(offered=(offer(SMALL, HERE), offer(BARE, HERE))), before) == ()


def test_spot_is_a_range_of_one_day() -> None:
    old = (quote(SMALL, HERE, "1", day="2026-10-01"), quote(SMALL, HERE, "2", day=OLD), quote(SMALL, HERE, "3", zone="b", day=OLD))
    new = (quote(SMALL, HERE, "3"), quote(SMALL, HERE, "4.5", zone="b"))
    (change,) = find_changes(Known({}, (), old), snapshot(spot=new), None)
    assert (change.kind, change.old, change.new, change.percent) == ("spot", "2–3", "3–4.5", Decimal("50.00"))
    assert (change.old_as_of, change.new_as_of) == (OLD, DAY)
    assert find_changes(Known({}, (), new), snapshot(spot=new), None) == ()


def test_the_order_is_the_buyers() -> None:
    known = Known(
        {LARGE: facts.instances()[LARGE]},
        (price(SMALL, HERE, "10", day=OLD), price(BARE, HERE, "10", day=OLD), price(LARGE, HERE, "10", day=OLD)),
        (quote(SMALL, HERE, "1", day=OLD),),
    )
    before = snapshot(OLD, whole=(), offered=(offer(SMALL, HERE), offer(LARGE, HERE)))
    now = snapshot(
        types=(listed(BARE), listed(SMALL)),
        offered=(offer(SMALL, HERE), offer(BARE, HERE)),
        prices=(price(SMALL, HERE, "11"), price(BARE, HERE, "20"), price(LARGE, HERE, "9"), price(SMALL, "cn-shanghai", "9")),
        spot=(quote(SMALL, HERE, "2"),),
    )
    assert kinds(find_changes(known, now, before)) == [
        ("dearer", BARE), ("dearer", SMALL), ("cheaper", LARGE), ("not_sold", LARGE), ("gone", LARGE), ("newly_sold", BARE),
        ("new", BARE), ("new", SMALL), ("spot", SMALL), ("priced", SMALL),
    ]  # fmt: skip


def test_the_same_again_is_no_change() -> None:
    now = snapshot(types=(listed(SMALL),), offered=(offer(SMALL, HERE),), prices=(price(SMALL, HERE, "10"),), spot=(quote(SMALL, HERE, "2"),))
    assert find_changes(Known({}, now.prices, now.spot), now, now) == ()
