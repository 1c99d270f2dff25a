"""Instance types that meet plain conditions (no model, no sums), and why none does."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal, Unpack

from knowledge.facts import gpus, instances
from knowledge.rows import Instance

from .conditions import PRECISIONS, Conditions, InstanceListing, asked_for, meets
from .no_match import NoMatch, find_culprits
from .prices import DEFAULT_REGION, NoPrice, hourly, monthly, monthly_estimate
from .site import site_currency

__all__ = [
    "PRECISIONS",
    "Conditions",
    "InstanceListing",
    "NoMatch",
    "Sort",
    "estimated_within",
    "explain_none",
    "find_instances",
]

UNAVAILABLE = ("phased_out", "name_only")
Sort = Literal["price", "memory", "price-per-gb", "month"]
"""Cheapest hour first; most GPU memory first; cheapest hour per GB of GPU memory first; cheapest subscription first."""


def find_instances(
    *,
    region: str = DEFAULT_REGION,
    include_unavailable: bool = False,
    sort: Sort = "price",
    **conditions: Unpack[Conditions],
) -> list[InstanceListing]:
    """Types that meet all conditions: those with a price in `region` first, cheapest first, then by GPU memory.

    Retired types and types known by name only are left out unless asked for. A region does not rule out a type unless
    `sold_here` asks for those that are known there.
    """
    asked = asked_for(conditions)
    rows = (_listing(row, region) for row in _pool(include_unavailable or "status" in asked))
    return sorted((row for row in rows if meets(row, asked)), key=_ORDERS[sort])


def estimated_within(
    most: Decimal, *, region: str = DEFAULT_REGION, **conditions: Unpack[Conditions]
) -> list[InstanceListing]:
    """Types without a subscription listed in `region` whose hourly price through 730 hours is at most `most`.

    An estimate and no subscription price: to be shown apart.
    """
    without = find_instances(region=region, **conditions)
    priced = ((row, row.price) for row in without if row.monthly is None and row.price and row.price.currency == site_currency())
    return [row for row, price in priced if monthly_estimate(price).amount <= most]


def explain_none(
    *,
    region: str = DEFAULT_REGION,
    include_unavailable: bool = False,
    with_gpu: bool = True,
    **conditions: Unpack[Conditions],
) -> NoMatch | None:
    """Which conditions to give up when `find_instances` finds nothing; None when it finds something.

    Types that are not sold are not what comes nearest, unless they were asked for, nor are types without a GPU unless
    `with_gpu` is False.
    """
    asked = asked_for(conditions)
    rows = [_listing(row, region) for row in _pool(include_unavailable or "status" in asked)]
    kept = {asked["status"]} if isinstance(asked.get("status"), str) else set(asked.get("status") or ())
    offered = [row for row in rows if include_unavailable or row.instance.status not in UNAVAILABLE or row.instance.status in kept]
    return find_culprits([row for row in offered if row.gpu or not with_gpu], asked, _ORDERS["price"])


def _pool(include_unavailable: bool) -> list[Instance]:
    return [
        row for row in instances().values() if include_unavailable or row.status not in UNAVAILABLE
    ]


def _listing(row: Instance, region: str) -> InstanceListing:
    price = hourly(row.instance_type, region=region)
    gpu, month = gpus().get(row.gpu_id), monthly(row.instance_type, region=region)
    if isinstance(price, NoPrice):
        return InstanceListing(row, gpu, None, price, region, month)
    return InstanceListing(row, gpu, price, None, region, month)


def _size(row: InstanceListing) -> tuple[Any, ...]:
    return (row.instance.gpu_memory_gb_total or 0.0, row.instance.vcpu, row.instance.instance_type)


def _by_price(row: InstanceListing) -> tuple[Any, ...]:
    if row.price is None:
        return (1, False, Decimal(0), *_size(row))
    return (0, row.price.currency != site_currency(), row.price.amount, *_size(row))


def _by_memory(row: InstanceListing) -> tuple[Any, ...]:
    return (-(row.instance.gpu_memory_gb_total or 0.0), *_by_price(row))


def _by_price_per_gb(row: InstanceListing) -> tuple[Any, ...]:
    memory = row.instance.gpu_memory_gb_total
    if row.price is None or not memory:
        return (1, False, Decimal(0), *_size(row))
    return (0, row.price.currency != site_currency(), row.price.amount / Decimal(str(memory)), *_size(row))


def _by_month(row: InstanceListing) -> tuple[Any, ...]:
    if row.monthly is None:
        return (1, Decimal(0), *_by_price(row))
    return (0, row.monthly.amount, *_by_price(row))


_ORDERS: dict[Sort, Callable[[InstanceListing], tuple[Any, ...]]] = {
    "price": _by_price,
    "memory": _by_memory,
    "price-per-gb": _by_price_per_gb,
    "month": _by_month,
}
