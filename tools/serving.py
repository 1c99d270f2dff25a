"""Memory of serving a language model with vLLM: the whole account, and the Estimate made of it.

    required = weights + KV cache of all sequences + activation peak + CUDA and NCCL     (per GPU, of the largest stage)
    limit    = gpu_memory_utilization · usable                                           (CUDA graphs live outside)
    pool     = limit − weights − activation peak − CUDA and NCCL                         (what the engine's log prints)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from knowledge.facts import error_bands, precisions
from knowledge.rows import EngineVersion, Gpu

from .architecture import complete_shape
from .commands import find_checkpoint, loaded_bytes, serve_command
from .compatibility import blocked, cautions, refuses_float16
from .engine import activation_peak, current_engine, defaults_of, engine_bytes
from .kv_cache import BLOCK, KvLayout, kv_layout
from .long_context import override_words
from .parallel import needs_expert_parallel, tensor_parallel_sizes
from .phrases import Language, read_phrases, say
from .results import Band, ErrorBand, Estimate
from .serving_job import MAX_CONTEXT, ServingJob, check_job, kv_element_bytes
from .units import from_gib, to_gib
from .usable import usable_gib, usable_is_estimated
from .weights import canonical_precision, served_precision, weights_bytes, weights_bytes_per_gpu

__all__ = [
    "ServingJob", "ServingSum", "blocked", "cautions", "estimate_serving", "serving_sum", "tensor_parallel_sizes",
    "usable_bytes", "usable_is_estimated",
]  # fmt: skip

BAND = "serving_required"


@dataclass(frozen=True, slots=True)
class ServingSum:
    """The account of one job on one card; bytes unless the name says otherwise.

    Bytes per token are means over a sequence of the job's context: all layers for uniform attention, less where layers
    have windows. Figures without `_per_gpu` count the whole model once, without copies over GPUs.
    `longest_context` is what the pool holds at the wished concurrency; it may exceed the model's own context.
    """

    weights_bytes: int
    weights_bytes_per_gpu: int
    kv_bytes_per_token: int
    kv_bytes_per_token_per_gpu: int
    kv_bytes_per_sequence: int
    kv_bytes_per_sequence_per_gpu: int
    kv_bytes: int
    activation_bytes: int
    engine_bytes: int
    required_bytes_per_gpu: int
    usable_bytes: int
    limit_bytes: int
    tensor_parallel: int
    pipeline_parallel: int
    max_num_seqs: int
    max_num_batched_tokens: int
    pool_bytes_per_gpu: int
    pool_tokens: int
    max_sequences: int
    concurrency: int
    layout: KvLayout

    @property
    def longest_context(self) -> int:
        """Tokens of each sequence at the wished concurrency."""
        return _longest_context(self.layout, self.pool_bytes_per_gpu // self.concurrency, self.max_num_batched_tokens)

    @property
    def fits(self) -> bool:
        """Whether the best figure is within the limit."""
        return self.required_bytes_per_gpu <= self.limit_bytes


def usable_bytes(gpu: Gpu) -> int:
    """Bytes of the card that a job may use, before the engine's utilization."""
    return from_gib(usable_gib(gpu))


