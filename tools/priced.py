"""The cheapest machine for a demand among types on sale with a price: the short way, without ranking all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal

from knowledge.facts import gone_types
from knowledge.kept import kept
from knowledge.rows import Gpu, Instance

from .budget import cost_to_rank
from .demand import Demand, Wish, resident_gib
from .finder import find_instances
from .offers import Offer, hourly_price
from .results import Price


def cheapest_priced(
    demand: Demand, wish: Wish, *, admits: Callable[[Gpu], bool] = lambda gpu: True
) -> Offer | None:
    """The first type that fits in order of cost, by the same rule as `advise`; None when none does.

    `admits` says which cards count besides those that the demand is blocked on.
    """
    for instance, gpu, price in _cheapest_first(wish):
        if demand.blocked(gpu) or not admits(gpu):
            continue
        estimate = min(demand.estimates(gpu, instance.gpu_count), key=lambda way: way.per_gpu_gib.best, default=None)
        if estimate is None:
            continue
        offer = Offer(instance, gpu, estimate, wish.utilization, price, demand.host_memory_gib, resident_gib=resident_gib(demand))
        if offer.fits:
            return offer
    return None


def _cheapest_first(wish: Wish) -> Iterable[tuple[Instance, Gpu, Price]]:
    """Priced types by the hour, or by the month where the budget is one by the month."""
    types = priced_types(wish.region, wish.currency)
    if wish.max_monthly is None:
        return types
    return sorted(types, key=lambda found: cost_to_rank(found[0].instance_type, wish) or Decimal(0))


@kept
def priced_types(region: str, currency: str) -> tuple[tuple[Instance, Gpu, Price], ...]:
    """Whole-card CUDA types on sale with a price in `region`, cheapest first.

    Without hosts of ARM: engines ship for them late or not at all, so that they are no plain way to save.
    """
    found = []
    for row in find_instances(region=region, status="on_sale", vgpu=False):
        price = hourly_price(row.instance.instance_type, region, currency)
        usual = row.gpu and row.gpu.compute_capability and row.instance.cpu_arch != "arm64"
        if usual and row.gpu and isinstance(price, Price) and price.currency == currency:
            found.append((row.instance, row.gpu, price))
    listed = [item for item in found if item[0].instance_type not in gone_types()]
    return tuple(sorted(listed, key=lambda item: item[2].amount))
