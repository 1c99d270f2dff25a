"""Where types and families are sold, and prices region by region: only what is on record, with its day."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from knowledge.errors import UnknownInstance
from knowledge.facts import use_snapshots
from knowledge.rows import SpotRow
from knowledge.snapshot_rows import Offered
from knowledge.snapshots import write_snapshot
from tests.knowledge.snapshot_samples import A10, DAY, SOURCE, offered, price, snapshot, spot
from tools.phrases import Language
from tools.prices import all_prices
from tools.regions import compare_regions
from tools.site import use_site
from tools.sold import MOST_SHOWN, SoldIn, sold_in_words, where_sold

NAME = A10.instance_type
BOTH: tuple[Language, Language] = ("zh", "en")


def refreshed(folder: Path, *offers: Offered, prices: tuple[object, ...] = (), spots: tuple[SpotRow, ...] = ()) -> None:
    regions = tuple(dict.fromkeys(("cn-hangzhou", *(row.region for row in offers))))
    made = snapshot(offered=offers, prices=prices, spot=spots)
    write_snapshot(folder, replace(made, manifest=replace(made.manifest, regions=regions)))
    use_snapshots(folder)


def of(rows: list[SoldIn], region: str) -> SoldIn:
    return next(row for row in rows if row.region == region)


def test_without_a_refresh_prices_on_record_tell() -> None:
    found = where_sold(NAME)
    assert {row.evidence for row in found.rows} <= {"priced", "quoted_spot"}
    assert {row.region for row in found.rows} == {item.region for item in all_prices(NAME)}
    assert all(row.as_of < "2026-12-01" and row.source_id for row in found.rows)
    amounts = [row.price.amount for row in found.rows if row.price and row.price.currency == "CNY"]
    assert amounts == sorted(amounts)
    for language in BOTH:
        text = " ".join([*sold_in_words(where_sold(NAME, language=language), language), where_sold(NAME, language=language).note])
        assert "2024-12-31" in text
        assert ("不等于不卖" if language == "zh" else "does not mean not sold") in text
        assert str(len(found.rows) - MOST_SHOWN) in text


def test_what_was_asked_of_the_cloud_comes_first(tmp_path: Path) -> None:
    refreshed(
        tmp_path,
        offered(zone="cn-hangzhou-k"),
        offered(zone="cn-hangzhou-j", stock="closed_with_stock"),
        offered(charge="spot", zone="cn-hangzhou-h", status="sold_out", stock="without_stock"),
        offered(region="cn-beijing", zone="cn-beijing-a", status="sold_out", stock="without_stock"),
        prices=(price(),),
    )
    rows = where_sold(NAME).rows
    assert rows[0].region == "cn-hangzhou"
    assert (rows[0].evidence, rows[0].zones, rows[0].stock) == ("offered", ["cn-hangzhou-j", "cn-hangzhou-k"], "with_stock")
    assert (rows[0].as_of, rows[0].source_id) == (DAY, SOURCE)
    assert rows[0].price is not None
    assert rows[0].price.as_of == DAY
    assert rows[-1].region == "cn-beijing"
    assert (rows[-1].evidence, rows[-1].zones) == ("sold_out", [])
    assert of(rows, "cn-shanghai").evidence == "priced"
    zh = sold_in_words(where_sold(NAME, language="zh"), "zh")[0]
    assert "可购买" in zh
    assert "cn-hangzhou-j" in zh
    assert DAY in zh


def test_of_several_days_the_newest_counts(tmp_path: Path) -> None:
    old = offered(as_of="2026-12-01", zone="cn-hangzhou-h")
    refreshed(tmp_path, old, offered(status="sold_out", stock=""))
    row = of(where_sold(NAME).rows, "cn-hangzhou")
    assert (row.evidence, row.zones, row.as_of) == ("sold_out", [], DAY)


def test_a_family_has_one_row_a_region(tmp_path: Path) -> None:
    other = "ecs.gn7i-c16g1.4xlarge"
    refreshed(
        tmp_path,
        offered(status="sold_out", stock="without_stock"),
        offered(other, zone="cn-hangzhou-i"),
        offered(region="cn-beijing", zone="cn-beijing-a", status="sold_out"),
    )
    found = where_sold("gn7i")
    assert found.kind == "family"
    assert len({row.region for row in found.rows}) == len(found.rows)
    here = of(found.rows, "cn-hangzhou")
    assert (here.evidence, here.types, here.zones, here.instance_type) == ("offered", 1, ["cn-hangzhou-i"], other)
    assert of(found.rows, "cn-beijing").evidence == "sold_out", "asked today, which tells more than an old price"
    for language in BOTH:
        assert all(sold_in_words(where_sold("gn7i", language=language), language))


def test_a_spot_quote_alone_is_called_so(tmp_path: Path) -> None:
    name = "ecs.gn8v.4xlarge"
    refreshed(tmp_path, spots=(spot(name, region="cn-shanghai", zone="cn-shanghai-l"),))
    (row,) = where_sold(name).rows
    assert (row.evidence, row.region, row.price) == ("quoted_spot", "cn-shanghai", None)


@pytest.mark.parametrize("name", ["gn8v", "ecs.gn8v.4xlarge", "gn8t"])
def test_nothing_known_is_said(name: str, tmp_path: Path) -> None:
    for language, words in (("zh", "没有查到"), ("en", "not known")):
        found = where_sold(name, language=language)  # type: ignore[arg-type]
        assert found.rows == []
        assert words in found.note
    refreshed(tmp_path)
    assert "cn-hangzhou" in where_sold(name).note


@pytest.mark.parametrize("name", ["gn7v", "ecs.gn99.large", "", "A10", "x" * 100_000])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UnknownInstance):
        where_sold(name)
    with pytest.raises(UnknownInstance):
        compare_regions(name)


def test_regions_are_compared_by_their_own_prices() -> None:
    found = compare_regions(NAME)
    listed = {(item.region, item.amount) for item in all_prices(NAME) if item.billing == "payg"}
    assert {(row.region, row.price.amount) for row in found.rows} == listed
    assert [row.price.amount for row in found.rows] == sorted(amount for _, amount in listed)
    assert found.rows[0].dearer_pct == 0.0
    assert set(found.without).isdisjoint(row.region for row in found.rows)
    assert "cn-qingdao" in found.without
    assert all(row.price.as_of and row.price.source_id for row in found.rows)
    for language, words in (("zh", "没有互相推算"), ("en", "none is carried over")):
        assert words in compare_regions(NAME, language=language).note  # type: ignore[arg-type]


def test_dollars_stand_last_and_are_not_held_against_yuan(tmp_path: Path) -> None:
    dollars = [price(region=region, currency="USD", site="intl", amount=Decimal("0.01")) for region in ("me-central-1", "cn-hangzhou")]
    refreshed(tmp_path, prices=tuple(dollars))
    china = compare_regions(NAME)
    assert (china.rows[-1].region, china.rows[-1].price.currency, china.rows[-1].dearer_pct) == ("me-central-1", "USD", None)
    assert [row.region for row in china.rows].count("cn-hangzhou") == 1
    assert "USD" in china.note
    use_site("intl")
    abroad = compare_regions(NAME)
    assert [row.price.currency for row in abroad.rows[:3]] == ["USD", "USD", "CNY"]
    assert abroad.rows[2].dearer_pct is None


def test_no_price_anywhere_is_said_by_way_of_billing() -> None:
    for billing, word in (("year", "包年"), ("month", "包月")):
        found = compare_regions("ecs.gn8v.4xlarge", billing=billing, language="zh")  # type: ignore[arg-type]
        assert found.rows == []
        assert word in found.note


def test_spot_ranges_are_not_compared_in_percent() -> None:
    found = compare_regions(NAME, billing="spot")
    assert found.rows
    assert all(row.dearer_pct is None and row.price.amount_high is not None for row in found.rows)
