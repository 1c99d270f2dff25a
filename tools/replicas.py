"""Many users over several copies of a model, each on cards of its own: what one puts behind a load balancer.

Copies share nothing, so that no link between them is needed; a pipeline over machines holds larger models, and waits at
every border. On one machine vLLM runs them itself (https://docs.vllm.ai/en/stable/serving/data_parallel_deployment/).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from knowledge.rows import Gpu

from .advice_words import Words
from .advise import Advice
from .budget import keeps_budget
from .llm_demand import LlmDemand
from .offers import Offer
from .parallel import tensor_parallel_sizes
from .phrases import Language
from .priced import priced_types
from .serving import ServingJob, serving_sum
from .sizing_results import Replicas
from .variants import WORTH_SAVING, LlmRequest, request_demand
from .wishes import is_asked

MOST_MACHINES = 1000
SAME_COST = Decimal("1.01")
"""Costs that differ by less are one cost: prices of the same card per hour are rounded."""


@dataclass(frozen=True, slots=True)
class _Share:
    """One way to share the users over machines of one kind: `copies` on each, `users` for each copy."""

    machines: int
    copies: int
    users: int
    tensor_parallel: int
    demand: LlmDemand


def find_replicas(job: ServingJob, request: LlmRequest, base: Advice, *, language: Language) -> Replicas | None:
    """The cheapest machines of one priced type that share the users, where that is cheaper than the first advice.

    Also where the first advice has no price or joins machines to one. Of
    nearly equal cost the fewest machines, virtual ones first.
    """
    if request.wish.has_budget and request.wish.currency != "CNY":
        return None  # copies are found by CNY prices, which say nothing of another budget
    before = _cost_to_beat(base)
    found = list(_offers(job, request, language))
    within = [way for way in found if _allowed(way, before, request)]
    if not within:
        return None
    least = min(cost for cost, *_ in within)
    cost, offer, share = min(
        (way for way in within if way[0] <= SAME_COST * least),
        key=lambda way: (way[2].machines, way[0], way[1].instance.bare_metal),
    )
    wish = replace(request.wish.without_budget, currency="CNY")
    words = Words(language, wish=wish, disk_gib=share.demand.disk_gib)
    row = words.recommend(offer, cautions=[]).model_copy(update={"instances": share.machines})
    joined = base.multi[0] if base.multi else None
    dear = joined is None or joined.price is None or cost <= joined.price.amount * joined.instances
    return Replicas(
        machine=row,
        copies=share.copies,
        users=share.users,
        tensor_parallel=share.tensor_parallel,
        leads=not base.recommendations and dear,
    )


def _offers(job: ServingJob, request: LlmRequest, language: Language) -> Iterator[tuple[Decimal, Offer, _Share]]:
    """Hourly cost of all machines, one of them, and the share, for each priced type that the wish admits."""
    shares: dict[tuple[str, int], _Share | None] = {}
    for instance, gpu, price in priced_types(request.wish.region, "CNY"):
        if not is_asked(instance, request.wish):
            continue
        place = (gpu.gpu_id, instance.gpu_count)
        if place not in shares:
            ways = _shares(job, request, gpu, instance.gpu_count, language)
            shares[place] = min(ways, key=lambda share: (share.machines, share.tensor_parallel), default=None)
        if (share := shares[place]) is None:
            continue
        estimate = share.demand.estimates(gpu, instance.gpu_count)[0]
        used = estimate.model_copy(update={"gpus": share.copies * share.tensor_parallel})
        offer = Offer(instance, gpu, used, request.wish.utilization, price, share.demand.host_memory_gib)
        if offer.fits:
            yield price.amount * share.machines, offer, share


def _shares(job: ServingJob, request: LlmRequest, gpu: Gpu, gpus: int, language: Language) -> Iterator[_Share]:
    """Ways to share the users over machines of that many cards, one for each size of a copy that holds a user."""
    if request_demand(job, request, language).blocked(gpu):
        return
    for size in tensor_parallel_sizes(job.model, gpus, job.weight_dtype):
        copies = gpus // size
        if request.tensor_parallel not in (None, size):
            continue
        room = copies * _room(job, gpu, size, language)
        machines = -(-job.concurrency // room) if room > 0 else MOST_MACHINES + 1
        if machines > MOST_MACHINES or machines * copies < 2:
            continue
        users = -(-job.concurrency // (machines * copies))
        asked = replace(request, tensor_parallel=size)
        yield _Share(machines, copies, users, size, request_demand(replace(job, concurrency=users), asked, language))


def _room(job: ServingJob, gpu: Gpu, size: int, language: Language) -> int:
    """Sequences that one copy holds. What sampling takes grows with the sequences, so it is asked of no more than may fit."""
    alone = serving_sum(replace(job, concurrency=1), gpu, tensor_parallel=size, language=language).max_sequences
    full = replace(job, concurrency=max(1, min(job.concurrency, alone)))
    return serving_sum(full, gpu, tensor_parallel=size, language=language).max_sequences


def _cost_to_beat(base: Advice) -> Decimal | None:
    """Hourly cost of the first machine that can be ordered; None where there is none with a price."""
    first = base.recommendations[0] if base.recommendations else None
    return first.price.amount if first and first.price and first.status == "on_sale" else None


def _allowed(way: tuple[Decimal, Offer, _Share], before: Decimal | None, request: LlmRequest) -> bool:
    """Whether it keeps the budget and is worth the change."""
    cost, offer, share = way
    if keeps_budget(request.wish, offer.instance.instance_type, machines=share.machines) is False:
        return False
    return before is None or cost <= WORTH_SAVING * before
