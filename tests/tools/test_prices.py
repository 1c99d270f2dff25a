"""Prices as listed, and that none is ever made up."""

from __future__ import annotations

from decimal import Decimal

import pytest

from knowledge.errors import InputError, UnknownInstance
from knowledge.facts import instances, price_rows, regions, spot_rows
from tools.prices import (
    NoPrice,
    all_prices,
    break_even_hours,
    cost,
    hourly,
    monthly_estimate,
    price_notes,
    region_id,
    why_no_price,
)
from tools.results import Price

T4 = "ecs.gn6i-c4g1.xlarge"


def priced(name: str, region: str = "cn-hangzhou") -> Price:
    price = hourly(name, region=region)
    assert isinstance(price, Price)
    return price


@pytest.mark.parametrize(
    ("name", "region", "amount"),
    [
        ("gn6i-c4g1.xlarge", "cn-hangzhou", "11.63"),
        ("ecs.gn7i-c8g1.2xlarge", "杭州", "9.5326"),
        ("ecs.gn7e-c16g1.16xlarge", "cn-hangzhou", "138.967"),
        ("ecs.gn8is.2xlarge", "Shanghai", "14.415"),
        ("ecs.gn6i-c4g1.xlarge", "us-east-1", "7.79"),
    ],
)
def test_hourly(name: str, region: str, amount: str) -> None:
    price = priced(name, region)
    assert price.amount == pytest.approx(Decimal(amount), abs=Decimal("0.005"))
    assert (price.currency, price.per, price.billing, price.region) == (
        "CNY",
        "hour",
        "payg",
        region_id(region),
    )
    assert price.as_of
    assert price.source_id


def test_every_payg_row_is_found_unchanged() -> None:
    for row in price_rows():
        if row.billing == "payg":
            price = hourly(row.instance_type, region=row.region, currency=row.currency)
            assert isinstance(price, Price)
            assert (price.amount, price.currency, price.as_of) == (
                row.amount,
                row.currency,
                row.as_of,
            )


def test_no_price_is_never_filled_in() -> None:
    listed = {(r.instance_type, r.region) for r in price_rows() if r.billing == "payg"}
    for name in instances():
        for region in ("cn-hangzhou", "us-east-1"):
            assert isinstance(hourly(name, region=region), Price) == ((name, region) in listed)


@pytest.mark.parametrize(
    ("name", "region", "code", "others"),
    [
        ("ecs.gn8v.4xlarge", "cn-hangzhou", "never_seen", ()),
        ("ecs.gn7-c12g1.3xlarge", "cn-hangzhou", "other_region", ("cn-shanghai", "cn-beijing", "cn-wulanchabu")),
        ("ecs.gn9gc-4x.32xlarge", "us-east-1", "other_billing", ()),
    ],
)  # fmt: skip
def test_no_price_has_its_reason(
    name: str, region: str, code: str, others: tuple[str, ...]
) -> None:
    missing = hourly(name, region=region)
    assert isinstance(missing, NoPrice)
    assert (missing.code, missing.other_regions) == (code, others)
    for sentence in (why_no_price(missing, "zh"), why_no_price(missing, "en")):
        assert name in sentence
        assert all(other in sentence for other in others)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownInstance):
        hourly("ecs.gn6i-p4")
    with pytest.raises(InputError, match="Unknown region mars-1"):
        hourly(T4, region="mars-1")
    with pytest.raises(InputError, match="不认识地域"):
        region_id("火星", language="zh")


@pytest.mark.parametrize(
    "name",
    [
        "cn-hangzhou",
        "CN-HANGZHOU",
        "杭州",
        "华东1",
        "华东1（杭州）",
        "华东1(杭州)",
        "Hangzhou",
        " 杭州 ",
    ],
)
def test_region_names(name: str) -> None:
    assert region_id(name) == "cn-hangzhou"


def test_all_prices_hold_hour_month_and_spot() -> None:
    prices = all_prices("ecs.gn7i-c8g1.2xlarge", "cn-shanghai")
    assert [p.billing for p in prices][:2] == ["payg", "month"]
    assert {p.region for p in prices} == {"cn-shanghai"}
    assert prices[1].amount == Decimal("4575.66")


def test_spot_is_the_range_over_the_zones_of_one_day() -> None:
    for row in {(r.instance_type, r.region, r.currency) for r in spot_rows()}:
        name, region, currency = row
        quotes = [r for r in spot_rows() if (r.instance_type, r.region, r.currency) == row]
        (spot,) = [
            p for p in all_prices(name, region) if p.billing == "spot" and p.currency == currency
        ]
        assert spot.amount == min(r.spot_per_hour for r in quotes)
        assert spot.amount_high == max(r.spot_per_hour for r in quotes)
        assert spot.note == f"zones: {len(quotes)}"
        assert spot.as_of == quotes[0].as_of


@pytest.mark.parametrize(
    ("name", "region", "en", "zh"),
    [
        (T4, "cn-hangzhou", "2024-12-31", "只含实例"),
        (T4, "us-east-1", "China site", "中国站人民币价"),
        ("ecs.gn8is.2xlarge", "cn-shanghai", "one customer's quote", "个别用户"),
        ("ecs.gn8is-4x.16xlarge", "us-east-1", "one customer's quote", "个别用户"),
    ],
)
def test_price_notes(name: str, region: str, en: str, zh: str) -> None:
    price = priced(name, region)
    assert en in " ".join(price_notes(price, "en"))
    assert zh in " ".join(price_notes(price, "zh"))


def test_mainland_list_price_needs_no_warning() -> None:
    assert regions()["cn-hangzhou"].mainland
    assert len(price_notes(priced(T4), "en")) == 1


def test_monthly_estimate_says_that_it_is_one() -> None:
    month = monthly_estimate(priced(T4))
    assert (month.amount, month.per, month.billing) == (Decimal("8489.90"), "month", "payg")
    assert any("an estimate" in note for note in price_notes(month, "en"))
    assert any("估算" in note for note in price_notes(month, "zh"))
    with pytest.raises(InputError, match="needs an hourly price"):
        monthly_estimate(month)


def test_break_even() -> None:
    month = next(
        p for p in all_prices("ecs.gn7i-c8g1.2xlarge", "cn-shanghai") if p.billing == "month"
    )
    hour = priced("ecs.gn7i-c8g1.2xlarge", "cn-shanghai")
    assert break_even_hours(hour, month) == Decimal("480.0")
    with pytest.raises(InputError, match="different regions"):
        break_even_hours(priced("ecs.gn7i-c8g1.2xlarge"), month)
    with pytest.raises(InputError, match="one hourly and one monthly"):
        break_even_hours(month, hour)


def test_cost() -> None:
    assert cost(priced(T4), amount_of_time=10, instances=2) == Decimal("232.60")
    with pytest.raises(InputError):
        cost(priced(T4), amount_of_time=-1)
    with pytest.raises(InputError):
        cost(priced(T4), instances=0)
