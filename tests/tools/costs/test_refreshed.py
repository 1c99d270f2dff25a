"""What a refresh adds to a comparison: a plan's rate, spot advice and a yearly price."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from knowledge.facts import use_snapshots
from knowledge.rows import PriceRow
from knowledge.snapshot_rows import FORMAT, Manifest, PlanRate, Snapshot, SpotAdvice
from knowledge.snapshots import write_snapshot
from tools.costs.compare import compare_costs

A10 = "ecs.gn7i-c8g1.2xlarge"
DAY = "2026-12-05"


def price(billing: str, per: str, amount: str) -> PriceRow:
    return PriceRow(
        A10, "cn-shanghai", billing, "CNY", Decimal(amount), per, "cn", DAY, "high", f"ecs-api-{DAY}", ""
    )  # fmt: skip


@pytest.fixture
def refreshed(tmp_path: Path) -> Iterator[None]:
    manifest = Manifest(FORMAT, f"{DAY}T01:00:00+00:00", "cn", ("cn-shanghai",), ("gn7i",), ())
    write_snapshot(tmp_path, Snapshot(
        manifest=manifest,
        prices=(price("payg", "hour", "10"), price("month", "month", "4000"), price("year", "year", "40000")),
        advice=(
            SpotAdvice(A10, "cn-shanghai", "cn-shanghai-l", 30, 0.02, "0-3%", DAY),
            SpotAdvice(A10, "cn-shanghai", "cn-shanghai-n", 55, 0.08, "5-10%", DAY),
        ),
        plans=(
            PlanRate("gn7i", "cn-shanghai", "ecs", 1, "zero", 83.6, DAY),
            PlanRate("gn7i", "cn-shanghai", "universal", 3, "total", 60.0, DAY),
            PlanRate("gn7i", "cn-beijing", "ecs", 1, "zero", 1.0, DAY),
        ),
    ))  # fmt: skip
    use_snapshots(tmp_path)
    yield
    use_snapshots(None)


def test_a_year_and_the_rates_of_plans(refreshed: None) -> None:
    item = compare_costs(A10, region="cn-shanghai", months=12)
    ways = {row.way: row for row in item.rows if row.way in ("payg", "month", "year")}
    assert {way: row.total for way, row in ways.items()} == {"payg": 87600, "month": 48000, "year": 40000}
    assert item.cheapest_way == "year"
    assert item.break_even_hours == 400
    plans = [row for row in item.rows if row.way == "savings_plan"]
    assert [row.amount for row in plans] == [Decimal("6.0"), Decimal("8.36")]  # 60 % and 83.6 % of 10 an hour
    assert all(row.ceiling_pct is None and row.as_of == DAY for row in plans)
    assert "40 %" in plans[0].note
    assert not any("yearly" in note for note in item.notes)


def test_a_plan_can_be_the_cheapest_and_says_that_it_binds(refreshed: None) -> None:
    item = compare_costs(A10, region="cn-shanghai", hours=100, months=12, language="zh")
    assert item.cheapest_way == "savings_plan"
    assert "承诺 1 年或 3 年" in item.cheapest


def test_spot_advice_stands_beside_the_quotes(refreshed: None) -> None:
    for language, words in (("zh", "30–55 %"), ("en", "30–55 %")):
        item = compare_costs(A10, region="cn-shanghai", hours=10, language=language)  # type: ignore[arg-type]
        said = " ".join([*(row.note for row in item.rows), *item.notes])
        assert words in said
        assert "0-3%, 5-10%" in said
        assert DAY in said


def test_another_region_keeps_the_ceiling(refreshed: None) -> None:
    item = compare_costs(A10, region="cn-hangzhou", months=12)
    plans = [row for row in item.rows if row.way == "savings_plan"]
    assert [row.ceiling_pct for row in plans] == [76]
