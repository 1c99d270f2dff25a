from __future__ import annotations

from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest

from tools.conditions import PRECISIONS, failed, meets
from tools.finder import Sort, estimated_within, explain_none, find_instances
from tools.no_match import find_culprits
from tools.prices import HOURS_PER_MONTH

SHANGHAI = "cn-shanghai"
ASKED: dict[str, Any] = {
    "gpu_id": "nvidia-a10",
    "min_card_memory_gb": 80,
    "gpu_count": 16,
    "max_price": Decimal(1),
    "max_monthly": Decimal(10),
    "rdma": True,
    "nvlink": True,
    "precision": "fp4",
    "bare_metal": True,
    "local_disk": True,
    "status": "on_sale",
}


@pytest.mark.parametrize("names", [names for size in (1, 2, 3) for names in combinations(ASKED, size)])
def test_what_is_given_up_leaves_something_and_no_smaller_part_of_it_does(names: tuple[str, ...]) -> None:
    conditions: Any = {name: ASKED[name] for name in names}
    none = explain_none(with_gpu=False, **conditions)
    if find_instances(**conditions):
        assert none is None
        return
    assert none is not None and none.nearest and none.count >= len(none.nearest)
    kept: Any = {name: value for name, value in conditions.items() if name not in none.given_up}
    found = find_instances(**kept)
    assert {row.instance.instance_type for row in none.nearest} <= {row.instance.instance_type for row in found}
    for name in none.given_up:
        assert not find_instances(**{**kept, name: conditions[name]}) or len(none.given_up) == 1
    fewer = [part for size in range(1, len(none.given_up)) for part in combinations(names, size)]
    for part in fewer:
        assert not find_instances(**{name: value for name, value in conditions.items() if name not in part})


@pytest.mark.parametrize(("language", "words"), [("zh", ("每小时不超过 1 元", "”和“", "其中")), ("en", ("at most 1 CNY an hour", "\" and \"", "rules out most"))])
def test_two_conditions_that_each_rule_out_all_are_both_named(language: Any, words: tuple[str, ...]) -> None:
    none = explain_none(gpu_id="nvidia-h20-96gb", max_price=Decimal("0.01"), min_card_memory_gb=200)
    assert none is not None and len(none.given_up) == 2
    none = explain_none(gpu_id="nvidia-a10", max_price=Decimal(1), min_card_memory_gb=90)
    assert none is not None
    assert all(word in none.say(language) for word in words)


@pytest.mark.parametrize("with_gpu", [True, False])
def test_types_without_a_gpu_are_not_counted_among_what_is_left(with_gpu: bool) -> None:
    none = explain_none(max_price=Decimal("0.001"), with_gpu=with_gpu)
    assert none is not None
    assert none.count == len([row for row in find_instances() if row.gpu or not with_gpu])


def test_what_is_no_longer_sold_does_not_come_nearest() -> None:
    none = explain_none(gpu_id="nvidia-v100-32gb", status="invite_only")
    assert none is not None and none.nearest
    assert not {row.instance.status for row in none.nearest} & {"phased_out", "name_only"}


def test_no_conditions_need_no_reason() -> None:
    assert explain_none() is None and find_culprits([], {"rdma": True}, lambda row: 0) is None


@pytest.mark.parametrize("sort", ["price", "memory", "price-per-gb", "month"])
def test_sorted_with_what_has_no_price_behind(sort: Sort) -> None:
    rows = find_instances(region=SHANGHAI, sort=sort, vgpu=False, status="on_sale", gpu_id={"nvidia-a10", "nvidia-t4", "nvidia-a100-80gb"})
    by: dict[str, list[Any]] = {
        "price": [row.price.amount if row.price else None for row in rows],
        "memory": [-(row.instance.gpu_memory_gb_total or 0) for row in rows],
        "price-per-gb": [float(row.price.amount) / (row.instance.gpu_memory_gb_total or 1) if row.price else None for row in rows],
        "month": [row.monthly.amount if row.monthly else None for row in rows],
    }
    keys = by[sort]
    known = [key for key in keys if key is not None]
    assert len(known) > 3 and known == sorted(known)
    assert keys[: len(known)] == known


def test_a_monthly_budget_goes_by_listed_subscriptions_of_the_region() -> None:
    rows = find_instances(region=SHANGHAI, max_monthly=Decimal(5000))
    assert rows and all(row.monthly and row.monthly.amount <= 5000 and row.monthly.region == SHANGHAI for row in rows)
    assert not find_instances(region="cn-hangzhou", max_monthly=Decimal(5000))


def test_estimates_are_only_made_where_no_subscription_is_listed() -> None:
    rows = estimated_within(Decimal(8000), region="cn-hangzhou", vgpu=False)
    assert rows and all(row.monthly is None and row.price and row.price.amount * HOURS_PER_MONTH <= 8000 for row in rows)
    listed = {row.instance.instance_type for row in find_instances(region=SHANGHAI) if row.monthly}
    assert not listed & {row.instance.instance_type for row in estimated_within(Decimal(10**6), region=SHANGHAI)}


@pytest.mark.parametrize(
    ("precision", "has", "lacks"),
    [
        ("fp4", {"nvidia-rtx-pro-5000-72gb"}, {"nvidia-h20-96gb", "nvidia-l20", "nvidia-a10"}),
        ("fp8", {"nvidia-l20", "nvidia-h20-96gb", "nvidia-ada-48gb-vgpu"}, {"nvidia-a10", "nvidia-a100-80gb", "nvidia-t4"}),
        ("int8", {"nvidia-t4", "nvidia-a10", "nvidia-l20", "nvidia-ada-48gb-vgpu"}, {"nvidia-v100-16gb"}),
        ("bf16", {"nvidia-a10", "nvidia-a100-80gb"}, {"nvidia-t4", "nvidia-v100-16gb"}),
    ],
)
def test_precision_goes_by_the_card_table(precision: Any, has: set[str], lacks: set[str]) -> None:
    cards = {row.instance.gpu_id for row in find_instances(precision=precision)}
    assert has <= cards and not lacks & cards and precision in PRECISIONS


def test_sold_here_wants_a_price_or_a_quote_in_the_region() -> None:
    rows = find_instances(region="cn-shanghai", sold_here=True)
    assert rows and {row.instance.gpu_id for row in rows} and len(rows) < len(find_instances())
    assert "ecs.gn8v.4xlarge" not in {row.instance.instance_type for row in rows}


def test_failed_names_exactly_what_a_row_does_not_meet() -> None:
    row = find_instances(gpu_id="nvidia-a10", gpu_count=1)[0]
    asked = {"gpu_id": "nvidia-a10", "gpu_count": 2, "nvlink": True}
    assert failed(row, asked) == {"gpu_count", "nvlink"} and not meets(row, asked) and meets(row, {"gpu_id": "nvidia-a10"})


def test_an_unknown_condition_is_a_bug() -> None:
    with pytest.raises(TypeError):
        find_instances(colour="green")  # type: ignore[call-arg]
