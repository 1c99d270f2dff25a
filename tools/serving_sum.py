"""Memory of serving a language model, whole: weights, cache, what the engine takes, and the pool that is left.

    required = weights + KV cache of all sequences + activation peak + CUDA and NCCL     (per GPU, of the largest stage)
    limit    = utilization · usable                     (gpu_memory_utilization, mem_fraction_static)
    pool     = limit − weights − activation peak − CUDA and NCCL       (what the engine's log prints)

Rope tables, LoRA slots, prediction layers and draft models count with the weights; a prefix that all sequences share is held once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowledge.rows import EngineVersion, Gpu

from .architecture import complete_shape
from .engine import engine_of_version
from .engines.budget import Budget
from .engines.llamacpp import llamacpp_budget
from .engines.sglang import sglang_budget
from .engines.transformers import generate_budget, untied_head_bytes
from .engines.vllm import vllm_budget
from .kv_cache import BLOCK, KvLayout, head_dim, kv_layout
from .phrases import Language
from .serving_extras import adapter_bytes, guess_bytes, with_guesses
from .serving_job import (
    GGUF_ENGINES,
    MAX_CONTEXT,
    POOLED,
    SGLANG,
    TRANSFORMERS,
    VLLM,
    ServingJob,
    check_job,
    kv_element_bytes,
    kv_precision,
)
from .units import from_gib
from .usable import usable_gib
from .weights import rope_bytes, weights_bytes, weights_bytes_per_gpu

SCALE_BYTES = 4


@dataclass(frozen=True, slots=True)
class ServingSum:
    """The account of one job on one card; bytes unless the name says otherwise.

    Bytes per token are means over a sequence of the job's context: all layers for uniform attention, less where layers
    have windows. Figures without `_per_gpu` count the whole model once, without copies over GPUs.
    `longest_context` is what the pool holds at the wished concurrency; it may exceed the model's own context.
    `concurrency`, the pool and its tokens are those of one data-parallel rank, `max_sequences` of all.
    """

    weights_bytes: int
    weights_bytes_per_gpu: int
    kv_bytes_per_token: int
    kv_bytes_per_token_per_gpu: int
    kv_bytes_per_sequence: int
    kv_bytes_per_sequence_per_gpu: int
    kv_bytes: int
    kv_bytes_per_gpu: int
    activation_bytes: int
    engine_bytes: int
    required_bytes_per_gpu: int
    usable_bytes: int
    limit_bytes: int
    tensor_parallel: int
    pipeline_parallel: int
    data_parallel: int
    max_num_seqs: int
    max_num_batched_tokens: int
    pool_bytes_per_gpu: int
    pool_tokens: int
    max_sequences: int
    concurrency: int
    context: int
    shared_prefix: int
    layout: KvLayout
    adapter_bytes: int = 0
    guess_bytes: int = 0
    graph_bytes: int = 0
    outside_bytes: int = 0

    @property
    def longest_context(self) -> int:
        """Tokens of each sequence at the wished concurrency."""
        low, high = 0, MAX_CONTEXT // BLOCK
        while low < high:
            middle = (low + high + 1) // 2
            if self._cache_of(middle * BLOCK) <= self.pool_bytes_per_gpu:
                low = middle
            else:
                high = middle - 1
        return low * BLOCK

    @property
    def fits(self) -> bool:
        """Whether the best figure is within the limit."""
        return self.required_bytes_per_gpu <= self.limit_bytes

    def _cache_of(self, context: int) -> int:
        sequence = self.layout.sequence_bytes(context, step_tokens=self.max_num_batched_tokens)
        shared = prefix_bytes(self.layout, min(self.shared_prefix, context))
        return self.concurrency * (sequence - shared) + shared


@dataclass(frozen=True, slots=True)
class _Cut:
    tensor_parallel: int
    pipeline_parallel: int


def usable_bytes(gpu: Gpu) -> int:
    """Bytes of the card that a job may use, before the engine's utilization."""
    return from_gib(usable_gib(gpu))


