"""What a sizing shows: one layout of the model on one machine, its speed and the price of its tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowledge import facts
from knowledge.errors import InputError
from knowledge.rows import Gpu

from .advise import Advice
from .llm_demand import LlmDemand
from .offers import card_of
from .phrases import Language
from .results import Recommendation
from .serving import ServingJob
from .serving_job import POOLED
from .sizing_results import Replicas
from .speed.cost import token_price
from .speed.results import Speed, TokenPrice
from .speed.speed import serving_speed
from .variants import REFERENCE_GPU, LlmRequest, request_demand

MOST_CARDS = 8
"""Cards of the largest machines."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The job whose sum is shown, and where: `cards` of each of `machines`."""

    job: ServingJob
    demand: LlmDemand
    gpu: Gpu
    cards: int
    machines: int
    tensor_parallel: int


def shown_layout(
    job: ServingJob, demand: LlmDemand, request: LlmRequest, advice: Advice, replicas: Replicas | None, language: Language
) -> Shown:
    """The first recommendation's layout, one copy where copies lead, else that of the closest miss."""
    if replicas and replicas.leads:
        size = replicas.tensor_parallel
        one = replace(job, concurrency=replicas.users)
        alone = request_demand(one, replace(request, tensor_parallel=size), language)
        return Shown(one, alone, facts.gpus()[replicas.machine.gpu_id], size, 1, size)
    for candidates in (advice.recommendations, advice.multi, advice.over_budget, advice.price_unknown, advice.near_misses):
        if candidates:
            first: Recommendation = candidates[0]
            gpu, cards, machines = card_of(facts.instances()[first.instance_type]), first.gpu_count, first.instances
            break
    else:
        gpu, cards, machines = facts.gpus()[REFERENCE_GPU], max(MOST_CARDS, request.tensor_parallel or 1), 1
    return Shown(job, demand, gpu, cards, machines, demand.size_on(cards) or 1)


def speed_shown(shown: Shown, request: LlmRequest, stages: int, language: Language) -> Speed | None:
    """Speed of the shown copy; None for pipelines and for cards and engines without published figures."""
    if stages > 1 and shown.job.engine in POOLED:
        return None
    try:
        return serving_speed(
            shown.job, shown.gpu, tensor_parallel=shown.tensor_parallel, input_tokens=request.input_tokens,
            output_tokens=request.output_tokens, language=language,
        )  # fmt: skip
    except InputError:
        return None


def token_price_shown(speed: Speed | None, shown: Shown, advice: Advice, replicas: Replicas | None) -> TokenPrice | None:
    """Price of a million tokens on the machine that is shown, where it has one."""
    leads = replicas is not None and replicas.leads
    pick = replicas.machine if replicas and leads else next(iter(advice.recommendations), None)
    if speed is None or pick is None or pick.price is None:
        return None
    copies = replicas.copies if replicas and leads else 1
    return token_price(pick.price, speed, copies=copies)
