"""What is to be served, and the limits of what can be asked."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.errors import InputError
from knowledge.facts import precisions
from knowledge.rows import Model

from .architecture import GENERATIVE
from .parallel import divides, tensor_parallel_sizes
from .phrases import Language, read_phrases, say
from .weights import canonical_precision

MAX_CONTEXT = 100_000_000
"""Tokens; ten times the longest context any published model claims."""
MAX_CONCURRENCY = 100_000


@dataclass(frozen=True, slots=True)
class ServingJob:
    """One language model to be served; None takes what the engine picks on the card.

    `context` is prompt and answer of one sequence (max_model_len), `concurrency` the sequences at once, all that long.
    """

    model: Model
    weight_dtype: str
    kv_dtype: str = "bf16"
    context: int = 8192
    concurrency: int = 8
    gpu_memory_utilization: float = 0.90
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None


def check_job(job: ServingJob, *, tensor_parallel: int, language: Language = "en") -> None:
    """InputError with one sentence naming the limit when the job cannot be asked for."""
    code = _broken_limit(job, tensor_parallel)
    if code is None:
        return
    sizes = ", ".join(str(size) for size in reversed(tensor_parallel_sizes(job.model, 16)))
    raise InputError(
        say(
            read_phrases("tools", "phrases/serving.toml"), code, language,
            model=job.model.id, context=job.context, concurrency=job.concurrency, max_context=MAX_CONTEXT,
            max_concurrency=MAX_CONCURRENCY, utilization=job.gpu_memory_utilization, sizes=sizes,
            tensor_parallel=tensor_parallel, heads=job.model.heads or "?", kv_heads=job.model.kv_heads or "?",
            seqs=job.max_num_seqs, tokens=job.max_num_batched_tokens,
        )
    )  # fmt: skip


def kv_precision(kv_dtype: str) -> str:
    """Canonical precision of the cache; `auto` and empty are the 16-bit default."""
    return "bf16" if kv_dtype.strip().casefold() in ("auto", "") else canonical_precision(kv_dtype)


def kv_element_bytes(kv_dtype: str) -> float:
    """Bytes per element of the cache. InputError for precisions that it cannot be kept in."""
    size = precisions()[kv_precision(kv_dtype)].kv_bytes
    if size is None:
        kinds = ", ".join(row.precision for row in precisions().values() if row.kv_bytes is not None)
        raise InputError(f"The KV cache cannot be kept in {kv_dtype[:40]!r}; it can be {kinds}.")
    return size


def _broken_limit(job: ServingJob, tensor_parallel: int) -> str | None:
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
    )  # fmt: skip
    return next((code for code, holds in limits if not holds), None)
