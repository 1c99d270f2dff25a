"""The longest context, or the most sequences at once, that fit on the places a user names."""

from __future__ import annotations

from dataclasses import replace

from knowledge.errors import InputError

from .advise import Advice
from .llm_demand import LlmDemand
from .phrases import Language, read_phrases, say
from .places import Place, places
from .results import Recommendation
from .serving import ServingJob, blocked, serving_sum
from .serving_job import MAX_CONCURRENCY, MAX_CONTEXT
from .solved import Solved, largest
from .units import to_gib

CONTEXT, CONCURRENCY = "context", "concurrency"
QUANTITIES = (CONTEXT, CONCURRENCY)
STEP = 16
"""Contexts are solved in blocks of the cache."""


def check_quantity(quantity: str, language: Language) -> None:
    """InputError naming what can be solved for."""
    if quantity not in QUANTITIES:
        table = read_phrases("tools", "phrases/serving.toml")
        raise InputError(say(table, "cannot_solve_serving", language, quantity=repr(quantity[:40]), known=", ".join(QUANTITIES)))


def solve_serving(
    demand: LlmDemand, quantity: str, names: tuple[str, ...], *, wished: int | None, advice: Advice, language: Language
) -> list[Solved]:
    """The largest value on each place, the others as the job has them.

    `wished` is what the user asked for: where a place falls short of it, the first machine of `advice` is named.
    """
    check_quantity(quantity, language)
    found = [place for name in names for place in places(name)]
    first = next(iter([*advice.recommendations, *advice.multi]), None)
    return [_solve(demand, quantity, place, wished=wished, first=first, language=language) for place in found]


def _solve(
    demand: LlmDemand, quantity: str, place: Place, *, wished: int | None, first: Recommendation | None, language: Language
) -> Solved:
    job, size, stages = demand.job, demand.size_on(place.gpus), demand.stages_on(place.gpus)
    code = blocked(job, place.gpu) or ("too_few_cards" if size is None else None)
    shards, stages = size or 1, stages if size else 1

    def with_value(value: int) -> ServingJob:
        if quantity == CONTEXT:
            return replace(job, context=value, shared_prefix=min(job.shared_prefix, value))
        return replace(job, concurrency=value)

    def fits(value: int) -> bool:
        return serving_sum(with_value(value), place.gpu, tensor_parallel=shards, pipeline_parallel=stages).fits

    step, most = (STEP, _most_context(job)) if quantity == CONTEXT else (1, MAX_CONCURRENCY)
    value = 0 if code else largest(fits, low=step, high=most, step=step) or 0
    shown = with_value(value or step)
    account = serving_sum(shown, place.gpu, tensor_parallel=shards, pipeline_parallel=stages, language=language)
    short = wished is not None and value < wished
    running = read_phrases("tools", "phrases/running.toml")
    needed = (demand.tensor_parallel or 1) * demand.pipeline_parallel * job.data_parallel
    return Solved(
        quantity=quantity,
        value=value,
        label=place.label,
        instance_type=place.instance_type,
        gpu_id=place.gpu.gpu_id,
        gpus=place.gpus,
        required_gib=to_gib(account.required_bytes_per_gpu),
        limit_gib=to_gib(account.limit_bytes),
        capped=value + step > most,
        blocked=say(running, code, language, tensor_parallel=needed, gpus=place.gpus) if code else None,
        wished=wished,
        next_machine=first if short else None,
    )


def _most_context(job: ServingJob) -> int:
    """The model's own context, or what was asked for where that is longer."""
    return max(job.model.max_context or MAX_CONTEXT, job.context)
