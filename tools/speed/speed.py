"""The speed of serving one model on one kind of card: the figures with their band and what they assume."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from knowledge.facts import error_bands
from knowledge.rows import Gpu
from tools.phrases import Language, read_phrases, say
from tools.results import Band, ErrorBand
from tools.serving_job import POOLED, ServingJob

from .efficiency import PHRASES, band_of
from .lanes import Lane, Load, check_users, job_lane, lengths_said, split_context
from .results import Speed
from .roofline import step_parts


def serving_speed(
    job: ServingJob, gpu: Gpu, *, tensor_parallel: int, nvlink: bool | None = None, concurrency: int | None = None,
    input_tokens: int | None = None, output_tokens: int | None = None, language: Language = "en",
) -> Speed:  # fmt: skip
    """Speed of one copy of the job (one data-parallel rank) on `tensor_parallel` cards, at the job's concurrency.

    `nvlink` says whether the machine has it; None takes the card's word. Lengths that are not given are taken from the
    context (`split_context`). Raises InputError for a card whose bandwidth is not published, an engine of which no
    table is known, or lengths out of range.
    """
    prompt, answer = split_context(job.context, input_tokens or job.prompt, output_tokens, language=language)
    users = concurrency if concurrency is not None else job.sequences
    check_users(users, language)
    lane = job_lane(job, gpu, tensor_parallel=tensor_parallel, nvlink=nvlink, language=language)
    return speed_of(Load(job, gpu, users, prompt, answer, lengths_said(job, input_tokens, output_tokens)), lane, language)


def speed_of(load: Load, lane: Lane, language: Language) -> Speed:
    """The Speed of a lane at a load, with its band and its assumptions."""
    row, users = lane.choice.row, load.users
    times, band = lane.times(users, load.prompt, load.answer), band_of(lane.choice, concurrency=users)
    parts = step_parts(lane.loads, lane.peak, row, batch=users, context=load.prompt + load.answer / 2)
    checks = ("trtllm-performance", "gpustack-lab") if users > 1 else ("trtllm-performance",)
    return Speed(
        gpu_id=load.gpu.gpu_id,
        gpus=lane.loads.tensor_parallel,
        engine=row.engine,
        concurrency=users,
        input_tokens=load.prompt,
        output_tokens=load.answer,
        first_token_s=_first_token(times.first_token_s, band),
        time_per_token_ms=_time(times.token_s * 1e3, band),
        request_s=_time(times.request_s, band),
        tokens_per_s_per_user=_speed(1 / times.token_s, band),
        tokens_per_s=_speed(times.tokens_per_s, band),
        bound_by=max(parts, key=lambda name: parts[name]),
        error_band=band,
        assumptions=list(_assumptions(load, lane, language)),
        source_ids=list(dict.fromkeys((*row.source_ids, *load.gpu.source_ids, *checks))),
    )


def _assumptions(load: Load, lane: Lane, language: Language) -> Iterator[str]:
    table, row, job = read_phrases("tools", PHRASES), lane.choice.row, load.job
    arguments = {
        "engine": ENGINE_NAMES[row.engine], "version": row.from_version, "card": load.gpu.name, "prompt": load.prompt,
        "answer": load.answer, "users": load.users, "cards": lane.loads.tensor_parallel,
        **_band_words("first", "first_token"), **_band_words("batch", "speed_batched"),
    }  # fmt: skip
    holds = {
        "basis_fitted": lane.choice.is_fitted,
        "basis_other": not lane.choice.is_fitted,
        "prompt_basis": True,
        "batched_basis": load.users > 1,
        "lengths_assumed": not load.lengths_said,
        "no_nvlink": lane.loads.tensor_parallel > 1 and lane.peak.extra_s > 0,
        "experts_even": lane.loads.experts > 0,
        "no_graphs": job.enforce_eager and job.engine in POOLED,
        "no_guessing": job.mtp or job.draft is not None,
        "no_prefix": job.shared_prefix > 0,
    }
    yield from (say(table, code, language, **arguments) for code, true in holds.items() if true)


def _band_words(name: str, quantity: str) -> dict[str, float]:
    row = error_bands()[quantity]
    return {f"{name}_n": row.n, f"{name}_low": row.low_pct, f"{name}_high": row.high_pct}


ENGINE_NAMES = {"vllm": "vLLM", "sglang": "SGLang", "transformers": "transformers"}


def _speed(best: float, band: ErrorBand) -> Band:
    return Band(low=best * (1 + band.low_pct / 100), best=best, high=best * (1 + band.high_pct / 100))


def _time(best: float, band: ErrorBand) -> Band:
    return Band(low=best / (1 + band.high_pct / 100), best=best, high=best / (1 + band.low_pct / 100))


@cache
def _first_token_band() -> tuple[float, float]:
    row = error_bands()["first_token"]
    return 1 + row.low_pct / 100, 1 + row.high_pct / 100


def _first_token(best: float, band: ErrorBand) -> Band:
    """The wider of what first tokens and what speeds strayed."""
    low, high = _first_token_band()
    plain = _time(best, band)
    return Band(low=min(plain.low, best * low), best=best, high=max(plain.high, best * high))
