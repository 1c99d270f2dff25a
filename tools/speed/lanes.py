"""One copy of a model on cards of one kind, and the requests that it is given: what the speed is computed from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowledge.errors import InputError
from knowledge.rows import Gpu, Model
from tools.phrases import Language, read_phrases, say
from tools.serving_job import MAX_CONCURRENCY, MAX_CONTEXT, POOLED, ServingJob, kv_element_bytes

from .efficiency import PHRASES, Choice, band_of, choose_efficiency
from .loads import Loads, make_loads
from .roofline import Peak, peak_of
from .times import Times, request_times

ANSWER_SHARE = 4
"""Where only a context is given, one token in four is the answer: long prompts and short answers are the usual load."""
LONGEST_ANSWER = 1024
"""And not more than that: few answers are longer."""


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Load:
    """Requests on one copy: how many at once, how long, and whether the lengths were said or assumed."""

    job: ServingJob
    gpu: Gpu
    users: int
    prompt: int
    answer: int
    lengths_said: bool


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


def lengths_said(job: ServingJob, input_tokens: int | None, output_tokens: int | None) -> bool:
    """Whether prompt and answer are known: one of them and the context give the other."""
    return bool(input_tokens or output_tokens or job.prompt)


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
