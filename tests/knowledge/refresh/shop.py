"""A cloud of plain values: it sells what it is told to and fails where it is told to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal

from knowledge.errors import CloudError
from knowledge.refresh.request import RefreshRequest
from knowledge.rows import PriceRow, SpotRow
from knowledge.snapshot_rows import ListedType, Offered, PlanRate, SpotAdvice

NOW = datetime(2026, 12, 5, 8, 0, tzinfo=UTC)
DAY = "2026-12-05"
SMALL, LARGE, BARE = "ecs.gn7i-c8g1.2xlarge", "ecs.gn7i-c32g1.32xlarge", "ecs.ebmgn7e.32xlarge"
FAMILY = {SMALL: "gn7i", LARGE: "gn7i", BARE: "ebmgn7e"}
KNOWN = {"gn7i": {SMALL, LARGE}, "ebmgn7e": {BARE}}
REQUEST = RefreshRequest(regions=("cn-hangzhou", "cn-shanghai"), families=("gn7i", "ebmgn7e"))


def listed(name: str, *, family: str = "", vcpu: int = 8) -> ListedType:
    return ListedType(
        name, family or FAMILY[name], "GPU computing", vcpu, 30.0, "NVIDIA A10", 1, 24.0, "X86", "", 16.0, None, None, None
    )


def offer(name: str, region: str, *, zone: str = "a", charge: str = "payg", status: str = "available", day: str = DAY) -> Offered:
    return Offered(region, f"{region}-{zone}", name, charge, status, "with_stock", day)


def price(
    name: str, region: str, amount: str, *, billing: str = "payg", per: str = "hour", day: str = DAY, currency: str = "CNY"
) -> PriceRow:
    site = "cn" if currency == "CNY" else "intl"
    return PriceRow(name, region, billing, currency, Decimal(amount), per, site, day, "high", f"ecs-api-{day}", "")


def quote(name: str, region: str, amount: str, *, zone: str = "a", day: str = DAY) -> SpotRow:
    return SpotRow(name, region, f"{region}-{zone}", "CNY", Decimal(amount), None, day, f"ecs-api-{day}")


@dataclass
class Shop:
    """`sells`: types by region. `fails`: called with the name of a method and its arguments before each answer."""

    sells: dict[str, tuple[str, ...]] = field(default_factory=lambda: dict.fromkeys(REQUEST.regions, (SMALL, LARGE, BARE)))
    amount: str = "9.9"
    currency: str = "CNY"
    day: str = DAY
    fails: Callable[[str, str, str], CloudError | None] = lambda method, region, name: None
    calls: list[tuple[str, str, str]] = field(default_factory=list)

    def list_types(self, region: str, families: Sequence[str]) -> list[ListedType]:
        self._called("list_types", region)
        return [listed(name) for name in FAMILY if (not families or FAMILY[name] in families) and self._anywhere(name)]

    def offered(
        self, region: str, *, families: Sequence[str] = (), types: Sequence[str] = (), charge: str = "payg"
    ) -> list[Offered]:
        self._called("offered", region, charge)
        return [
            offer(name, region, charge=charge, day=self.day) for name in self.sells.get(region, ()) if FAMILY[name] in families
        ]

    def prices(self, region: str, instance_type: str, unit: Literal["hour", "month", "year"]) -> PriceRow | None:
        self._called("prices", region, f"{instance_type} {unit}")
        if instance_type not in self.sells.get(region, ()):
            return None
        billing = "payg" if unit == "hour" else unit
        return price(instance_type, region, self.amount, billing=billing, per=unit, day=self.day, currency=self.currency)

    def bulk_prices(self, region: str) -> list[PriceRow]:
        self._called("bulk_prices", region)
        sold = (*self.sells.get(region, ()), "ecs.g7.large")
        return [price(name, region, self.amount, day=self.day) for name in sold]

    def spot_history(self, region: str, instance_type: str, since: datetime) -> list[SpotRow]:
        self._called("spot_history", region, instance_type)
        return [quote(instance_type, region, "2.5", day=self.day)]

    def spot_advice(self, region: str, families: Sequence[str]) -> list[SpotAdvice]:
        self._called("spot_advice", region)
        return [SpotAdvice(name, region, f"{region}-a", 30, 1.0, "0-3%", self.day) for name in self.sells.get(region, ())]

    def plan_rates(self, region: str, families: Sequence[str]) -> list[PlanRate]:
        self._called("plan_rates", region)
        return [PlanRate(family, region, "ecs", 1, "total", 65.0, self.day) for family in families]

    def _anywhere(self, name: str) -> bool:
        return any(name in sold for sold in self.sells.values())

    def _called(self, method: str, region: str, name: str = "") -> None:
        self.calls.append((method, region, name))
        if error := self.fails(method, region, name):
            raise error