def prefix_bytes(layout: KvLayout, tokens: int) -> int:
    """Cache of a shared prefix, whole blocks of the growing layers; windows are kept by each sequence."""
    return round(layout.growing * (tokens // BLOCK * BLOCK))


def serving_sum(
    job: ServingJob,
    gpu: Gpu,
    *,
    tensor_parallel: int,
    pipeline_parallel: int = 1,
    engine: EngineVersion | None = None,
    language: Language = "en",
) -> ServingSum:
    """The account on `tensor_parallel` cards of each of `pipeline_parallel` stages; a GPU of the largest stage counts.

    `engine` overrides the version of vLLM that the job names.

    Raises InputError with one sentence when the job cannot be asked for or the model cannot be cut that way.
    """
    job = replace(job, model=complete_shape(job.model))
    check_job(job, tensor_parallel=tensor_parallel, pipeline_parallel=pipeline_parallel, language=language)
    element = kv_element_bytes(job.kv_dtype, language=language) + _scale_bytes(job)
    cut = _Cut(tensor_parallel, pipeline_parallel)
    whole, shard = _layouts(job, element, cut)
    usable = usable_bytes(gpu)
    budget = _budget(job, gpu, engine or _version(job), shard, usable=usable, tensor_parallel=tensor_parallel)
    weights = _weights(job, cut)
    more = adapter_bytes(job, tensor_parallel=tensor_parallel, pipeline_parallel=pipeline_parallel)
    guesses = guess_bytes(job, tensor_parallel=tensor_parallel)
    return _account(job, budget, whole, shard, cut=cut, usable=usable, weights=weights, adapters=more, guesses=guesses,
                    by_layers=(engine or _version(job)).pool_tokens == "layers")  # fmt: skip


def _account(
    job: ServingJob, budget: Budget, whole: KvLayout, shard: KvLayout, *, cut: _Cut, usable: int, weights: int,
    adapters: int, guesses: int, by_layers: bool,
) -> ServingSum:  # fmt: skip
    step, limit = budget.step_tokens, round(job.gpu_memory_utilization * usable)
    fixed = weights + adapters + guesses + budget.activation + budget.engine + budget.graphs
    sequence, whole_sequence = (layout.sequence_bytes(job.context, step_tokens=step) for layout in (shard, whole))
    shared, whole_shared = (prefix_bytes(layout, job.shared_prefix) for layout in (shard, whole))
    held = job.sequences * (sequence - shared) + shared
    growing = round(budget.per_token * job.context)  # of the activations, what each further sequence adds
    room = limit - fixed + round(growing * job.sequences)
    pool = max(0, limit - fixed)
    mean_token = shard.mean_bytes_per_token(job.context, step_tokens=step)
    layout = replace(shard, growing=shard.growing + budget.per_token) if budget.per_token else shard
    each = max(sequence - shared + growing, 1)
    return ServingSum(
        weights_bytes=weights_bytes(job.model, job.weight_dtype),
        weights_bytes_per_gpu=weights,
        kv_bytes_per_token=whole.mean_bytes_per_token(job.context, step_tokens=step),
        kv_bytes_per_token_per_gpu=mean_token,
        kv_bytes_per_sequence=whole_sequence,
        kv_bytes_per_sequence_per_gpu=sequence,
        kv_bytes=job.concurrency * (whole_sequence - whole_shared) + job.data_parallel * whole_shared,
        kv_bytes_per_gpu=held,
        activation_bytes=budget.activation,
        engine_bytes=budget.engine,
        required_bytes_per_gpu=fixed + held,
        usable_bytes=usable,
        limit_bytes=limit,
        tensor_parallel=cut.tensor_parallel,
        pipeline_parallel=cut.pipeline_parallel,
        data_parallel=job.data_parallel,
        max_num_seqs=budget.max_num_seqs,
        max_num_batched_tokens=step,
        pool_bytes_per_gpu=pool if not budget.per_token else max(0, room),
        pool_tokens=pool // max((shard.bytes_per_token if by_layers else mean_token) * BLOCK, 1) * BLOCK,
        max_sequences=job.data_parallel * max(0, ((room if budget.per_token else pool) - shared) // each),
        concurrency=job.sequences,
        context=job.context,
        shared_prefix=job.shared_prefix,
        layout=layout,
        adapter_bytes=adapters,
        guess_bytes=guesses,
        graph_bytes=budget.graphs,
        outside_bytes=budget.outside,
    )


def _version(job: ServingJob) -> EngineVersion:
    return engine_of_version(job.engine_version if job.engine == VLLM else "")


def _scale_bytes(job: ServingJob) -> float:
    """Of one cached element: vLLM's int8 cache has an fp32 scale for each token and head, of keys and of values."""
    scaled = job.engine == VLLM and kv_precision(job.kv_dtype) == "int8" and "kv_lora_rank" not in (job.model.attention or {})
    return SCALE_BYTES / head_dim(job.model) if scaled and head_dim(job.model) else 0.0


def _layouts(job: ServingJob, element: float, cut: _Cut) -> tuple[KvLayout, KvLayout]:
    """Cache of the whole model, and of one GPU of the largest stage."""
    size, stages = cut.tensor_parallel, cut.pipeline_parallel
    whole = kv_layout(job.model, element)
    shard = kv_layout(job.model, element, tensor_parallel=size, pipeline_parallel=stages, grouped=job.engine == VLLM)
    return (
        with_guesses(whole, job, element, tensor_parallel=1),
        with_guesses(shard, job, element, tensor_parallel=size),
    )


def _weights(job: ServingJob, cut: _Cut) -> int:
    weights = weights_bytes_per_gpu(
        job.model, job.weight_dtype, tensor_parallel=cut.tensor_parallel,
        pipeline_parallel=cut.pipeline_parallel, data_parallel=job.data_parallel,
    )  # fmt: skip
    if job.engine == TRANSFORMERS:
        return weights + untied_head_bytes(job.model, job.weight_dtype)
    return weights + (rope_bytes(job.model) if job.engine in POOLED else 0)


def _budget(
    job: ServingJob, gpu: Gpu, engine: EngineVersion, shard: KvLayout, *, usable: int, tensor_parallel: int
) -> Budget:
    if job.engine == TRANSFORMERS:
        return generate_budget(job, shard)
    if job.engine in GGUF_ENGINES:
        return llamacpp_budget(job)
    make = sglang_budget if job.engine == SGLANG else vllm_budget
    return make(job, gpu, engine, usable=usable, tensor_parallel=tensor_parallel)
