"""What is to be served, and the limits of what can be asked."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.errors import InputError
from knowledge.facts import precisions
from knowledge.rows import Model

from .architecture import GENERATIVE
from .parallel import divides, keeps_blocks, tensor_parallel_sizes
from .phrases import Language, read_phrases, say
from .weights import canonical_precision

MAX_CONTEXT = 100_000_000
"""Tokens; ten times the longest context any published model claims."""
MAX_CONCURRENCY = 100_000


@dataclass(frozen=True, slots=True)
class ServingJob:
    """One language model to be served; None takes what the engine picks on the card.

    `context` is prompt and answer of one sequence (max_model_len), `concurrency` the sequences at once, all that long.
    `weight_only` allows FP8 weights on cards that cannot compute in FP8 (W8A16, `compatibility.loads_fp8_weight_only`).
    """

    model: Model
    weight_dtype: str
    kv_dtype: str = "bf16"
    context: int = 8192
    concurrency: int = 8
    gpu_memory_utilization: float = 0.90
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    weight_only: bool = False


def check_job(job: ServingJob, *, tensor_parallel: int, pipeline_parallel: int = 1, language: Language = "en") -> None:
    """InputError with one sentence naming the limit when the job cannot be asked for."""
    code = _broken_limit(job, tensor_parallel, pipeline_parallel)
    if code is None:
        return
    sizes = ", ".join(str(size) for size in reversed(tensor_parallel_sizes(job.model, 16, job.weight_dtype)))
    raise InputError(
        say(
            read_phrases("tools", "phrases/serving.toml"), code, language,
            model=job.model.id, context=job.context, concurrency=job.concurrency, max_context=MAX_CONTEXT,
            max_concurrency=MAX_CONCURRENCY, utilization=job.gpu_memory_utilization, sizes=sizes,
            tensor_parallel=tensor_parallel, heads=job.model.heads or "?", kv_heads=job.model.kv_heads or "?",
            seqs=job.max_num_seqs, tokens=job.max_num_batched_tokens, weight_dtype=job.weight_dtype,
            pipeline_parallel=pipeline_parallel, layers=job.model.layers or "?",
        )
    )  # fmt: skip


def kv_precision(kv_dtype: str, *, language: Language = "en") -> str:
    """Canonical precision of the cache; `auto` and empty are the 16-bit default."""
    plain = kv_dtype.strip().casefold()
    return "bf16" if plain in ("auto", "") else canonical_precision(kv_dtype, language=language)


def kv_element_bytes(kv_dtype: str, *, language: Language = "en") -> float:
    """Bytes per element of the cache. InputError for precisions that it cannot be kept in."""
    size = precisions()[kv_precision(kv_dtype, language=language)].kv_bytes
    if size is None:
        kinds = ", ".join(row.precision for row in precisions().values() if row.kv_bytes is not None)
        table = read_phrases("tools", "phrases/serving.toml")
        raise InputError(say(table, "not_a_kv_precision", language, name=repr(kv_dtype[:40]), known=kinds))
    return size


def _broken_limit(job: ServingJob, tensor_parallel: int, pipeline_parallel: int) -> str | None:
    limits = (
        ("not_a_language_model", job.model.modality in GENERATIVE),
        ("context_not_positive", job.context > 0),
        ("context_too_long", job.context <= MAX_CONTEXT),
        ("concurrency_not_positive", job.concurrency > 0),
        ("concurrency_too_high", job.concurrency <= MAX_CONCURRENCY),
        ("utilization_out_of_range", 0 < job.gpu_memory_utilization <= 1),
        ("max_num_seqs_out_of_range", job.max_num_seqs is None or 0 < job.max_num_seqs <= MAX_CONCURRENCY),
        ("max_num_batched_tokens_out_of_range",
         job.max_num_batched_tokens is None or 0 < job.max_num_batched_tokens <= MAX_CONTEXT),
        ("tensor_parallel_does_not_divide", tensor_parallel == 1 or divides(job.model, tensor_parallel)),
        ("tensor_parallel_cuts_blocks", keeps_blocks(job.model, job.weight_dtype, tensor_parallel)),
        ("pipeline_parallel_out_of_range", 1 <= pipeline_parallel <= (job.model.layers or pipeline_parallel)),
    )  # fmt: skip
    return next((code for code, holds in limits if not holds), None)
