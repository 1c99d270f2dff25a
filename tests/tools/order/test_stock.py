from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from knowledge.facts import use_snapshots
from knowledge.snapshot_rows import Offered
from knowledge.snapshots import write_snapshot
from tests.knowledge.snapshot_samples import DAY, offered, snapshot
from tools.order.make import make_order
from tools.order.results import Order
from tools.phrases import Language

A10, LARGER = "ecs.gn7i-c8g1.2xlarge", "ecs.gn7i-c16g1.4xlarge"
OFFERED = (
    offered(),
    offered(zone="cn-hangzhou-i", status="sold_out", stock="without_stock"),
    offered(LARGER, region="cn-beijing", zone="cn-beijing-l"),
    offered(charge="spot", zone="cn-hangzhou-k"),
)


@contextmanager
def refreshed(folder: Path, rows: tuple[Offered, ...] = OFFERED) -> Iterator[None]:
    write_snapshot(folder, snapshot(offered=rows))
    use_snapshots(folder)
    try:
        yield
    finally:
        use_snapshots(None)


def order(name: str = A10, language: Language = "en", **how: object) -> Order:
    return make_order(name, **{"region": "cn-hangzhou", "language": language, **how})  # type: ignore[arg-type]


@pytest.mark.parametrize(("language", "words"), [("zh", ("有货的可用区", "售罄")), ("en", ("with stock", "sold out"))])
def test_zones_with_stock_and_without_are_told_with_their_day(tmp_path: Path, language: Language, words: tuple[str, ...]) -> None:
    with refreshed(tmp_path):
        made = order(language=language)
    told = " ".join(made.cautions)
    assert made.cli is not None and all(word in told for word in (*words, "cn-hangzhou-j", "cn-hangzhou-i", DAY))
    assert f"ecs-api-{DAY}" in made.source_ids


@pytest.mark.parametrize(("language", "word"), [("zh", "没有以按量付费卖"), ("en", "did not sell")])
def test_a_region_that_does_not_sell_it_gets_no_command(tmp_path: Path, language: Language, word: str) -> None:
    with refreshed(tmp_path):
        made = order(LARGER, language=language)
    assert made.cli is made.terraform is None and not made.steps
    assert word in made.how_to_get and "cn-beijing" in made.how_to_get and DAY in made.how_to_get


def test_each_way_of_billing_has_its_own_stock(tmp_path: Path) -> None:
    with refreshed(tmp_path):
        spot, month = order(billing="spot"), order(billing="month")
    assert any("cn-hangzhou-k" in caution for caution in spot.cautions)
    assert month.cli is not None and not any(DAY in caution and "stock" in caution for caution in month.cautions)


def test_what_no_refresh_asked_for_is_not_called_unsold(tmp_path: Path) -> None:
    with refreshed(tmp_path):
        other_family, other_region = order("ecs.gn7e-c16g1.4xlarge"), order(region="cn-shanghai")
    assert other_family.cli is not None and other_region.cli is not None


def test_a_zone_that_does_not_have_it_is_said(tmp_path: Path) -> None:
    with refreshed(tmp_path):
        made = order(zone="cn-hangzhou-b")
    assert made.cli is not None and any("cn-hangzhou-b" in caution for caution in made.cautions)


def test_a_type_through_sales_stays_so_although_a_region_lists_it(tmp_path: Path) -> None:
    with refreshed(tmp_path):
        made = order("ecs.gn8is.4xlarge")
    assert made.cli is None and "sales" in made.how_to_get
