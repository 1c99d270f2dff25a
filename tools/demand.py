"""What `advise` is asked and what it answers: a demand, a wish, the advice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Protocol, runtime_checkable

from knowledge.rows import Gpu

from .prices import DEFAULT_REGION
from .results import Estimate, Recommendation, Result, TokensPerSecond
from .site import site_currency


class Demand(Protocol):
    """What is to be run, as the machines see it."""

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        """Ways to run it on that many cards (each with the number of cards it uses); empty when there is none."""

    def blocked(self, gpu: Gpu) -> str | None:
        """Code of the reason why the card cannot run it at all."""

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        """Codes of what bites on that card at that count."""

    @property
    def disk_gib(self) -> float:
        """Disk to keep free, system and engine included."""

    @property
    def host_memory_gib(self) -> float:
        """What loading reads: the weights."""


@runtime_checkable
class Spread(Protocol):
    """A demand that knows machines: how it is cut inside one and between several."""

    def estimates_across(self, gpu: Gpu, gpus: int, machines: int) -> tuple[Estimate, ...]:
        """Ways to run it on `machines` machines of `gpus` cards each."""

    def cautions_across(self, gpu: Gpu, gpus: int, machines: int) -> list[str]:
        """Codes of what bites there."""


@runtime_checkable
class Resident(Protocol):
    """A demand part of which stays in main memory while it runs: offloaded weights, experts, optimizer states."""

    @property
    def resident_gib(self) -> float:
        """Main memory without which it does not run."""


def resident_gib(demand: Demand) -> float:
    """Main memory that must be there while the job runs; 0 for a job that lives on its cards."""
    return demand.resident_gib if isinstance(demand, Resident) else 0.0


@runtime_checkable
class Timed(Protocol):
    """A demand that also knows its speed."""

    def tokens_per_s(self, gpu: Gpu, estimate: Estimate) -> TokensPerSecond | None:
        """Decode speed of that way of running it."""


@dataclass(frozen=True)
class Wish:
    """What the user asked of the machine. Empty sets and None ask nothing.

    `max_hourly` and `max_monthly` are in `currency` and count all machines; a month goes by the subscription listed in the
    region, and by 730 hours of the hourly price where none is. Naming a vGPU type or family lets it in; `vgpu_names` lets
    those in beside all other machines.
    """

    region: str = DEFAULT_REGION
    max_hourly: Decimal | None = None
    max_monthly: Decimal | None = None
    currency: str = field(default_factory=site_currency)
    gpu_count: int | None = None
    gpu_ids: frozenset[str] = field(default_factory=frozenset)
    families: frozenset[str] = field(default_factory=frozenset)
    instance_types: frozenset[str] = field(default_factory=frozenset)
    rdma: bool = False
    nvlink: bool = False
    utilization: float = 0.90
    include_vgpu: bool = False
    vgpu_names: frozenset[str] = field(default_factory=frozenset)

    @property
    def has_budget(self) -> bool:
        """Whether it says what the machines may cost."""
        return self.max_hourly is not None or self.max_monthly is not None

    @property
    def without_month(self) -> Wish:
        """The wish without what a month may cost."""
        return self if self.max_monthly is None else replace(self, max_monthly=None)

    @property
    def without_budget(self) -> Wish:
        """The wish, whatever it costs."""
        return replace(self, max_hourly=None, max_monthly=None)

    @property
    def restricted(self) -> bool:
        """Whether it names cards, families, types or links."""
        named = self.gpu_ids or self.families or self.instance_types
        return bool(named or self.gpu_count or self.rdma or self.nvlink)


class Advice(Result):
    """Where a job fits. Lists are ranked; a figure of memory is GiB per card.

    `recommendations` fit and may be had; retired types stand in `off_sale` unless the wish names them.
    With a budget, what fits and costs more is `over_budget`, what has no comparable price `price_unknown`. Where
    `region_has_prices` is False, nothing is priced in the region and the order says nothing of cost.
    `near_misses` do not fit, the closest first, one per card and count. `alternatives` is filled when nothing fits within
    the wish and something does without its restrictions (other counts of the same card first); `multi` when no single
    machine of the catalog fits. `cheapest`, `safer` and `faster` are types that are on sale and priced in the region; two
    of them may be the same. `estimates` holds each estimate under "gpu_id" + "x" + number of cards.
    """

    recommendations: list[Recommendation]
    near_misses: list[Recommendation]
    over_budget: list[Recommendation]
    price_unknown: list[Recommendation]
    off_sale: list[Recommendation]
    multi: list[Recommendation]
    alternatives: list[Recommendation]
    blocked: dict[str, str]
    cheapest: str | None
    safer: str | None
    faster: str | None
    estimates: dict[str, Estimate]
    notes: list[str]
    source_ids: list[str]
    region_has_prices: bool = True
