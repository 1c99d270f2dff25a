"""What an order is: public results."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from tools.results import Price, Result
from tools.site import Site

Billing = Literal["payg", "month", "spot"]


class Quota(Result):
    """The quota that an order counts against: per account, region and way of billing.

    `quota_id` is None where no official page says under which quota the family counts.
    """

    quota_id: str | None
    counted: Literal["cards", "instances", "vcpu"]
    needed: int
    text: str
    link: str
    source_ids: list[str]


class Order(Result):
    """How to get a type. `cli` and `terraform` are None for a type that cannot be ordered at once: `how_to_get` says why.

    `price` is the list price of the region for that way of billing, of one machine; `total` of all machines, per the same
    unit. `nearest` is the type that can be ordered instead.
    """

    instance_type: str
    status: str
    region: str
    zone: str | None
    machines: int
    billing: Billing
    months: int
    system_disk_gib: int
    data_disk_gib: int = 0
    site: Site
    link: str
    cli: str | None
    terraform: str | None
    quota: Quota | None
    price: Price | None
    total: Decimal | None
    steps: list[str]
    how_to_get: str = ""
    nearest: str | None = None
    cautions: list[str]
    source_ids: list[str]
