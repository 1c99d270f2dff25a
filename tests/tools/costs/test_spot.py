"""What spot saved: ranges of one day against the hourly price of the same region."""

from __future__ import annotations

from decimal import Decimal

import pytest

from knowledge.errors import UnknownInstance
from tools.costs.spot import spot_savings


def test_each_region_against_its_own_hour() -> None:
    rows = {row.region: row for row in spot_savings("ecs.gn7i-c8g1.2xlarge")}
    heyuan = rows["cn-heyuan"]  # 2.145–3.003 on 2024-10-09, 8.5794 by the hour on 2024-12-31
    assert (heyuan.spot_low, heyuan.spot_high, heyuan.hourly) == (Decimal("2.145"), Decimal("3.003"), Decimal("8.5794"))
    assert (heyuan.least_pct, heyuan.most_pct) == (65, 75)
    assert heyuan.spot_as_of == "2024-10-09" and heyuan.hourly_as_of == "2024-12-31"


def test_a_dear_zone_saves_nothing() -> None:
    wulanchabu = next(row for row in spot_savings("gn7i-c8g1.2xlarge") if row.region == "cn-wulanchabu")  # up to 8.579
    assert (wulanchabu.least_pct, wulanchabu.most_pct) == (0, 65)


def test_the_largest_saving_stands_first_and_none_is_negative() -> None:
    rows = spot_savings("ecs.gn6i-c4g1.xlarge")
    assert rows == sorted(rows, key=lambda row: (-row.most_pct, row.region))
    assert all(0 <= row.least_pct <= row.most_pct < 100 for row in rows)


def test_currencies_are_not_mixed() -> None:
    assert all(row.currency == "CNY" for row in spot_savings("ecs.gn8is-4x.16xlarge"))


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(UnknownInstance):
        spot_savings("ecs.gn99.large")
