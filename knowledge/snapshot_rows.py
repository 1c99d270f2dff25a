"""What a refresh brings home: the rows of one snapshot, as the cloud's own interface gave them on one day.

A snapshot is a folder of these tables (CSV, one file a kind) and a manifest. Cells that the interface left out are empty
(unknown); a row that lacks what makes it a fact (its type, its region, its amount) is not written at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .rows import PriceRow, SpotRow

Site = Literal["cn", "intl"]

FORMAT = 1
"""Of the folder. A snapshot of another format is left alone, and said."""


@dataclass(frozen=True, slots=True)
class ListedType:
    """An instance type as DescribeInstanceTypes lists it. `gpu_spec` is the card as the interface words it.

    `as_of` is empty for a type that was listed on the day of its snapshot; one that was carried over from an earlier
    snapshot keeps the day of that.
    """

    instance_type: str
    family: str
    category: str
    vcpu: int | None
    memory_gib: float | None
    gpu_spec: str
    gpu_count: int | None
    gpu_memory_gib_each: float | None
    cpu_arch: str
    cpu_model: str
    network_gbps: float | None
    pps: int | None
    erdma_interfaces: int | None
    local_disk_gib: float | None
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class Offered:
    """What DescribeAvailableResource says of a type in one zone."""

    region: str
    zone: str
    instance_type: str
    charge: str  # payg | subscription | spot
    status: str  # available | sold_out
    stock: str  # with_stock | closed_with_stock | without_stock | closed_without_stock | "" (not said)
    as_of: str


@dataclass(frozen=True, slots=True)
class SpotAdvice:
    """What DescribeSpotAdvice says of a type in one zone, over the last 30 days."""

    instance_type: str
    region: str
    zone: str
    average_pct: int | None  # average spot price in percent of the pay-as-you-go price
    interruption_rate: float | None
    interruption: str  # as worded, e.g. "0-3%"
    as_of: str


@dataclass(frozen=True, slots=True)
class PlanRate:
    """Discount of a savings plan for a family: BSS QuerySavingsPlansDiscount."""

    family: str
    region: str
    plan: str  # ecs | universal
    years: int
    upfront: str  # total | half | zero
    pay_pct: float  # percent of the pay-as-you-go price that is paid
    as_of: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a snapshot covers. `whole_families`: families whose types were listed to the last page, so that a type which is
    missing there is gone. `left_out`: what was asked for and not given, with the reason, as sentences in English."""

    format: int
    taken_at: str  # ISO 8601, UTC
    site: Site
    regions: tuple[str, ...]
    families: tuple[str, ...]
    whole_families: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    rows: dict[str, int] = field(default_factory=dict)  # file name → number of rows
    sha256: dict[str, str] = field(default_factory=dict)  # file name → digest

    @property
    def as_of(self) -> str:
        """Its day."""
        return self.taken_at[:10]

    @property
    def source_id(self) -> str:
        """Under which its rows are cited."""
        return f"ecs-api-{self.as_of}"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One refresh, whole. `as_of` of every row is the day on which it was asked for."""

    manifest: Manifest
    types: tuple[ListedType, ...] = ()
    offered: tuple[Offered, ...] = ()
    prices: tuple[PriceRow, ...] = ()
    spot: tuple[SpotRow, ...] = ()
    advice: tuple[SpotAdvice, ...] = ()
    plans: tuple[PlanRate, ...] = ()
