"""Opens the cloud: `open_cloud(credentials)`, a Cloud over the official SDK. Nothing is loaded or asked before the first call."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from knowledge.rows import PriceRow, SpotRow
from knowledge.snapshot_rows import ListedType, Offered, PlanRate, Site, SpotAdvice

from . import billing, price, spot, stock, types
from .client import Client
from .cloud import CloudOptions, Credentials, Dropped
from .pace import Pace
from .reading import Reading, Unit


def open_cloud(
    credentials: Credentials,
    *,
    options: CloudOptions | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ticks: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Account:
    """A Cloud for one account. `clock` dates the rows; `ticks` and `sleep` pace the calls.

    Its methods raise CloudError (without a request where the key is missing) and KnowledgeUnavailable where the extra
    `aliyun` is not installed.
    """
    chosen = options or CloudOptions()
    pace = Pace(chosen.calls_per_second, attempts=chosen.attempts, clock=ticks, sleep=sleep)
    return Account(Reading(Client(credentials, chosen, pace), clock), chosen.site)


class Account:
    """The Cloud of one account, by the SDK."""

    def __init__(self, reading: Reading, site: Site) -> None:
        self._reading, self._site = reading, site
        self._families: dict[str, str] = {}

    @property
    def site(self) -> Site | None:
        """Site of the account, told by the currency of its prices; None before the first of them."""
        return self._reading.site

    @property
    def dropped(self) -> Counter[Dropped]:
        """How many rows were not taken, by reason."""
        return Counter(self._reading.dropped)

    def list_types(self, region: str, families: Sequence[str]) -> list[ListedType]:
        found = types.list_types(self._reading, region, families)
        self._families |= {row.instance_type: row.family for row in found}
        return found

    def offered(
        self, region: str, *, families: Sequence[str] = (), types: Sequence[str] = (), charge: str = "payg"
    ) -> list[Offered]:
        return stock.offered(
            self._reading, region, families=families, types=types, charge=charge, listed=self._families
        )

    def prices(self, region: str, instance_type: str, unit: Unit) -> PriceRow | None:
        return price.read_price(self._reading, region, instance_type, unit)

    def bulk_prices(self, region: str) -> list[PriceRow]:
        return billing.bulk_prices(self._reading, region, site=self._site)

    def spot_history(self, region: str, instance_type: str, since: datetime) -> list[SpotRow]:
        return spot.spot_history(self._reading, region, instance_type, since)

    def spot_advice(self, region: str, families: Sequence[str]) -> list[SpotAdvice]:
        return spot.spot_advice(self._reading, region, families)

    def plan_rates(self, region: str, families: Sequence[str]) -> list[PlanRate]:
        return billing.plan_rates(self._reading, region, families, site=self._site)
