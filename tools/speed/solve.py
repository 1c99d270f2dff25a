"""The most users on a place that each get a wished speed: what memory holds, less what would be too slow."""

from __future__ import annotations

from dataclasses import replace

from knowledge import facts
from knowledge.errors import InputError
from tools.llm_demand import LlmDemand
from tools.offers import card_of
from tools.phrases import Language
from tools.serving import serving_sum
from tools.solved import Solved
from tools.units import to_gib

from .copies import users_at
from .lanes import job_lane, split_context


def users_within_speed(
    solved: Solved, demand: LlmDemand, *, tokens_per_s: float, input_tokens: int | None, output_tokens: int | None, language: Language
) -> Solved:
    """The largest number of users of `solved` that each get `tokens_per_s` by the slow end of the band; 0 where not one does.

    As it was where the place is blocked, or where no speeds of the engine or rates of the card are published.
    """
    row, size = facts.instances().get(solved.instance_type or ""), demand.size_on(solved.gpus)
    if solved.blocked or size is None:
        return solved
    gpu, job = card_of(row) if row else facts.gpus()[solved.gpu_id], demand.job
    try:
        lane = job_lane(job, gpu, tensor_parallel=size, nvlink=row.nvlink if row else None, language=language)
    except InputError:
        return solved
    prompt, answer = split_context(job.context, input_tokens, output_tokens)
    users = users_at(lane, tokens_per_s, prompt, answer, room=solved.value)
    required = serving_sum(replace(job, concurrency=max(users, 1)), gpu, tensor_parallel=size).required_bytes_per_gpu
    return solved.model_copy(
        update={"value": users, "required_gib": to_gib(required), "capped": False, "tokens_per_s": tokens_per_s}
    )
