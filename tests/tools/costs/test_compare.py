"""Ways of paying side by side: totals by hand from prices.csv, and nothing where no price is on record."""

from __future__ import annotations

from contextvars import copy_context
from decimal import Decimal

import pytest

from knowledge.errors import InputError, UnknownInstance
from knowledge.facts import instances, price_rows
from tools.costs.compare import compare_costs
from tools.costs.results import CostComparison, CostRow
from tools.phrases import Language
from tools.site import use_site

A10 = "ecs.gn7i-c8g1.2xlarge"
T4 = "ecs.gn6i-c4g1.xlarge"
A100 = "ecs.gn7e-c16g1.4xlarge"


def row(item: CostComparison, way: str) -> CostRow:
    return next(one for one in item.rows if one.way == way)


@pytest.mark.parametrize(
    ("name", "region", "month", "hour", "hours"),
    [
        (T4, "cn-shanghai", "3348", "11.63", "287.9"),
        (T4, "cn-shenzhen", "1674", "11.63", "143.9"),
        (A10, "cn-shanghai", "4575.66", "9.5326", "480.0"),
        (A100, "cn-shanghai", "16676", "34.7418", "480.0"),
        ("ecs.gn6v-c8g1.2xlarge", "cn-shanghai", "7620", "26.46", "288.0"),
    ],
)
def test_break_even_is_month_over_hour(name: str, region: str, month: str, hour: str, hours: str) -> None:
    item = compare_costs(name, region=region)
    assert row(item, "month").amount == Decimal(month)
    assert row(item, "payg").amount == pytest.approx(Decimal(hour), abs=Decimal("0.001"))
    assert item.break_even_hours == Decimal(hours)
    assert row(item, "payg").as_of in row(item, "month").note
    assert all(date in item.cheapest for date in (row(item, "payg").as_of, row(item, "month").as_of))


def test_totals_of_months_with_hours() -> None:
    item = compare_costs(A10, region="上海", machines=2, hours=200, months=3)
    assert row(item, "payg").total == Decimal("9.5326") * 200 * 3 * 2
    assert row(item, "month").total == Decimal("4575.66") * 3 * 2
    assert row(item, "month").effective_hourly == Decimal("22.8783")  # 4575.66 / 200
    assert item.cheapest_way == "payg"


@pytest.mark.parametrize(
    ("hours", "months", "way", "payg", "month"),
    [
        (479, None, "payg", "4566.1154", "4575.66"),
        (481, None, "month", "4585.1806", "4575.66"),
        (None, 1, "month", "6958.798", "4575.66"),
        (1000, None, "month", "9532.6", "9151.32"),  # two months
        (1, 2, "payg", "19.0652", "9151.32"),
    ],
)
def test_the_cheapest_changes_at_the_break_even(hours: int | None, months: int | None, way: str, payg: str, month: str) -> None:
    item = compare_costs(A10, region="cn-shanghai", hours=hours, months=months)
    assert item.cheapest_way == way
    assert row(item, "payg").total == Decimal(payg)
    assert row(item, "month").total == Decimal(month)


def test_without_a_time_there_are_no_totals() -> None:
    item = compare_costs(A10, region="cn-shanghai", machines=4)
    assert all(one.total is None for one in [*item.rows, *item.elsewhere])
    assert item.cheapest_way is None
    assert "480" in item.cheapest


def test_a_way_of_another_region_stands_apart() -> None:
    item = compare_costs(A10, region="cn-hangzhou", months=1)
    assert {one.region for one in item.rows} == {"cn-hangzhou"}
    assert "month" not in {one.way for one in item.rows}
    months = [one for one in item.elsewhere if one.way == "month"]
    assert {one.region for one in months} == {"cn-shanghai", "cn-shenzhen"}
    assert months[0].break_even_hours == Decimal("480.0")
    assert item.break_even_hours is None
    assert item.cheapest_way == "payg"
    assert "4,575.66" not in item.cheapest
    assert any("cn-shanghai" in note and "carried over" in note for note in item.notes)


def test_spot_is_the_range_of_its_day() -> None:
    item = compare_costs(A10, region="cn-shenzhen", hours=100)
    spot = row(item, "spot")
    assert (spot.amount, spot.amount_high, spot.as_of) == (Decimal("3.432"), Decimal("9.152"), "2024-10-09")
    assert (spot.total, spot.total_high) == (Decimal("343.2"), Decimal("915.2"))
    assert "2024-10-09" in item.cheapest
    assert "reclaimed" in item.cheapest
    assert item.cheapest_way != "spot"


