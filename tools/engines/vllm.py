"""vLLM: a pool of cache takes what weights, the profile run and CUDA leave of `gpu_memory_utilization`.

CUDA graphs come on top up to 0.20 and stand inside from 0.21 on (engines.csv).
"""

from __future__ import annotations

from knowledge.rows import EngineVersion, Gpu
from tools.engine import activation_peak, defaults_of, engine_bytes
from tools.serving_job import ServingJob
from tools.units import from_gib
from tools.weights import served_precision

from .budget import Budget

CHUNKED_FROM = 32_768
"""V0 chunks the prefill of longer contexts by itself (https://docs.vllm.ai/en/v0.6.6/usage/engine_args.html)."""
V0_SEQS, V0_STEP = 256, 2048
"""max_num_seqs of V0 on every card, and its smallest step."""


def vllm_budget(job: ServingJob, gpu: Gpu, engine: EngineVersion, *, usable: int, tensor_parallel: int) -> Budget:
    """The budget on one GPU of a tensor-parallel group; `usable` is bytes."""
    seqs, step = engine_settings(job, gpu, engine, usable)
    activation = activation_peak(
        job.model, engine=engine, element_bytes=activation_bytes(job), max_num_seqs=seqs, step_tokens=step,
        tensor_parallel=tensor_parallel,
    )  # fmt: skip
    graphs = 0 if job.enforce_eager else from_gib(engine.graphs_gib)
    return Budget(
        activation=activation,
        engine=engine_bytes(engine, gpus=tensor_parallel * job.data_parallel),
        graphs=graphs if engine.graphs_inside else 0,
        outside=0 if engine.graphs_inside else graphs,
        max_num_seqs=seqs,
        step_tokens=step,
    )


def engine_settings(job: ServingJob, gpu: Gpu, engine: EngineVersion, usable: int) -> tuple[int, int]:
    """max_num_seqs (never below the wished sequences unless said) and max_num_batched_tokens."""
    seqs, step = default_settings(job, gpu, engine, usable)
    return job.max_num_seqs or max(seqs, job.sequences), job.max_num_batched_tokens or step


def default_settings(job: ServingJob, gpu: Gpu, engine: EngineVersion, usable: int) -> tuple[int, int]:
    """What the server picks by itself."""
    if engine.whole_prompt:
        return V0_SEQS, max(job.context, V0_STEP) if job.context <= CHUNKED_FROM else V0_STEP
    defaults = defaults_of(gpu, usable)
    return defaults.max_num_seqs, defaults.max_num_batched_tokens


def activation_bytes(job: ServingJob) -> int:
    """Bytes of one element of the activations."""
    return 4 if served_precision(job.model, job.weight_dtype).precision == "fp32" else 2
