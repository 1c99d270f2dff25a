"""What a card cannot do for a serving job, and what bites although it runs. Codes only; words are chosen elsewhere."""

from __future__ import annotations

from knowledge.rows import Gpu

from .architecture import is_shape_known
from .serving_job import ServingJob, kv_element_bytes
from .usable import usable_is_estimated
from .weights import served_precision

MIN_COMPUTE_CAPABILITY = 7.0
"""vLLM's CUDA kernels start at Volta (https://docs.vllm.ai/, installation on NVIDIA CUDA)."""
AMPERE, FP8_CARDS, FP4_CARDS = 8.0, 8.9, 10.0


def blocked(job: ServingJob, gpu: Gpu) -> str | None:
    """Code why the card cannot run the job natively, or None.

    not_cuda, compute_capability (too old for vLLM or for this weight format), no_fp8, no_fp4.
    """
    if gpu.compute_capability is None:
        return "not_cuda"
    if gpu.compute_capability < MIN_COMPUTE_CAPABILITY:
        return "compute_capability"
    precision = served_precision(job.model, job.weight_dtype)
    return precision.blocked_code if gpu.compute_capability < precision.min_compute_capability else None


def cautions(job: ServingJob, gpu: Gpu, tensor_parallel: int) -> list[str]:
    """Codes of what the user should know about this job on this card at this tensor-parallel size."""
    return [code for code, holds in (*_of_card(job, gpu, tensor_parallel), *_of_model(job, tensor_parallel)) if holds]


def _of_card(job: ServingJob, gpu: Gpu, tensor_parallel: int) -> tuple[tuple[str, bool], ...]:
    precision = served_precision(job.model, job.weight_dtype)
    capability = gpu.compute_capability or 0.0
    sixteen = kv_element_bytes(job.kv_dtype) >= 2
    return (
        ("no_bf16_use_fp16", gpu.bf16 is False and precision.precision != "fp32"),
        ("fp8_weight_only", precision.kind == "fp8" and AMPERE <= capability < FP8_CARDS),
        ("fp4_weight_only", precision.kind == "fp4" and AMPERE <= capability < FP4_CARDS),
        ("fp8_kv_slow", not sixteen and capability < FP8_CARDS),
        ("no_nvlink", tensor_parallel > 1 and not gpu.nvlink_gb_s),
        ("usable_estimated", usable_is_estimated(gpu)),
    )


def _of_model(job: ServingJob, tensor_parallel: int) -> tuple[tuple[str, bool], ...]:
    model = job.model
    attention = model.attention or {}
    latent = "kv_lora_rank" in attention
    return (
        ("kv_heads_replicated", not latent and 0 < (model.kv_heads or 0) < tensor_parallel),
        ("mla_replicated", latent and tensor_parallel > 1),
        ("context_beyond_model", bool(model.max_context) and job.context > (model.max_context or 0)),
        ("hybrid_margin", attention.get("type") == "hybrid"),
        ("typical_shape", model.params_source == "typical" or not is_shape_known(model)),
    )
