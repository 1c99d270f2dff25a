from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from knowledge.aliyun.cloud import Dropped
from knowledge.errors import CloudError
from knowledge.rows import SpotRow
from knowledge.snapshot_rows import SpotAdvice
from tests.knowledge.aliyun.samples import LARGE, SMALL, advice_answer, history_answer, quote
from tests.knowledge.aliyun.stub import EMPTY, NOW, Stub

HISTORY, ADVICE = "DescribeSpotPriceHistory", "DescribeSpotAdvice"
SINCE = NOW - timedelta(days=3)


def test_the_newest_price_of_each_zone(stub: Stub) -> None:
    pages = {
        "0": history_answer(quote("cn-hangzhou-i", 2.0, "2026-12-03T01:00:00Z"), quote("cn-hangzhou-j", 3.1, "2026-12-04T01:00:00Z"), offset=2),
        "2": history_answer(quote("cn-hangzhou-i", 1.05, "2026-12-05T01:00:00Z"), offset=3),
        "3": history_answer(quote("cn-hangzhou-i", 9.0, "2026-12-02T20:00:00Z", payg=None), offset=0),
    }
    stub.answers[HISTORY] = lambda request: pages[request.query.get("Offset", "0")]
    rows = stub.open().spot_history("cn-hangzhou", SMALL, SINCE)
    assert rows == [
        SpotRow(SMALL, "cn-hangzhou", "cn-hangzhou-i", "CNY", Decimal("1.05"), Decimal("10.5"), "2026-12-05", "ecs-api-2026-12-05"),
        SpotRow(SMALL, "cn-hangzhou", "cn-hangzhou-j", "CNY", Decimal("3.1"), Decimal("10.5"), "2026-12-05", "ecs-api-2026-12-05"),
    ]
    assert [request.query.get("Offset") for request in stub.requests] == [None, "2", "3"]


def test_the_span_is_always_said_in_utc(stub: Stub) -> None:
    stub.open().spot_history("cn-hangzhou", SMALL, SINCE.astimezone(timezone(timedelta(hours=8))))
    assert stub.requests[0].query == {
        "RegionId": "cn-hangzhou",
        "InstanceType": SMALL,
        "NetworkType": "vpc",
        "OSType": "linux",
        "StartTime": "2026-12-02T08:00:00Z",
        "EndTime": "2026-12-05T08:00:00Z",
    }


def test_no_more_than_thirty_days_are_asked_for(stub: Stub) -> None:
    stub.open().spot_history("cn-hangzhou", SMALL, datetime(2020, 1, 1, tzinfo=UTC))
    assert stub.requests[0].query["StartTime"] == "2026-11-05T08:00:00Z"


@pytest.mark.parametrize("offset", [0, None, "", 1, -1, "x", 10**12])
def test_offsets_that_lead_nowhere_end_the_list(stub: Stub, offset: Any) -> None:
    last = history_answer(quote("cn-hangzhou-i", 1.05, "2026-12-05T01:00:00Z"), offset=offset)
    stub.answers[HISTORY] = lambda request: last if request.query.get("Offset") else history_answer(quote("cn-hangzhou-i", 2, "2026-12-04T01:00:00Z"), offset=1)
    [row] = stub.open().spot_history("cn-hangzhou", SMALL, SINCE)
    assert row.spot_per_hour == Decimal("1.05")
    assert len(stub.requests) == 2


def test_a_page_without_rows_ends_the_list(stub: Stub) -> None:
    stub.answers[HISTORY] = lambda request: history_answer(offset=int(request.query.get("Offset", 0)) + 5)
    assert stub.open().spot_history("cn-hangzhou", SMALL, SINCE) == []
    assert len(stub.requests) == 1


def test_offsets_that_never_end_are_cut(stub: Stub) -> None:
    stub.answers[HISTORY] = lambda request: history_answer(
        quote("cn-hangzhou-i", 1, "2026-12-05T01:00:00Z"), offset=int(request.query.get("Offset", 0)) + 1
    )
    with pytest.raises(CloudError, match="do not come to an end"):
        stub.open().spot_history("cn-hangzhou", SMALL, SINCE)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (quote("cn-hangzhou-i", 0, "2026-12-05T01:00:00Z"), "amount"),
        (quote("cn-hangzhou-i", -1, "2026-12-05T01:00:00Z"), "amount"),
        (quote("cn-hangzhou-i", float("nan"), "2026-12-05T01:00:00Z"), "amount"),
        (quote("", 1, "2026-12-05T01:00:00Z"), "name"),
        (quote("cn-hangzhou-i", 1, ""), "name"),
        (quote("cn-hangzhou-i", 1, "2026-12-05T01:00:00Z", name=LARGE), "name"),
    ],
)
def test_rows_without_their_fact_are_dropped_and_counted(stub: Stub, row: dict[str, Any], reason: Any) -> None:
    stub.answers[HISTORY] = history_answer(row)
    cloud = stub.open()
    assert cloud.spot_history("cn-hangzhou", SMALL, SINCE) == []
    assert cloud.dropped == {Dropped(HISTORY, "cn-hangzhou", reason): 1}


def test_quotes_without_a_currency_are_dropped(stub: Stub) -> None:
    stub.answers[HISTORY] = history_answer(quote("cn-hangzhou-i", 1, "2026-12-05T01:00:00Z"), currency="")
    cloud = stub.open()
    assert cloud.spot_history("cn-hangzhou", SMALL, SINCE) == []
    assert cloud.dropped == {Dropped(HISTORY, "cn-hangzhou", "currency"): 1}


def test_advice_by_zone_one_call_a_family(stub: Stub) -> None:
    rows = stub.open().spot_advice("cn-hangzhou", ["gn7i", "ecs.gn8v", "gn7i"])
    assert rows == [SpotAdvice(SMALL, "cn-hangzhou", "cn-hangzhou-i", 12, 1.5, "0-3%", "2026-12-05")]
    assert [request.query for request in stub.requests] == [
        {"RegionId": "cn-hangzhou", "InstanceTypeFamily": "ecs.gn7i"},
        {"RegionId": "cn-hangzhou", "InstanceTypeFamily": "ecs.gn8v"},
    ]


@pytest.mark.parametrize(
    ("resource", "reason"),
    [
        ({"InstanceType": SMALL}, "rate"),
        ({"InstanceType": SMALL, "AverageSpotDiscount": 400}, "rate"),
        ({"AverageSpotDiscount": 12}, "name"),
        (None, "name"),
    ],
)
def test_advice_that_says_nothing_is_dropped(stub: Stub, resource: Any, reason: Any) -> None:
    stub.answers[ADVICE] = advice_answer("cn-hangzhou-i", resource)
    cloud = stub.open()
    assert cloud.spot_advice("cn-hangzhou", ["gn7i"]) == []
    assert cloud.dropped == {Dropped(ADVICE, "cn-hangzhou", reason): 1}


def test_empty_bodies(stub: Stub) -> None:
    stub.always = EMPTY
    cloud = stub.open()
    assert cloud.spot_history("cn-hangzhou", SMALL, SINCE) == []
    assert cloud.spot_advice("cn-hangzhou", ["gn7i"]) == []