def serving_sum(
    job: ServingJob,
    gpu: Gpu,
    *,
    tensor_parallel: int,
    pipeline_parallel: int = 1,
    engine: EngineVersion | None = None,
    language: Language = "en",
) -> ServingSum:
    """The account on `tensor_parallel` cards of each of `pipeline_parallel` machines; a GPU of the largest stage counts.

    `engine` is for checking old logs; None is the current one.

    Raises InputError with one sentence when the job cannot be asked for or the model cannot be cut that way.
    """
    job = replace(job, model=complete_shape(job.model))
    check_job(job, tensor_parallel=tensor_parallel, pipeline_parallel=pipeline_parallel, language=language)
    cut = {"tensor_parallel": tensor_parallel, "pipeline_parallel": pipeline_parallel}
    engine, usable = engine or current_engine(), usable_bytes(gpu)
    seqs, step = _engine_settings(job, gpu, usable)
    element = kv_element_bytes(job.kv_dtype, language=language)
    whole, shard = kv_layout(job.model, element), kv_layout(job.model, element, **cut)
    weights = weights_bytes_per_gpu(job.model, job.weight_dtype, **cut)
    activations = activation_peak(
        job.model, engine=engine, element_bytes=_activation_bytes(job), max_num_seqs=seqs, step_tokens=step,
        tensor_parallel=tensor_parallel,
    )  # fmt: skip
    outside = engine_bytes(engine, gpus=tensor_parallel * pipeline_parallel)
    fixed = weights + activations + outside
    limit = round(job.gpu_memory_utilization * usable)
    pool = max(0, limit - fixed)
    sequence = shard.sequence_bytes(job.context, step_tokens=step)
    mean_token = shard.mean_bytes_per_token(job.context, step_tokens=step)
    pool_token = shard.bytes_per_token if engine.pool_tokens == "layers" else mean_token
    whole_sequence = whole.sequence_bytes(job.context, step_tokens=step)
    return ServingSum(
        weights_bytes=weights_bytes(job.model, job.weight_dtype),
        weights_bytes_per_gpu=weights,
        kv_bytes_per_token=whole.mean_bytes_per_token(job.context, step_tokens=step),
        kv_bytes_per_token_per_gpu=mean_token,
        kv_bytes_per_sequence=whole_sequence,
        kv_bytes_per_sequence_per_gpu=sequence,
        kv_bytes=job.concurrency * whole_sequence,
        activation_bytes=activations,
        engine_bytes=outside,
        required_bytes_per_gpu=fixed + job.concurrency * sequence,
        usable_bytes=usable,
        limit_bytes=limit,
        tensor_parallel=tensor_parallel,
        pipeline_parallel=pipeline_parallel,
        max_num_seqs=seqs,
        max_num_batched_tokens=step,
        pool_bytes_per_gpu=pool,
        pool_tokens=pool // (pool_token * BLOCK) * BLOCK,
        max_sequences=pool // sequence,
        concurrency=job.concurrency,
        layout=shard,
    )


def estimate_serving(
    job: ServingJob, gpu: Gpu, *, tensor_parallel: int, pipeline_parallel: int = 1, language: Language = "en"
) -> Estimate:
    """The Estimate of a job cut that way, with assumptions in `language` and the command to run it."""
    cut = {"tensor_parallel": tensor_parallel, "pipeline_parallel": pipeline_parallel}
    account = serving_sum(
        job, gpu, tensor_parallel=tensor_parallel, pipeline_parallel=pipeline_parallel, language=language
    )
    parts = {
        "weights": to_gib(account.weights_bytes_per_gpu),
        "kv_cache": to_gib(account.kv_bytes_per_sequence_per_gpu * job.concurrency),
        "activations": to_gib(account.activation_bytes),
        "engine": to_gib(account.engine_bytes),
    }
    best, band = sum(parts.values()), error_bands()[BAND]
    return Estimate(
        job="llm_inference",
        per_gpu_gib=Band(low=best * (1 + band.low_pct / 100), best=best, high=best * (1 + band.high_pct / 100)),
        gpus=tensor_parallel * pipeline_parallel,
        parts=parts,
        will_show_gib=to_gib(account.limit_bytes) + current_engine().graphs_gib,
        kv_bytes_per_token=account.kv_bytes_per_token,
        kv_tokens=account.pool_tokens,
        max_concurrency=account.pool_bytes_per_gpu / account.kv_bytes_per_sequence_per_gpu,
        assumptions=_assumptions(job, gpu, account, language),
        error_band=ErrorBand(low_pct=band.low_pct, high_pct=band.high_pct, n=band.n, **{"from": band.measured_in}),
        command=serve_command(job, gpu, **cut, max_num_seqs=_flag_seqs(job, gpu, account)),
        source_ids=_source_ids(job, gpu),
    )


