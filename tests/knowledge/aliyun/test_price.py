from decimal import Decimal
from typing import Any

import pytest

from knowledge.aliyun.cloud import Dropped
from knowledge.aliyun.reading import Unit
from knowledge.errors import CloudError
from knowledge.rows import PriceRow
from tests.knowledge.aliyun.samples import LARGE, SMALL, price_answer
from tests.knowledge.aliyun.stub import EMPTY, NOT_SOLD, OTHER_DISK, Reply, Stub, failure

ACTION = "DescribePrice"


def test_the_instance_alone_at_its_list_price(stub: Stub) -> None:
    """Not the total, which holds a disk; not what this account pays."""
    stub.answers[ACTION] = price_answer(10.5, pays=4.2, disk=0.05)
    assert stub.open().prices("cn-hangzhou", SMALL, "hour") == PriceRow(
        instance_type=SMALL,
        region="cn-hangzhou",
        billing="payg",
        currency="CNY",
        amount=Decimal("10.5"),
        per="hour",
        site="cn",
        as_of="2026-12-05",
        confidence="high",
        source_id="ecs-api-2026-12-05",
        note="List price. The account itself would have paid less on that day (offer or contract).",
    )


def test_no_note_where_the_account_pays_the_list_price(stub: Stub) -> None:
    row = stub.open().prices("cn-hangzhou", SMALL, "hour")
    assert row and row.note == ""


@pytest.mark.parametrize(
    ("unit", "sent", "billing", "amount"),
    [("hour", "Hour", "payg", 10.5), ("month", "Month", "month", 5040), ("year", "Year", "year", 60480)],
)
def test_units(stub: Stub, unit: Unit, sent: str, billing: str, amount: float) -> None:
    stub.answers[ACTION] = price_answer(amount)
    row = stub.open().prices("cn-beijing", SMALL, unit)
    assert row and (row.billing, row.per, row.amount, row.region) == (billing, unit, Decimal(str(amount)), "cn-beijing")
    [request] = stub.requests
    assert request.method == "POST" and request.body == b""
    assert request.query == {
        "RegionId": "cn-beijing",
        "ResourceType": "instance",
        "InstanceType": SMALL,
        "PriceUnit": sent,
        "Period": "1",
        "Amount": "1",
    }


def test_amounts_are_exact(stub: Stub) -> None:
    for given, read in (("10.370000000000001", "10.37"), ("9.900", "9.9"), (1200.0, "1200"), (0.058333, "0.058333"), ("1E+2", "100")):
        stub.answers[ACTION] = price_answer(given)
        row = stub.open().prices("cn-hangzhou", SMALL, "hour")
        assert row and str(row.amount) == read


def test_a_type_that_is_not_sold_there_has_no_price(stub: Stub) -> None:
    for reply in (NOT_SOLD, failure(400, "PriceNotFound"), failure(403, "InvalidInstanceType.ValueUnauthorized")):
        stub.always = reply
        cloud = stub.open()
        assert cloud.prices("cn-hangzhou", SMALL, "hour") is None
        assert not cloud.dropped


def test_a_type_that_wants_an_essd_is_asked_again_with_one(stub: Stub) -> None:
    stub.answers[ACTION] = lambda request: price_answer(42.0) if request.query.get("SystemDisk.Category") == "cloud_essd" else OTHER_DISK
    cloud = stub.open()
    row = cloud.prices("cn-hangzhou", LARGE, "hour")
    assert row and row.amount == 42
    cloud.prices("cn-hangzhou", LARGE, "month")
    assert [request.query.get("SystemDisk.Category") for request in stub.requests] == [None, "cloud_essd", "cloud_essd"]


def test_a_type_that_takes_no_disk_is_no_missing_right(stub: Stub) -> None:
    """Though the interface answers with 403."""
    stub.always = OTHER_DISK
    with pytest.raises(CloudError) as raised:
        stub.open().prices("cn-hangzhou", SMALL, "hour")
    assert raised.value.kind == "bad_answer"
    assert len(stub.requests) == 2


@pytest.mark.parametrize("amount", [0, -9.9, float("nan"), float("inf"), 10**12, "free", "", None, True, [1], "1" * 50, 1e-9])
def test_amounts_that_can_not_be_are_dropped_and_counted(stub: Stub, amount: Any) -> None:
    stub.answers[ACTION] = price_answer(amount)
    cloud = stub.open()
    assert cloud.prices("cn-hangzhou", SMALL, "hour") is None
    assert cloud.dropped == {Dropped(ACTION, "cn-hangzhou", "amount"): 1}


@pytest.mark.parametrize("currency", ["", None, "JPY", "¥", 7])
def test_a_currency_of_neither_site_is_dropped_and_counted(stub: Stub, currency: Any) -> None:
    stub.answers[ACTION] = price_answer(10.5, currency=currency)
    cloud = stub.open()
    assert cloud.prices("cn-hangzhou", SMALL, "hour") is None
    assert cloud.dropped == {Dropped(ACTION, "cn-hangzhou", "currency"): 1}


def test_the_currency_tells_the_site_whatever_was_expected(stub: Stub) -> None:
    stub.answers[ACTION] = price_answer(1.9, currency="USD")
    cloud = stub.open(site="cn")
    told_before = cloud.site
    row = cloud.prices("cn-hangzhou", SMALL, "hour")
    assert row and (row.currency, row.site) == ("USD", "intl")
    assert (told_before, cloud.site) == (None, "intl")


def test_two_currencies_from_one_account_are_refused(stub: Stub) -> None:
    cloud = stub.open()
    cloud.prices("cn-hangzhou", SMALL, "hour")
    stub.answers[ACTION] = price_answer(1.9, currency="USD")
    with pytest.raises(CloudError) as raised:
        cloud.prices("ap-southeast-1", SMALL, "hour")
    assert raised.value.kind == "bad_answer"
    assert "CNY" in raised.value.said("zh") and "USD" in raised.value.said("en")


@pytest.mark.parametrize(
    "answer",
    [
        {"PriceInfo": None},
        {"PriceInfo": {"Price": None}},
        {"PriceInfo": {"Price": {"Currency": "CNY", "OriginalPrice": 10.5, "DetailInfos": None}}},
        {"PriceInfo": {"Price": {"Currency": "CNY", "OriginalPrice": 10.5, "DetailInfos": {"DetailInfo": [None]}}}},
        {"PriceInfo": {"Price": {"Currency": "CNY", "DetailInfos": {"DetailInfo": [{"Resource": "systemDisk", "OriginalPrice": 1}]}}}},
    ],
)
def test_an_answer_without_the_price_is_not_a_type_that_is_not_sold(stub: Stub, answer: dict[str, Any]) -> None:
    stub.answers[ACTION] = answer
    with pytest.raises(CloudError) as raised:
        stub.open().prices("cn-hangzhou", SMALL, "hour")
    assert raised.value.kind == "bad_answer"


@pytest.mark.parametrize("reply", [EMPTY, Reply("{}"), Reply("[]"), Reply("null"), Reply('"none"')])
def test_empty_answers(stub: Stub, reply: Reply) -> None:
    stub.always = reply
    with pytest.raises(CloudError) as raised:
        stub.open().prices("cn-hangzhou", SMALL, "hour")
    assert raised.value.kind == "bad_answer"
