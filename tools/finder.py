"""Instance types that meet plain conditions (no model, no sums), and why none does."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypedDict, Unpack

from knowledge.facts import gpus, instances
from knowledge.rows import Gpu, Instance

from .names import phrases
from .phrases import Language, say
from .prices import DEFAULT_REGION, NoPrice, hourly
from .results import Price

UNAVAILABLE = ("phased_out", "name_only")


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
    max_price: Decimal | None  # CNY per hour in the region; types without a price do not pass
    status: str | Collection[str] | None
    precision: Literal["fp8", "bf16"] | None
    family: str | Collection[str] | None
    bare_metal: bool | None
    vgpu: bool | None


@dataclass(frozen=True, slots=True)
class InstanceListing:
    """A type with its card (None: no GPU) and its price in the region, or why there is none."""

    instance: Instance
    gpu: Gpu | None
    price: Price | None
    no_price: NoPrice | None


@dataclass(frozen=True, slots=True)
class NoMatch:
    """Why nothing matches: the condition that rules out most, and what there is without it."""

    culprit: str
    value: object
    matches_without: dict[str, int]
    nearest: tuple[InstanceListing, ...]

    def say(self, language: Language) -> str:
        """The reason in one or two sentences."""
        count = self.matches_without[self.culprit]
        culprit = say(phrases(), f"none.{self.culprit}", language, value=_words(self.value))
        code = "none_single" if count else "none_several"
        return say(phrases(), code, language, culprit=culprit, count=count)


def find_instances(
    *,
    region: str = DEFAULT_REGION,
    include_unavailable: bool = False,
    **conditions: Unpack[Conditions],
) -> list[InstanceListing]:
    """Types that meet all conditions: those with a price in `region` first, cheapest first, then by GPU memory.

    Retired types and types known by name only are left out unless asked for. A region does not rule out a type: the
    catalog holds no list of what is sold where.
    """
    asked = _asked(conditions)
    rows = [_listing(row, region) for row in _pool(include_unavailable or "status" in asked)]
    return sorted((row for row in rows if _meets(row, asked)), key=_order)


def explain_none(
    *,
    region: str = DEFAULT_REGION,
    include_unavailable: bool = False,
    **conditions: Unpack[Conditions],
) -> NoMatch | None:
    """Which condition to give up when `find_instances` finds nothing; None when it finds something."""
    asked = _asked(conditions)
    rows = [_listing(row, region) for row in _pool(include_unavailable or "status" in asked)]
    if not asked or any(_meets(row, asked) for row in rows):
        return None
    without = {
        name: sorted((row for row in rows if _meets(row, _drop(asked, name))), key=_order)
        for name in asked
    }
    refused = {name: sum(not _meets(row, {name: asked[name]}) for row in rows) for name in asked}
    culprit = max(asked, key=lambda name: (len(without[name]), refused[name]))
    counts = {name: len(found) for name, found in without.items()}
    return NoMatch(culprit, asked[culprit], counts, tuple(without[culprit][:3]))


def _asked(conditions: Conditions) -> dict[str, Any]:
    unknown = set(conditions) - set(_CHECKS)
    if unknown:
        raise TypeError(f"no such condition: {', '.join(sorted(unknown))}")
    return {name: value for name, value in conditions.items() if value is not None}


def _drop(asked: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in asked.items() if key != name}


def _pool(include_unavailable: bool) -> list[Instance]:
    return [
        row for row in instances().values() if include_unavailable or row.status not in UNAVAILABLE
    ]


def _listing(row: Instance, region: str) -> InstanceListing:
    price = hourly(row.instance_type, region=region)
    gpu = gpus().get(row.gpu_id)
    if isinstance(price, NoPrice):
        return InstanceListing(row, gpu, None, price)
    return InstanceListing(row, gpu, price, None)


def _meets(row: InstanceListing, asked: dict[str, Any]) -> bool:
    return all(_CHECKS[name](row, value) for name, value in asked.items())


def _order(row: InstanceListing) -> tuple[Any, ...]:
    machine = row.instance
    size = (machine.gpu_memory_gb_total or 0.0, machine.vcpu, machine.instance_type)
    if row.price is None:
        return (1, "", Decimal(0), *size)
    return (0, row.price.currency, row.price.amount, *size)


def _one_of(have: str, wanted: str | Collection[str]) -> bool:
    return have == wanted if isinstance(wanted, str) else have in wanted


def _at_least(have: float | None, wanted: float) -> bool:
    return have is not None and have >= wanted


def _affordable(row: InstanceListing, most: Decimal) -> bool:
    return row.price is not None and row.price.currency == "CNY" and row.price.amount <= most


def _computes_in(row: InstanceListing, precision: str) -> bool:
    if row.gpu is None:
        return False
    return bool({"fp8": row.gpu.fp8, "bf16": row.gpu.bf16}[precision])


_CHECKS: dict[str, Callable[[InstanceListing, Any], bool]] = {
    "gpu_id": lambda row, v: _one_of(row.instance.gpu_id, v),
    "min_gpu_memory_gb": lambda row, v: _at_least(row.instance.gpu_memory_gb_total, v),
    "min_card_memory_gb": lambda row, v: _at_least(row.instance.gpu_memory_gb_each, v),
    "gpu_count": lambda row, v: row.instance.gpu_count == v,
    "min_vcpu": lambda row, v: row.instance.vcpu >= v,
    "min_memory_gib": lambda row, v: _at_least(row.instance.memory_gib, v),
    "rdma": lambda row, v: (row.instance.rdma != "none") == v,
    "nvlink": lambda row, v: row.instance.nvlink == v,
    "max_price": _affordable,
    "status": lambda row, v: _one_of(row.instance.status, v),
    "precision": _computes_in,
    "family": lambda row, v: _one_of(row.instance.family, v),
    "bare_metal": lambda row, v: row.instance.bare_metal == v,
    "vgpu": lambda row, v: row.instance.vgpu == v,
}


def _words(value: object) -> str:
    if isinstance(value, (set, frozenset, tuple, list)):
        return ", ".join(sorted(map(str, value)))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
