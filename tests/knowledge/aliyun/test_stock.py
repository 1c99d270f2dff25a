from typing import Any

import pytest

from knowledge.aliyun.cloud import Dropped
from knowledge.snapshot_rows import Offered
from tests.knowledge.aliyun.samples import LARGE, SMALL, listed, stock_answer, types_answer, zone
from tests.knowledge.aliyun.stub import EMPTY, Stub

ACTION = "DescribeAvailableResource"


def test_zones_with_status_and_stock(stub: Stub) -> None:
    rows = stub.open().offered("cn-hangzhou", families=["gn7i"], charge="payg")
    assert rows == [
        Offered("cn-hangzhou", "cn-hangzhou-i", SMALL, "payg", "available", "with_stock", "2026-12-05"),
        Offered("cn-hangzhou", "cn-hangzhou-i", LARGE, "payg", "sold_out", "without_stock", "2026-12-05"),
        Offered("cn-hangzhou", "cn-hangzhou-j", SMALL, "payg", "available", "closed_with_stock", "2026-12-05"),
    ]


@pytest.mark.parametrize(
    ("charge", "sent"),
    [
        ("payg", {"InstanceChargeType": "PostPaid", "SpotStrategy": "NoSpot"}),
        ("subscription", {"InstanceChargeType": "PrePaid"}),
        ("spot", {"InstanceChargeType": "PostPaid", "SpotStrategy": "SpotAsPriceGo"}),
    ],
)
def test_each_way_of_paying_is_asked_for_in_one_call(stub: Stub, charge: str, sent: dict[str, str]) -> None:
    rows = stub.open().offered("cn-hangzhou", families=["gn7i"], charge=charge)
    assert {row.charge for row in rows} == {charge}
    [request] = stub.requests
    assert request.query == {"RegionId": "cn-hangzhou", "DestinationResource": "InstanceType", "ResourceType": "instance", **sent}


def test_named_types(stub: Stub) -> None:
    cloud = stub.open()
    assert {row.instance_type for row in cloud.offered("cn-hangzhou", types=[LARGE])} == {LARGE}
    assert stub.requests[0].query["InstanceType"] == LARGE
    assert {row.instance_type for row in cloud.offered("cn-hangzhou", types=[LARGE, SMALL])} == {LARGE, SMALL}
    assert "InstanceType" not in stub.requests[1].query
    assert "ecs.g7.large" in {row.instance_type for row in cloud.offered("cn-hangzhou")}


def test_a_family_is_what_was_listed_as_such(stub: Stub) -> None:
    odd = "ecs.gn7i-odd.large"
    stub.answers["DescribeInstanceTypes"] = types_answer(listed(odd, family="ecs.gn7i"))
    stub.answers[ACTION] = stock_answer(zone("cn-hangzhou-i", (odd, "Available", "WithStock")))
    cloud = stub.open()
    assert cloud.offered("cn-hangzhou", families=["gn7i"]) == []
    cloud.list_types("cn-hangzhou", ["gn7i"])
    assert [row.instance_type for row in cloud.offered("cn-hangzhou", families=["ecs.gn7i"])] == [odd]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (stock_answer(zone("cn-hangzhou-i", (SMALL, "Perhaps", "WithStock"))), "status"),
        (stock_answer(zone("cn-hangzhou-i", ("A10", "Available", "WithStock"))), "name"),
        (stock_answer(zone("", (SMALL, "Available", "WithStock"))), "region"),
        (stock_answer(zone("cn-beijing-a", (SMALL, "Available", "WithStock"), region="cn-beijing")), "region"),
        ({"AvailableZones": {"AvailableZone": [None]}}, "region"),
    ],
)
def test_rows_that_say_nothing_are_dropped_and_counted(stub: Stub, answer: dict[str, Any], reason: Any) -> None:
    stub.answers[ACTION] = answer
    cloud = stub.open()
    assert cloud.offered("cn-hangzhou") == []
    assert cloud.dropped == {Dropped(ACTION, "cn-hangzhou", reason): 1}


def test_stock_that_is_not_said_is_empty(stub: Stub) -> None:
    stub.answers[ACTION] = stock_answer(zone("cn-hangzhou-i", (SMALL, "Available", "")))
    assert [row.stock for row in stub.open().offered("cn-hangzhou")] == [""]


def test_what_is_no_instance_type_is_no_offer(stub: Stub) -> None:
    stub.answers[ACTION] = stock_answer(zone("cn-hangzhou-i", (SMALL, "Available", "WithStock"), kind="SystemDisk"))
    assert stub.open().offered("cn-hangzhou") == []


@pytest.mark.parametrize(
    "answer",
    [{"AvailableZones": None}, {"AvailableZones": {}}, {"AvailableZones": {"AvailableZone": [{"ZoneId": "cn-hangzhou-i", "AvailableResources": None}]}}],
)
def test_missing_levels_offer_nothing(stub: Stub, answer: dict[str, Any]) -> None:
    stub.answers[ACTION] = answer
    assert stub.open().offered("cn-hangzhou", families=["gn7i"]) == []


def test_empty_body(stub: Stub) -> None:
    stub.always = EMPTY
    assert stub.open().offered("cn-hangzhou", families=["gn7i"]) == []