@pytest.mark.parametrize(("language", "words"), [("zh", "没有查到"), ("en", "No public price")])
def test_no_price_stays_none_with_its_reason(language: str, words: str) -> None:
    item = compare_costs("ecs.gn8v.4xlarge", hours=100, language=language)  # type: ignore[arg-type]
    assert not any(one.amount is not None or one.total is not None for one in [*item.rows, *item.elsewhere])
    assert item.cheapest_way is None
    assert any(words in note for note in item.notes)


def test_plans_are_ceilings_not_prices() -> None:
    item = compare_costs(A10, region="cn-shanghai", months=12)
    assert row(item, "savings_plan").ceiling_pct == 76
    assert row(item, "reserved").ceiling_pct == 79
    for way in ("savings_plan", "reserved"):
        assert row(item, way).amount is None
        assert row(item, way).total is None


@pytest.mark.parametrize(("name", "listed"), [(T4, True), ("ecs.gn6v-c8g1.2xlarge", True), (A10, False), (A100, False)])
def test_reserved_instances_are_promised_only_where_listed(name: str, listed: bool) -> None:
    note = row(compare_costs(name), "reserved").note
    assert ("not confirmed" not in note) == listed
    assert "2021-05-24" in note


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_one_plan_rate_seen_is_told_of_its_family_only(language: str) -> None:
    seen = row(compare_costs("ecs.gn8is.2xlarge", language=language), "savings_plan").note  # type: ignore[arg-type]
    assert "16.4" in seen
    assert "2026-09-15" in seen
    assert "16.4" not in row(compare_costs(A10, language=language), "savings_plan").note  # type: ignore[arg-type]


def test_currencies_are_never_mixed() -> None:
    dollars = compare_costs("ecs.gn9gc-4x.32xlarge", region="us-east-1", months=2)
    assert dollars.currency == "USD"
    assert row(dollars, "month").total == 26636
    assert any("USD" in note and "not converted" in note for note in dollars.notes)
    for name in instances():
        item = compare_costs(name, region="us-east-1", months=1)
        assert {one.currency for one in [*item.rows, *item.elsewhere]} <= {item.currency}


def test_idle_follows_the_machine() -> None:
    used = compare_costs(A10, region="cn-shanghai", hours=200, machines=2)
    assert "10,105 CNY" in used.idle[0]  # 9.5326 · 530 · 2
    assert any("economical mode" in line and "disks" in line for line in used.idle)
    local = compare_costs("ecs.gn5-c4g1.xlarge", hours=10)
    assert any("local disks" in line for line in local.idle)
    assert not any("fails when there is no stock" in line for line in local.idle)
    assert "local disks" in local.cheapest


def test_every_price_of_the_table_is_found_unchanged() -> None:
    for listed in price_rows():
        item = compare_costs(listed.instance_type, region=listed.region, currency=listed.currency)
        found = row(item, listed.billing)
        assert (found.amount, found.as_of, found.source_id) == (listed.amount, listed.as_of, listed.source_id)


@pytest.mark.parametrize(
    "wrong",
    [
        {"machines": 0}, {"machines": -3}, {"machines": 10**12}, {"hours": 0}, {"hours": -1}, {"hours": float("nan")},
        {"hours": float("inf")}, {"hours": 1e12}, {"hours": 800, "months": 1}, {"months": 0}, {"months": 10**9}, {"region": "火星"},
    ],
)  # fmt: skip
def test_absurd_requests_are_one_sentence(wrong: dict[str, object]) -> None:
    for language in ("zh", "en"):
        with pytest.raises(InputError) as problem:
            compare_costs(A10, **wrong, language=language)  # type: ignore[arg-type]
        assert len(str(problem.value)) < 200
        assert "\n" not in str(problem.value)


def test_unknown_types_are_refused() -> None:
    with pytest.raises(UnknownInstance):
        compare_costs("ecs.gn8i.2xlarge")
    with pytest.raises(UnknownInstance):
        compare_costs("x" * 100_000)


def test_the_site_in_use_names_the_currency() -> None:
    def abroad() -> str:
        use_site("intl")
        return compare_costs("ecs.gn8is-4x.16xlarge", region="us-east-1").currency

    assert copy_context().run(abroad) == "USD"
    assert compare_costs(A10).currency == "CNY"


@pytest.mark.parametrize(("language", "word"), [("zh", "促销价"), ("en", "a promotion")])
def test_a_promotion_is_called_one_and_comes_after_list_prices(language: Language, word: str) -> None:
    found = compare_costs("ecs.gn6i-c4g1.xlarge", region="cn-hangzhou", language=language)
    months = [row for row in found.elsewhere if row.way == "month"]
    assert [(row.region, row.amount) for row in months] == [("cn-shanghai", Decimal(3348)), ("cn-shenzhen", Decimal(1674))]
    assert [word in row.note for row in months] == [False, True]
