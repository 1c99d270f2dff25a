"""The speed of serving one model on one kind of card: the figures with their band and what they assume."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from knowledge.errors import InputError
from knowledge.facts import error_bands
from knowledge.rows import Gpu, Model
from tools.phrases import Language, read_phrases, say
from tools.results import Band, ErrorBand
from tools.serving_job import MAX_CONCURRENCY, MAX_CONTEXT, POOLED, ServingJob, kv_element_bytes

from .efficiency import PHRASES, Choice, band_of, choose_efficiency
from .loads import Loads, make_loads
from .results import Speed
from .roofline import Peak, peak_of, step_parts
from .times import Times, request_times

ANSWER_SHARE = 4
"""Where only a context is given, one token in four is the answer: long prompts and short answers are the usual load."""
LONGEST_ANSWER = 1024
"""And not more than that: few answers are longer."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One copy of a model on cards of one kind: what it reads, how fast the cards are, which shares hold."""

    loads: Loads
    peak: Peak
    choice: Choice

    def times(self, concurrency: int, input_tokens: int, output_tokens: int, *, slow: bool = False) -> Times:
        """Times at that load; `slow` by the low end of the band."""
        times = request_times(
            self.loads, self.peak, self.choice.row,
            concurrency=concurrency, input_tokens=input_tokens, output_tokens=output_tokens,
        )  # fmt: skip
        return slower(times, band_of(self.choice, concurrency=concurrency).low_pct) if slow else times


@dataclass(frozen=True, slots=True)
class Load:
    """Requests on one copy: how many at once, how long, and whether the lengths were said or assumed."""

    job: ServingJob
    gpu: Gpu
    users: int
    prompt: int
    answer: int
    lengths_said: bool


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


def lengths_said(job: ServingJob, input_tokens: int | None, output_tokens: int | None) -> bool:
    """Whether prompt and answer are known: one of them and the context give the other."""
    return bool(input_tokens or output_tokens or job.prompt)


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


def job_lane(
    job: ServingJob, gpu: Gpu, *, tensor_parallel: int, nvlink: bool | None = None, language: Language = "en"
) -> Lane:  # fmt: skip
    """What decides the speed of one copy. InputError for a card whose bandwidth or rate is not published.

    Engines that spread layers over cards use one card after the other: `tensor_parallel` is then one.
    """
    choice = choose_efficiency(
        job.model, job.weight_dtype, gpu, engine=job.engine, version=job.engine_version or None, language=language
    )
    peak = peak_of(gpu, choice.row.kind, nvlink=bool(gpu.nvlink_gb_s) if nvlink is None else nvlink)
    if peak is None:
        raise InputError(say(read_phrases("tools", PHRASES), "rates_unknown", language, card=gpu.name))
    size = tensor_parallel if job.engine in POOLED else 1
    return Lane(cached_loads(job, size), peak, choice)


def split_context(
    context: int, input_tokens: int | None, output_tokens: int | None, *, language: Language = "en"
) -> tuple[int, int]:
    """Tokens of prompt and answer. What is not given is what the context leaves: a quarter of it for the answer, at most 1024."""
    answer = output_tokens if output_tokens is not None else max(1, min(LONGEST_ANSWER, context // ANSWER_SHARE))
    prompt = input_tokens if input_tokens is not None else max(1, context - answer)
    if prompt < 0 or answer < 1 or prompt + answer > MAX_CONTEXT:
        raise InputError(
            say(read_phrases("tools", PHRASES), "lengths_out_of_range", language, prompt=prompt, answer=answer, most=MAX_CONTEXT)
        )
    return prompt, answer


def check_users(users: int, language: Language) -> None:
    """InputError when nobody, or more than can be meant, asks at once."""
    if not 1 <= users <= MAX_CONCURRENCY:
        raise InputError(say(read_phrases("tools", PHRASES), "users_out_of_range", language, users=users, most=MAX_CONCURRENCY))


def slower(times: Times, low_pct: float) -> Times:
    """The same times by a speed that is `low_pct` percent off."""
    factor = 1 / (1 + low_pct / 100)
    return replace(
        times, prompt_s=times.prompt_s * factor, shared_prompt_s=times.shared_prompt_s * factor, step_s=times.step_s * factor
    )


_LOADS: dict[tuple[str, str, str, int], tuple[Model, Loads]] = {}


def cached_loads(job: ServingJob, tensor_parallel: int) -> Loads:
    """`make_loads`, once for each cut of a model: it does not depend on the card."""
    key = (job.model.id, job.weight_dtype, job.kv_dtype, tensor_parallel)
    if key not in _LOADS or _LOADS[key][0] is not job.model:
        element = kv_element_bytes(job.kv_dtype)
        _LOADS[key] = (
            job.model,
            make_loads(job.model, job.weight_dtype, kv_bytes=element, tensor_parallel=tensor_parallel),
        )
    return _LOADS[key][1]


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
