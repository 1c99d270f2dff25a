from decimal import Decimal
from typing import Any, Literal

import pytest

from knowledge.aliyun.cloud import Dropped
from knowledge.errors import CloudError
from knowledge.snapshot_rows import PlanRate
from tests.knowledge.aliyun.samples import LARGE, SMALL, plans_answer, sku, skus_answer
from tests.knowledge.aliyun.stub import EMPTY, Stub

SKUS, PLANS = "QuerySkuPriceList", "QuerySavingsPlansDiscount"


def test_the_price_list_of_a_region(stub: Stub) -> None:
    pages = {"": skus_answer(sku(SMALL, "10.5"), token="2"), "2": skus_answer(sku(LARGE, "42.000000"))}
    stub.answers[SKUS] = lambda request: pages[request.query.get("NextPageToken", "")]
    rows = stub.open().bulk_prices("cn-hangzhou")
    assert [(row.instance_type, row.amount, row.per, row.billing, row.site) for row in rows] == [
        (SMALL, Decimal("10.5"), "hour", "payg", "cn"),
        (LARGE, Decimal(42), "hour", "payg", "cn"),
    ]
    first, second = stub.requests
    assert first.method == "GET"
    assert first.query == {
        "CommodityCode": "ecs",
        "PriceEntityCode": "instance_type",
        "PageSize": "50",
        "Lang": "en",
        "PriceFactorConditionMap": '{"vm_region_no":["cn-hangzhou"],"vm_os_kind":["linux"]}',
    }
    assert second.query["NextPageToken"] == "2"


@pytest.mark.parametrize(("site", "commodity"), [("cn", "ecs"), ("intl", "ecs_intl")])
def test_each_site_has_its_price_list(stub: Stub, site: Literal["cn", "intl"], commodity: str) -> None:
    cloud = stub.open(site=site)
    cloud.bulk_prices("cn-hangzhou")
    cloud.plan_rates("cn-hangzhou", ["gn7i"])
    assert {request.query["CommodityCode"] for request in stub.requests} == {commodity}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (sku(SMALL, "10", region="cn-beijing"), "region"),
        (sku(SMALL, "10", vm_os_kind="windows"), "region"),
        (sku("A10", "10"), "name"),
        (sku(SMALL, "0"), "amount"),
        (sku(SMALL, "NaN"), "amount"),
        (sku(SMALL, "-1"), "amount"),
        (sku(SMALL, "1000000000000"), "amount"),
        (sku(SMALL, None), "amount"),
        (sku(SMALL, "10", currency="EUR"), "currency"),
        ({"SkuFactorMap": None, "CskuPriceList": None}, "region"),
    ],
)
def test_rows_without_their_fact_are_dropped_and_counted(stub: Stub, row: dict[str, Any], reason: Any) -> None:
    stub.answers[SKUS] = skus_answer(row, sku(LARGE, "42"))
    cloud = stub.open()
    assert [price.instance_type for price in cloud.bulk_prices("cn-hangzhou")] == [LARGE]
    assert cloud.dropped == {Dropped(SKUS, "cn-hangzhou", reason): 1}


def test_a_type_at_two_prices_has_none(stub: Stub) -> None:
    stub.answers[SKUS] = skus_answer(sku(SMALL, "10"), sku(SMALL, "11"), sku(LARGE, "42"), sku(LARGE, "42.0"))
    cloud = stub.open()
    assert [row.instance_type for row in cloud.bulk_prices("cn-hangzhou")] == [LARGE]
    assert cloud.dropped == {Dropped(SKUS, "cn-hangzhou", "conflict"): 1}


def test_prices_that_are_not_plain_hourly_ones_are_left(stub: Stub) -> None:
    scaled, monthly, old = sku(SMALL, "1"), sku(SMALL, "2"), sku(SMALL, "3", iooptimized="none")
    scaled["CskuPriceList"][0]["PriceMode"] = "STEP_ARRIVE"
    monthly["CskuPriceList"][0]["PriceType"] = "monthPrice"
    stub.answers[SKUS] = skus_answer(scaled, monthly, old, sku(SMALL, "10.5"))
    assert [row.amount for row in stub.open().bulk_prices("cn-hangzhou")] == [Decimal("10.5")]


