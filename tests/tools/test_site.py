"""CNY of the China site and USD of the international site: one counts first, both are named, none is converted."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from knowledge.facts import gone_types, use_snapshots
from knowledge.snapshots import write_snapshot
from tests.knowledge.snapshot_samples import A10, price, snapshot, spot
from tools.demand import Wish
from tools.offers import has_prices, hourly_price, prices_to_show
from tools.priced import priced_types
from tools.prices import NoPrice, all_prices, hourly, monthly, price_notes
from tools.results import Price
from tools.site import Site, site_currency, use_site

NAME = A10.instance_type
HERE = "cn-hangzhou"


@pytest.fixture(autouse=True)
def both_sites(tmp_path: Path) -> None:
    dollars = {"currency": "USD", "site": "intl"}
    made = snapshot(
        prices=(
            price(amount=Decimal("9.5")),
            price(amount=Decimal("1.4"), **dollars),
            price(amount=Decimal("4000"), billing="month", per="month"),
            price(amount=Decimal("700"), billing="month", per="month", **dollars),
            price(amount=Decimal("70000"), billing="year", per="year"),
            price(amount=Decimal("2.5"), region="us-east-1", **dollars),
        ),
        spot=(spot(), spot(zone="cn-hangzhou-k", spot_per_hour=Decimal("3")), spot(zone="cn-hangzhou-k", spot_per_hour=Decimal("4"))),
    )
    write_snapshot(tmp_path, made)
    use_snapshots(tmp_path)


@pytest.mark.parametrize(("site", "hour", "month"), [("cn", "9.5", "4000"), ("intl", "1.4", "700")])
def test_the_site_in_use_chooses(site: Site, hour: str, month: str) -> None:
    use_site(site)
    found, by_month = hourly(NAME), monthly(NAME)
    assert isinstance(found, Price)
    assert by_month is not None
    assert (found.amount, found.currency, found.site) == (Decimal(hour), site_currency(), site)
    assert (by_month.amount, by_month.currency) == (Decimal(month), site_currency())
    assert all_prices(NAME, HERE)[0] == found
    assert prices_to_show(NAME, HERE)[0] == found
    assert Wish().currency == site_currency()
    assert [row[2] for row in priced_types(HERE, site_currency()) if row[0].instance_type == NAME] == [found]
    assert not any("site" in note or "站" in note for language in ("zh", "en") for note in price_notes(found, language))


@pytest.mark.parametrize("site", ["cn", "intl"])
def test_every_price_keeps_its_own_amount_and_currency(site: Site) -> None:
    use_site(site)
    shown = {(p.billing, p.currency, p.amount) for p in all_prices(NAME, HERE)}
    assert shown == {
        ("payg", "CNY", Decimal("9.5")), ("payg", "USD", Decimal("1.4")), ("month", "CNY", Decimal("4000")),
        ("month", "USD", Decimal("700")), ("year", "CNY", Decimal("70000")), ("spot", "CNY", Decimal("2.86")),
    }  # fmt: skip


def test_an_asked_currency_goes_before_the_site() -> None:
    assert isinstance(dollars := hourly(NAME, currency="USD"), Price)
    assert dollars.amount == Decimal("1.4")
    assert hourly_price(NAME, HERE, "USD") == dollars


@pytest.mark.parametrize(("site", "region", "zh", "en"), [("cn", "us-east-1", "", ""), ("intl", "cn-beijing", "中国站人民币价，国际站没有", "none of the international site")])
def test_a_price_of_the_other_site_says_so(site: Site, region: str, zh: str, en: str) -> None:
    use_site(site)
    found = hourly(NAME, region=region)
    assert isinstance(found, Price)
    for language, words in (("zh", zh), ("en", en)):
        notes = " ".join(price_notes(found, language))  # type: ignore[arg-type]
        assert words in notes


def test_a_dollar_price_alone_is_called_one_on_the_china_site() -> None:
    name = "ecs.gn8is-4x.16xlarge"
    found = hourly(name, region="us-east-1")
    assert isinstance(found, Price)
    assert found.currency == "USD"
    assert "国际站美元价" in " ".join(price_notes(found, "zh"))
    assert "USD price of the international site" in " ".join(price_notes(found, "en"))


def test_whether_a_region_is_priced_is_asked_by_currency() -> None:
    assert has_prices(HERE, "CNY")
    assert has_prices(HERE, "USD")
    assert has_prices("cn-shanghai", "CNY")
    assert not has_prices("cn-shanghai", "USD")


def test_zones_of_a_spot_range_count_once() -> None:
    spots = [p for p in all_prices(NAME, HERE) if p.billing == "spot"]
    assert [(p.amount, p.amount_high, p.note) for p in spots] == [(Decimal("2.86"), Decimal("4"), "zones: 2")]


def test_types_no_longer_listed_are_no_plain_way_to_save() -> None:
    after, gone = {row[0].instance_type for row in priced_types(HERE, "CNY")}, gone_types()
    assert NAME in after
    assert not isinstance(hourly("ecs.gn7i-c32g1.8xlarge"), NoPrice), "its price stays on record"
    use_snapshots(None)
    before = {row[0].instance_type for row in priced_types(HERE, "CNY")}
    assert before - after == gone & before
    assert "ecs.gn7i-c32g1.8xlarge" in before - after
