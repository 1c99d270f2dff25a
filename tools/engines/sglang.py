"""SGLang: `mem_fraction_static` is the share of weights and cache; the forward and CUDA graphs live in the rest.

    pool = mem_fraction_static · total − weights − CUDA and NCCL

Against one log (Qwen3-235B in FP8 on four H100 at 0.93) the pool is 16.5 GiB by this and 16.46 GiB as printed.
"""

from __future__ import annotations

from knowledge.rows import EngineVersion, Gpu
from tools.engine import activation_peak, engine_bytes
from tools.serving_job import ServingJob
from tools.units import from_gib, to_gib

from .budget import Budget
from .vllm import activation_bytes

FRACTIONS = ((16, 0.79), (8, 0.81), (4, 0.85), (2, 0.87), (1, 0.88))
"""(tensor-parallel size from, mem_fraction_static) that SGLang picks by itself on 80 GB cards
(https://docs.sglang.ai/advanced_features/server_arguments.html; newer versions reckon it from the flags, near these)."""
LARGE_CARD_GIB, LARGE_STEP, SMALL_STEP = 60.0, 8192, 2048
"""chunked_prefill_size on cards from that memory on, and below."""


def default_fraction(tensor_parallel: int) -> float:
    """mem_fraction_static when nothing is said."""
    return next(fraction for size, fraction in FRACTIONS if tensor_parallel >= size)


def sglang_budget(job: ServingJob, gpu: Gpu, engine: EngineVersion, *, usable: int, tensor_parallel: int) -> Budget:
    """The budget on one GPU. What does not fit beside the static share counts as needed within it."""
    step = job.max_num_batched_tokens or (LARGE_STEP if to_gib(usable) >= LARGE_CARD_GIB else SMALL_STEP)
    seqs = job.max_num_seqs or job.sequences
    forward = activation_peak(
        job.model, engine=engine, element_bytes=activation_bytes(job), max_num_seqs=seqs, step_tokens=step,
        tensor_parallel=tensor_parallel,
    )  # fmt: skip
    outside = forward + (0 if job.enforce_eager else from_gib(engine.graphs_gib))
    spare = round((1 - job.gpu_memory_utilization) * usable)
    return Budget(
        activation=max(0, outside - spare),
        engine=engine_bytes(engine, gpus=tensor_parallel * job.data_parallel),
        outside=min(outside, spare),
        max_num_seqs=seqs,
        step_tokens=step,
    )
