"""How many answer tokens a second a machine makes when it is never short of requests.

Every way of cutting the model over its cards is tried, each copy with as many requests at once as memory holds (at most
those that the engine takes by default); the fastest by the slow end counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from knowledge import facts
from knowledge.errors import InputError
from knowledge.rows import Gpu, Instance
from tools.names import show_instance
from tools.parallel import tensor_parallel_sizes
from tools.phrases import Language
from tools.results import TokensPerSecond
from tools.serving import ServingJob, blocked
from tools.sizing_job import find_model, make_job, require_language_model
from tools.speed.copies import room_of
from tools.speed.efficiency import band_of
from tools.speed.lanes import job_lane, split_context
from tools.variants import LlmRequest

MOST_AT_ONCE = 256
"""vLLM's `max_num_seqs` on most cards (engine_defaults.csv)."""


def machine_speed(
    model: str, instance_type: str, *, weight_dtype: str | None = None, input_tokens: int, output_tokens: int, language: Language = "en"
) -> TokensPerSecond | None:
    """Answer tokens per second of a whole machine at full load; None where the model does not fit or no speeds are known.

    Raises UnknownModel, UnknownInstance, and InputError for a model that is not served as a language model.
    """
    instance = show_instance(instance_type, language=language)
    request = LlmRequest(model=model, context=input_tokens + output_tokens, concurrency=1, input_tokens=input_tokens)
    request = replace(request, weight_dtype=weight_dtype) if weight_dtype else request
    match = find_model(request, language)
    require_language_model(match.model, language)
    job, _ = make_job(request, match, language)
    gpu = facts.gpus().get(instance.gpu_id)
    if gpu is None or instance.vgpu or not instance.gpu_count or blocked(job, gpu):
        return None
    split_context(job.context, input_tokens, output_tokens, language=language)  # lengths out of range are told here
    return max(_ways(job, gpu, instance, input_tokens, output_tokens), key=lambda speed: speed.low, default=None)


def _ways(job: ServingJob, gpu: Gpu, instance: Instance, prompt: int, answer: int) -> Iterator[TokensPerSecond]:
    """Each way of cutting that fits, with the copies that the machine's cards make."""
    for size in tensor_parallel_sizes(job.model, instance.gpu_count, job.weight_dtype):
        try:
            lane = job_lane(job, gpu, tensor_parallel=size, nvlink=instance.nvlink)
            room = room_of(job, gpu, size)
        except InputError:  # rates or speeds that nobody published
            continue
        if room < 1:
            continue
        users = min(room, MOST_AT_ONCE)
        best = lane.times(users, prompt, answer).tokens_per_s * (instance.gpu_count // size)
        band = band_of(lane.choice, concurrency=users)
        yield TokensPerSecond(low=best * (1 + band.low_pct / 100), high=best * (1 + band.high_pct / 100))
