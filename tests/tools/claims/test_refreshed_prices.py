"""Prices against a refreshed catalog: the newest row counts, an older one is out of date, another region or day is left open."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from knowledge.facts import use_snapshots
from knowledge.snapshots import write_snapshot
from tests.knowledge.snapshot_samples import SOURCE, price, snapshot
from tools.claims.check import check_claims
from tools.phrases import Language
from tools.results import Statement


@pytest.fixture(autouse=True)
def refreshed(tmp_path: Path) -> Iterator[None]:
    """A catalog of 2026-12-05 in which ecs.gn7i-c8g1.2xlarge costs 8.2 CNY an hour in Hangzhou (9.5326 as shipped)."""
    write_snapshot(tmp_path, snapshot(prices=(price(amount=Decimal("8.2")),)))
    use_snapshots(tmp_path)
    yield
    use_snapshots(None)


def judged(text: str, language: Language) -> Statement:
    (item,) = check_claims(text, language=language).statements
    return item


@pytest.mark.parametrize(
    ("language", "text", "verdict"),
    [
        ("zh", "ecs.gn7i-c8g1.2xlarge 杭州每小时 8.2 元", "true"),
        ("zh", "ecs.gn7i-c8g1.2xlarge 杭州每小时 9.53 元", "outdated"),
        ("zh", "ecs.gn7i-c8g1.2xlarge 杭州每小时 12 元", "wrong"),
        ("zh", "ecs.gn7i-c8g1.2xlarge 北京每小时 9.53 元", "true"),
        ("zh", "ecs.gn7i-c8g1.2xlarge 迪拜每小时 12 元", "cannot_judge"),
        ("zh", "2024 年 12 月 ecs.gn7i-c8g1.2xlarge 杭州每小时 9.53 元", "true"),
        ("zh", "2025-03 ecs.gn7i-c8g1.2xlarge 杭州每小时 11 元", "cannot_judge"),
        ("en", "ecs.gn7i-c8g1.2xlarge costs 8.20 CNY per hour in Hangzhou", "true"),
        ("en", "ecs.gn7i-c8g1.2xlarge costs 9.53 CNY per hour in Hangzhou", "outdated"),
        ("en", "ecs.gn7i-c8g1.2xlarge costs 12 CNY per hour in Hangzhou", "wrong"),
        ("en", "In March 2025 ecs.gn7i-c8g1.2xlarge cost 11 CNY per hour in Hangzhou", "cannot_judge"),
    ],
)
def test_the_newest_price_counts(language: Language, text: str, verdict: str) -> None:
    assert judged(text, language).verdict == verdict


@pytest.mark.parametrize(("language", "text"), [("zh", "ecs.gn7i-c8g1.2xlarge 杭州每小时 9.53 元"), ("en", "ecs.gn7i-c8g1.2xlarge costs 9.53 CNY per hour in Hangzhou")])
def test_a_price_of_before_is_told_with_both_days(language: Language, text: str) -> None:
    item = judged(text, language)
    assert "8.2 " in item.fact and "2026-12-05" in item.fact and "9.5326" in item.fact and "2024-12-31" in item.fact
    assert item.source_ids == [SOURCE, "cloudpilot-prices-2024-12"]