def test_two_currencies_in_one_list_are_refused(stub: Stub) -> None:
    stub.answers[SKUS] = skus_answer(sku(SMALL, "10"), sku(LARGE, "6", currency="USD"))
    with pytest.raises(CloudError, match="two currencies"):
        stub.open().bulk_prices("cn-hangzhou")


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("NotAuthorized", "permission"),
        ("NoPermission", "permission"),
        ("NotApplicable", "permission"),
        ("InternalError", "unavailable"),
        ("Throttling", "throttled"),
        ("PARAM_ERROR", "bad_answer"),
        (None, "bad_answer"),
    ],
)
def test_success_false_is_a_failure_though_the_status_is_200(stub: Stub, code: str | None, kind: str) -> None:
    refusal = {"Success": False, "Code": code, "Message": "This API is not applicable for caller.", "RequestId": "R"}
    stub.answers |= {SKUS: refusal, PLANS: refusal}
    for ask in (stub.open().bulk_prices, lambda region: stub.open().plan_rates(region, ["gn7i"])):
        with pytest.raises(CloudError) as raised:
            ask("cn-hangzhou")
        assert raised.value.kind == kind


def test_rates_of_plans_are_the_official_ones(stub: Stub) -> None:
    """Not those of the account's contract, which are in the answer too."""
    stub.answers[PLANS] = lambda request: plans_answer(
        {"Spec": "ecs.gn7i", "DiscountRate": "0.57" if request.query["Cycle"] == "3:Year" else "0.79", "ContractDiscountRate": "0.30"}
    )
    rows = stub.open().plan_rates("cn-hangzhou", ["gn7i"])
    assert len(rows) == 12
    assert rows[0] == PlanRate("gn7i", "cn-hangzhou", "ecs", 1, "total", 79.0, "2026-12-05")
    assert {(row.years, row.pay_pct) for row in rows} == {(1, 79.0), (3, 57.0)}
    assert {(row.plan, row.upfront) for row in rows} == {(plan, way) for plan in ("ecs", "universal") for way in ("total", "half", "zero")}
    assert stub.requests[0].query == {
        "CommodityCode": "ecs",
        "ModuleCode": "instance_type",
        "SpnType": "ecs",
        "PayMode": "total",
        "Cycle": "1:Year",
        "Spec": "ecs.gn7i",
        "Region": "cn-hangzhou",
        "PageNum": "1",
        "PageSize": "50",
    }


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"Spec": "ecs.g7", "DiscountRate": "0.8"}, "name"),
        ({"Spec": "ecs.gn7i", "RegionCode": "cn-beijing", "DiscountRate": "0.8"}, "region"),
        ({"Spec": "ecs.gn7i", "PayMode": "never", "DiscountRate": "0.8"}, "region"),
        ({"Spec": "ecs.gn7i", "DiscountRate": "0"}, "rate"),
        ({"Spec": "ecs.gn7i", "DiscountRate": "80"}, "rate"),
        ({"Spec": "ecs.gn7i", "DiscountRate": "-0.8"}, "rate"),
        ({"Spec": "ecs.gn7i", "DiscountRate": "NaN"}, "rate"),
        ({"Spec": "ecs.gn7i"}, "rate"),
        (None, "rate"),
    ],
)
def test_rates_that_can_not_be_are_dropped(stub: Stub, item: Any, reason: Any) -> None:
    stub.answers[PLANS] = plans_answer(item)
    cloud = stub.open()
    assert cloud.plan_rates("cn-hangzhou", ["gn7i"]) == []
    assert cloud.dropped == {Dropped(PLANS, "cn-hangzhou", reason): 12}


def test_two_rates_for_one_plan_are_none(stub: Stub) -> None:
    stub.answers[PLANS] = plans_answer({"DiscountRate": "0.8"}, {"DiscountRate": "0.7"})
    cloud = stub.open()
    assert cloud.plan_rates("cn-hangzhou", ["gn7i"]) == []
    assert cloud.dropped == {Dropped(PLANS, "cn-hangzhou", "conflict"): 12}


@pytest.mark.parametrize("data", [None, {}, {"SkuPricePage": None}, {"SkuPricePage": {"SkuPriceList": None}}, {"Items": None}])
def test_missing_levels(stub: Stub, data: Any) -> None:
    stub.answers |= {SKUS: {"Success": True, "Data": data}, PLANS: {"Success": True, "Data": data}}
    assert stub.open().bulk_prices("cn-hangzhou") == []
    assert stub.open().plan_rates("cn-hangzhou", ["gn7i"]) == []


def test_empty_bodies(stub: Stub) -> None:
    stub.always = EMPTY
    assert stub.open().bulk_prices("cn-hangzhou") == []
    assert stub.open().plan_rates("cn-hangzhou", ["gn7i"]) == []
