"""What a search may ask of an instance type: plain conditions, no model, no sums."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypedDict

from knowledge.facts import offered
from knowledge.kept import kept
from knowledge.rows import Gpu, Instance

from .prices import NoPrice, is_known_in
from .results import Price
from .site import site_currency

PRECISIONS = ("fp4", "fp8", "int8", "bf16")
Precision = Literal["fp4", "fp8", "int8", "bf16"]
BLACKWELL = 10.0
"""Compute capability from which tensor cores compute in FP4."""


class Conditions(TypedDict, total=False):
    """What a type must meet. A condition that is absent or None asks nothing."""

    gpu_id: str | Collection[str] | None
    min_gpu_memory_gb: float | None  # of all cards
    min_card_memory_gb: float | None
    gpu_count: int | None
    min_vcpu: int | None
    min_memory_gib: float | None
    rdma: bool | None
    nvlink: bool | None
    max_price: Decimal | None  # per hour in the region, in the currency of the site in use; types without a price do not pass
    max_monthly: Decimal | None  # per month, in the same currency, by a subscription listed in the region
    status: str | Collection[str] | None
    precision: Precision | None
    family: str | Collection[str] | None
    bare_metal: bool | None
    vgpu: bool | None
    local_disk: bool | None
    sold_here: bool | None  # a price, a spot quote or the cloud's own word says that the region has it


@dataclass(frozen=True, slots=True)
class InstanceListing:
    """A type with its card (None: no GPU) and its prices in the region, by the hour and by the month, or why there is none."""

    instance: Instance
    gpu: Gpu | None
    price: Price | None
    no_price: NoPrice | None
    region: str = ""
    monthly: Price | None = None


def asked_for(conditions: Conditions) -> dict[str, Any]:
    """The conditions that ask something. Raises TypeError for one that does not exist."""
    unknown = set(conditions) - set(_CHECKS)
    if unknown:
        raise TypeError(f"no such condition: {', '.join(sorted(unknown))}")
    return {name: value for name, value in conditions.items() if value is not None}


def meets(row: InstanceListing, asked: dict[str, Any]) -> bool:
    """Whether a type meets all that is asked."""
    return all(_CHECKS[name](row, value) for name, value in asked.items())


def failed(row: InstanceListing, asked: dict[str, Any]) -> frozenset[str]:
    """The conditions that a type does not meet."""
    return frozenset(name for name, value in asked.items() if not _CHECKS[name](row, value))


def _is_sold(row: InstanceListing) -> bool:
    """By a price or quote on record for the region, or by what the last refresh was offered there."""
    name = row.instance.instance_type
    return (name, row.region) in _offered() or is_known_in(name, row.region)


@kept
def _offered() -> frozenset[tuple[str, str]]:
    """Types with the regions in which the last refresh saw them available."""
    return frozenset((row.instance_type, row.region) for row in offered() if row.status == "available")


def _one_of(have: str, wanted: str | Collection[str]) -> bool:
    return have == wanted if isinstance(wanted, str) else have in wanted


def _at_least(have: float | None, wanted: float) -> bool:
    return have is not None and have >= wanted


def _affordable(price: Price | None, most: Decimal) -> bool:
    return price is not None and price.currency == site_currency() and price.amount <= most


def _computes_in(row: InstanceListing, precision: str) -> bool:
    """By the card table: rates where it has them, flags else; FP4 comes with an architecture."""
    gpu = row.gpu
    if gpu is None:
        return False
    holds = {
        "bf16": gpu.bf16,
        "fp8": gpu.fp8,
        "int8": gpu.int8_tops is not None or gpu.fp8,
        "fp4": (gpu.compute_capability or 0) >= BLACKWELL,
    }
    return bool(holds[precision])


_CHECKS: dict[str, Callable[[InstanceListing, Any], bool]] = {
    "gpu_id": lambda row, v: _one_of(row.instance.gpu_id, v),
    "min_gpu_memory_gb": lambda row, v: _at_least(row.instance.gpu_memory_gb_total, v),
    "min_card_memory_gb": lambda row, v: _at_least(row.instance.gpu_memory_gb_each, v),
    "gpu_count": lambda row, v: row.instance.gpu_count == v,
    "min_vcpu": lambda row, v: row.instance.vcpu >= v,
    "min_memory_gib": lambda row, v: _at_least(row.instance.memory_gib, v),
    "rdma": lambda row, v: (row.instance.rdma != "none") == v,
    "nvlink": lambda row, v: row.instance.nvlink == v,
    "max_price": lambda row, v: _affordable(row.price, v),
    "max_monthly": lambda row, v: _affordable(row.monthly, v),
    "status": lambda row, v: _one_of(row.instance.status, v),
    "precision": _computes_in,
    "family": lambda row, v: _one_of(row.instance.family, v),
    "bare_metal": lambda row, v: row.instance.bare_metal == v,
    "vgpu": lambda row, v: row.instance.vgpu == v,
    "local_disk": lambda row, v: bool(row.instance.local_disk_gib) == v,
    "sold_here": lambda row, v: _is_sold(row) == v,
}
