"""An instance type held against a demand, and the order in which such offers are recommended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from knowledge.facts import gone_types, gpus, price_rows
from knowledge.kept import kept
from knowledge.rows import Gpu, Instance

from .prices import NoPrice, all_prices, hourly
from .results import Estimate, Price
from .site import Site, current_site
from .usable import CUDA_RESERVE_GIB, usable_gib_each

HOST_MEMORY_SHARE = 0.5
"""Weights are memory-mapped, so loading works in less memory than they take; under half of them it thrashes."""

SAFE_SHARE = 0.25
"""Headroom of a safe choice, as a share of the limit."""

REASONABLE_PRICE = 3
"""A faster choice may cost this many times the cheapest one (a judgement)."""

NO_NVLINK_GAIN = 0.5
"""What each further card adds to the speed without NVLink, against 1 with it (a judgement)."""

RETIRED = ("phased_out", "name_only")
_TIER = {"contact_sales": 2, "invite_only": 3, "overseas_only": 4, "phased_out": 6, "name_only": 7}
GONE = 5
"""Place in the order of a type that the cloud's interface lists no longer."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One type (`machines` of it) and what the demand needs there. Memory in GiB per card."""

    instance: Instance
    gpu: Gpu
    estimate: Estimate
    utilization: float
    price: Price | NoPrice
    host_memory_gib: float  # what loading reads on one machine
    machines: int = 1
    resident_gib: float = 0.0  # what stays in main memory of one machine

    @property
    def required_gib(self) -> float:
        return self.estimate.per_gpu_gib.best

    @property
    def usable_gib(self) -> float:
        return usable_gib_each(self.instance, self.gpu)

    @property
    def limit_gib(self) -> float:
        return self.utilization * self.usable_gib

    @property
    def headroom_gib(self) -> float:
        return self.limit_gib - self.required_gib

    @property
    def holds_host(self) -> bool:
        """Whether loading and what stays there find room; a type whose memory is not published is given the benefit of the doubt."""
        memory = self.instance.memory_gib
        return memory is None or memory >= max(HOST_MEMORY_SHARE * self.host_memory_gib, self.resident_gib)

    @property
    def fits(self) -> bool:
        return self.required_gib <= self.limit_gib and self.holds_host

    @property
    def tight(self) -> bool:
        """Whether the limit lies within the estimate's band, on either side of the best figure."""
        band = self.estimate.per_gpu_gib
        return band.low <= self.limit_gib < band.high

    def hourly_cost(self, currency: str) -> Decimal | None:
        """Cost of all machines per hour; None without a price in that currency."""
        if isinstance(self.price, NoPrice) or self.price.currency != currency:
            return None
        return self.price.amount * self.machines


def card_of(row: Instance) -> Gpu:
    """The card as the type has it: a vGPU has the memory of its slice."""
    gpu = gpus()[row.gpu_id]
    if not row.vgpu or row.gpu_memory_gb_each is None:
        return gpu
    usable = usable_gib_each(row, gpu) + CUDA_RESERVE_GIB  # so that `usable_gib` gives the slice
    return replace(gpu, memory_gb=row.gpu_memory_gb_each, usable_mib=round(usable * 1024))


@kept
def hourly_price(instance_type: str, region: str, currency: str) -> Price | NoPrice:
    """`prices.hourly`, looked up once: every advice asks it of every type."""
    return hourly(instance_type, region=region, currency=currency)


def prices_to_show(instance_type: str, region: str) -> tuple[Price, ...]:
    """All prices of the region; without any, the hourly prices of the others, each labelled with its region."""
    return _prices_to_show(instance_type, region, current_site())


@kept
def _prices_to_show(instance_type: str, region: str, site: Site) -> tuple[Price, ...]:
    """`site` is the one in use, which orders the prices."""
    here = all_prices(instance_type, region)
    return tuple(here or (price for price in all_prices(instance_type) if price.billing == "payg"))