def _engine_settings(job: ServingJob, gpu: Gpu, usable: int) -> tuple[int, int]:
    """max_num_seqs (never below the wished concurrency unless said) and max_num_batched_tokens."""
    defaults = defaults_of(gpu, usable)
    seqs = job.max_num_seqs or max(defaults.max_num_seqs, job.concurrency)
    return seqs, job.max_num_batched_tokens or defaults.max_num_batched_tokens


def _flag_seqs(job: ServingJob, gpu: Gpu, account: ServingSum) -> int | None:
    picked = defaults_of(gpu, account.usable_bytes).max_num_seqs
    return account.max_num_seqs if job.max_num_seqs or account.max_num_seqs != picked else None


def _activation_bytes(job: ServingJob) -> int:
    return 4 if served_precision(job.model, job.weight_dtype).precision == "fp32" else 2


def _longest_context(shard: KvLayout, room: int, step: int) -> int:
    """Tokens of the longest sequence within `room` bytes, by halving; memory never falls with context."""
    low, high = 0, MAX_CONTEXT // BLOCK
    while low < high:
        middle = (low + high + 1) // 2
        if shard.sequence_bytes(middle * BLOCK, step_tokens=step) <= room:
            low = middle
        else:
            high = middle - 1
    return low * BLOCK


def _assumptions(job: ServingJob, gpu: Gpu, account: ServingSum, language: Language) -> list[str]:
    table, engine = read_phrases("tools", "phrases/serving.toml"), current_engine()
    precision, checkpoint = served_precision(job.model, job.weight_dtype), find_checkpoint(job.model, job.weight_dtype, gpu)
    load = "assume_load" if job.concurrency > 1 else "assume_single_load"
    codes = ["assume_engine", load, "assume_kv", "assume_pool"]
    if precision.embedding_bits != precision.bits:
        codes.append("embeddings_16bit")
    if not checkpoint.published:
        codes.append("quantised_checkpoint")
    codes += _ways_of_serving(job, gpu, account)
    codes += [code for code in cautions(job, gpu, account.tensor_parallel, account.pipeline_parallel) if code in table]
    arguments = {
        "model": job.model.id, "gpu": gpu.name, "path": checkpoint.path, "served": precision.precision,
        "weight_dtype": job.weight_dtype, "bits": precision.bits, "kv_dtype": job.kv_dtype,
        "concurrency": job.concurrency, "context": job.context, "utilization": job.gpu_memory_utilization,
        "seqs": account.max_num_seqs, "tokens": account.max_num_batched_tokens,
        "shown": to_gib(account.limit_bytes) + engine.graphs_gib, "graphs": engine.graphs_gib,
        "max_context": job.model.max_context or 0, "kv_heads": job.model.kv_heads or 0,
        "tensor_parallel": account.tensor_parallel, "pipeline_parallel": account.pipeline_parallel,
        "files": to_gib(loaded_bytes(job.model, job.weight_dtype, gpu)),
    }  # fmt: skip
    return [say(table, code, language, **arguments) for code in codes]


def _ways_of_serving(job: ServingJob, gpu: Gpu, account: ServingSum) -> Iterator[str]:
    """Codes of what the command does that was not asked for in so many words."""
    model, precision = job.model, served_precision(job.model, job.weight_dtype)
    if precision.kind != precisions()[canonical_precision(job.weight_dtype)].kind:
        yield "served_as_published"
    if find_checkpoint(model, job.weight_dtype, gpu).load_flag:
        yield "quantised_while_loading"
    if needs_expert_parallel(model, job.weight_dtype, account.tensor_parallel):
        yield "experts_stay_whole"
    if precision.precision == "fp16" and refuses_float16(model):
        yield "bf16_instead"
    if override_words(model, job.context):
        yield "yarn_in_command"


def _source_ids(job: ServingJob, gpu: Gpu) -> list[str]:
    precision = served_precision(job.model, job.weight_dtype).source_ids
    named = (*job.model.source_ids, *precision, *current_engine().source_ids, "vllm-docs", *gpu.source_ids)
    return list(dict.fromkeys(named))
