"""A refresh by the real SDK against the stub: the ways in which the cloud fails, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from knowledge.aliyun.cloud import Credentials
from knowledge.errors import CloudError, RefreshFailed
from knowledge.refresh.request import WHATS, RefreshRequest
from knowledge.refresh.worker import RefreshReport, refresh
from knowledge.snapshots import list_snapshots
from tests.knowledge.aliyun.stub import (
    BROKEN,
    EMPTY,
    NO_RIGHT,
    NOW,
    PROXIES,
    UNKNOWN_KEY,
    Reply,
    Stub,
    failure,
    page_of_a_gateway,
    throttled,
)
from tests.knowledge.refresh.market import STEPS, open_market
from tests.knowledge.refresh.shop import BARE, KNOWN, LARGE, SMALL

REQUEST = RefreshRequest(("cn-hangzhou", "cn-shanghai"), ("gn7i", "ebmgn7e"))
SECRETS = ("very-secret-key-id", "very-secret-key", "very-secret-token")


@pytest.fixture
def market(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ALIBABA_CLOUD_ECS_METADATA_DISABLED", "true")
    with open_market() as stub:
        yield stub


def run(market: Stub, folder: Path, request: RefreshRequest = REQUEST, *, days: int = 0, **options: object) -> RefreshReport:
    cloud = market.open(Credentials(*SECRETS), clock=lambda: NOW + timedelta(days=days), **options)
    return refresh(cloud, request, folder=folder, known=KNOWN, clock=lambda: NOW + timedelta(days=days))


def assert_nothing_secret(folder: Path, *texts: str) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    content = [path.read_bytes().decode("utf-8", "replace") for path in files] + list(texts)
    assert content and not [text for text in content for secret in SECRETS if secret in text]


def test_what_the_market_has_is_in_the_snapshot(market: Stub, tmp_path: Path) -> None:
    report = run(market, tmp_path)
    snapshot = report.snapshot
    assert {(row.region, row.instance_type): str(row.amount) for row in snapshot.prices} == {
        ("cn-hangzhou", SMALL): "7.77",
        ("cn-hangzhou", LARGE): "31.31",
        ("cn-hangzhou", BARE): "177.7",
        ("cn-shanghai", SMALL): "7.77",
        ("cn-shanghai", BARE): "177.7",
    }
    assert {row.family for row in snapshot.types} == {"gn7i", "ebmgn7e"}
    assert "ecs.g7.large" not in {row.instance_type for row in snapshot.offered}
    assert len(market.requests) == STEPS == report.steps
    assert_nothing_secret(tmp_path)


def test_everything_that_can_be_asked_for(market: Stub, tmp_path: Path) -> None:
    report = run(market, tmp_path, RefreshRequest(REQUEST.regions, REQUEST.families, what=WHATS))
    snapshot = report.snapshot
    assert {row.billing for row in snapshot.prices} == {"payg", "month", "year"}
    assert snapshot.spot and snapshot.advice and snapshot.plans
    assert {row.as_of for rows in (snapshot.prices, snapshot.spot, snapshot.advice, snapshot.plans) for row in rows} == {"2026-12-05"}


def test_the_price_list_comes_in_few_calls(market: Stub, tmp_path: Path) -> None:
    report = run(market, tmp_path, RefreshRequest(("cn-hangzhou",), ("gn7i",), bulk=True))
    assert {row.instance_type for row in report.snapshot.prices} == {SMALL, LARGE}
    assert not market.sent("DescribePrice") and len(market.sent("QuerySkuPriceList")) == 1


@pytest.mark.parametrize("reply", [throttled(), throttled(retry_after_ms=10), BROKEN, page_of_a_gateway(200), page_of_a_gateway(502)])
def test_what_passes_is_waited_for(market: Stub, tmp_path: Path, reply: Reply) -> None:
    market.failures = {action: [reply, reply] for action in ("DescribeInstanceTypes", "DescribePrice")}
    report = run(market, tmp_path)
    assert report.left_out == () and len(report.snapshot.prices) == 5
    assert market.waits  # it did not just try again at once


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (throttled(), "throttled"),
        (BROKEN, "unavailable"),
        (page_of_a_gateway(502), "bad_answer"),
        (failure(400, "Zzz.Unknown"), "bad_answer"),
        (EMPTY, "bad_answer"),
    ],
)
def test_what_does_not_pass_ends_it_and_the_old_snapshot_stays(market: Stub, tmp_path: Path, reply: Reply, kind: str) -> None:
    first = run(market, tmp_path).path
    market.answers["DescribePrice"] = reply
    with pytest.raises(RefreshFailed) as caught:
        run(market, tmp_path, days=1)
    assert caught.value.code == "gave_up" and caught.value.cause is not None and caught.value.cause.kind == kind
    assert list_snapshots(tmp_path) == (first,)
    assert_nothing_secret(tmp_path, str(caught.value), caught.value.cause.zh)


def test_a_key_that_is_not_known_ends_it_at_once(market: Stub, tmp_path: Path) -> None:
    market.always = UNKNOWN_KEY
    with pytest.raises(CloudError) as caught:
        run(market, tmp_path)
    assert caught.value.kind == "credentials" and len(market.requests) == 1
    assert_nothing_secret(tmp_path, str(caught.value), caught.value.zh)


def test_a_key_with_some_rights_brings_what_they_allow(market: Stub, tmp_path: Path) -> None:
    for action in ("DescribeSpotAdvice", "DescribeSpotPriceHistory", "QuerySavingsPlansDiscount", "QuerySkuPriceList"):
        market.answers[action] = NO_RIGHT
    report = run(market, tmp_path, RefreshRequest(REQUEST.regions, REQUEST.families, what=WHATS, bulk=True))
    assert {item.kind for item in report.left_out} == {"advice", "plans", "bulk", "spot"}
    assert {row.billing for row in report.snapshot.prices} == {"payg", "month", "year"}  # type by type after all
    assert len(market.sent("DescribeSpotPriceHistory")) == 1


def test_a_key_without_rights_writes_nothing(market: Stub, tmp_path: Path) -> None:
    market.always = NO_RIGHT
    with pytest.raises(RefreshFailed) as caught:
        run(market, tmp_path)
    assert caught.value.code == "nothing" and len(market.requests) == 3 and list_snapshots(tmp_path) == ()


def test_slow_answers_are_given_up(market: Stub, tmp_path: Path) -> None:
    market.answers["DescribeInstanceTypes"] = Reply("{}", delay_s=0.3)
    report = run(market, tmp_path, read_timeout_s=0.1, attempts=1)
    assert {(item.kind, item.reason) for item in report.left_out} == {("types", "timeout")}
    assert report.snapshot.types == () and len(report.snapshot.prices) == 5


def test_a_region_that_is_not_known_is_left_out(market: Stub, tmp_path: Path) -> None:
    wrong = failure(404, "InvalidRegionId.NotFound")
    here = market.answers["DescribeAvailableResource"]
    market.answers["DescribeAvailableResource"] = lambda request: (
        wrong if request.query["RegionId"] == "cn-shanghai" else here(request)  # type: ignore[operator]
    )
    report = run(market, tmp_path)
    assert {(item.region, item.reason) for item in report.left_out} == {("cn-shanghai", "region")}
    assert {row.region for row in report.snapshot.prices} == {"cn-hangzhou"}


def test_a_key_of_the_international_site_is_told_by_its_prices(tmp_path: Path, market: Stub) -> None:
    with open_market(currency="USD") as abroad:
        report = run(abroad, tmp_path)
    assert report.snapshot.manifest.site == "intl" and {row.currency for row in report.snapshot.prices} == {"USD"}


def test_finished_steps_are_not_asked_for_again(market: Stub, tmp_path: Path) -> None:
    good = market.answers["DescribePrice"]
    market.answers["DescribePrice"] = BROKEN
    with pytest.raises(RefreshFailed):
        run(market, tmp_path)
    market.answers["DescribePrice"] = good
    market.requests.clear()
    report = run(market, tmp_path)
    assert report.resumed == 4 and {request.action for request in market.requests} == {"DescribePrice"}