@kept
def has_prices(region: str, currency: str) -> bool:
    """Whether any pay-as-you-go price of the region is on record. Without one, no order of offers speaks of cost."""
    return any((row.region, row.billing, row.currency) == (region, "payg", currency) for row in price_rows())


def tier(offer: Offer, currency: str) -> int:
    """0: on sale and priced in the region; then on sale, through sales, by invitation, abroad only, no longer listed,
    retired, a mere name.

    The type's own status counts, not its family's.
    """
    status = offer.instance.status
    if status not in RETIRED and offer.instance.instance_type in gone_types():
        return GONE
    if status == "on_sale":
        return 0 if offer.hourly_cost(currency) is not None else 1
    return _TIER[status]


RankKey = tuple[int, int, bool, bool, Decimal, float, float, int, bool, int, str, str]


def rank(offer: Offer, currency: str, cost: Decimal | None) -> RankKey:
    """Sort key: tier, then `cost`; of equal cost more headroom, then fewer cards, then virtual machines, fewer vCPU.

    Of groups the one of fewest machines comes first, then RDMA, then price: each border between machines costs time.
    Without a price the smallest machine comes first: less memory costs less, if anything is known at all.
    """
    size = (offer.instance.gpu_memory_gb_total or 0.0) * offer.machines
    return (
        tier(offer, currency),
        offer.machines,
        offer.machines > 1 and offer.instance.rdma == "none",
        cost is None,
        cost or Decimal(0),
        size if cost is None else 0.0,
        -offer.headroom_gib,
        offer.instance.gpu_count * offer.machines,
        offer.instance.bare_metal,
        offer.instance.vcpu,
        offer.instance.family,  # gn8v before gn8v-tee: nobody needs confidential computing unasked
        offer.instance.instance_type,
    )


def speed(offer: Offer) -> float:
    """Memory bandwidth that decoding can draw on, GB/s: cards in use × bandwidth, less without NVLink."""
    used = offer.estimate.gpus
    gain = 1.0 if offer.instance.nvlink else NO_NVLINK_GAIN
    return (offer.gpu.memory_bandwidth_gb_s or 0.0) * (1 + gain * (used - 1))


def choose_cheapest(ranked: list[Offer], currency: str) -> Offer | None:
    """The first of the ranked offers when it is on sale and priced."""
    return ranked[0] if ranked and tier(ranked[0], currency) == 0 else None


def choose_safer(ranked: list[Offer], currency: str) -> Offer | None:
    """The first on-sale, priced offer with a quarter of the limit to spare (it may be the cheapest itself)."""
    safe = (o for o in ranked if o.headroom_gib >= SAFE_SHARE * o.limit_gib)
    return next((o for o in safe if tier(o, currency) == 0), None)


def choose_faster(ranked: list[Offer], currency: str) -> Offer | None:
    """The fastest on-sale, priced offer within a reasonable price; the cheaper one of equals."""
    cheapest = choose_cheapest(ranked, currency)
    if cheapest is None:
        return None
    most = (cheapest.hourly_cost(currency) or Decimal(0)) * REASONABLE_PRICE
    near = [
        o for o in ranked if tier(o, currency) == 0 and (o.hourly_cost(currency) or most) <= most
    ]
    return max(near, key=speed)  # max keeps the first of equals


def closest(offers: Iterable[Offer]) -> list[Offer]:
    """One offer per card, count and memory (the first in rank), least missing memory first."""
    first: dict[tuple[str, int, float], Offer] = {}
    for offer in offers:
        first.setdefault((offer.instance.gpu_id, offer.instance.gpu_count, offer.usable_gib), offer)
    return sorted(first.values(), key=lambda offer: -offer.headroom_gib)


def sources_of(offers: Iterable[Offer]) -> list[str]:
    """Ids of the sources of types, cards, estimates and prices, each once."""
    ids: list[str] = []
    for offer in offers:
        ids += [*offer.instance.source_ids, *offer.gpu.source_ids, *offer.estimate.source_ids]
        if not isinstance(offer.price, NoPrice):
            ids.append(offer.price.source_id)
    return list(dict.fromkeys(ids))
