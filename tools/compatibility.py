"""What a card cannot do for a serving job, and what bites although it runs. Codes only; words are chosen elsewhere."""

from __future__ import annotations

from knowledge.rows import Gpu, Model, Precision

from .architecture import is_shape_known
from .engine import is_older
from .long_context import yarn_factor
from .serving_job import GGUF_ENGINES, SGLANG, VLLM, ServingJob, kv_precision
from .usable import usable_is_estimated
from .weights import served_precision

MIN_COMPUTE_CAPABILITY = 7.0
"""vLLM's CUDA kernels start at Volta (https://docs.vllm.ai/, installation on NVIDIA CUDA)."""
GGUF_CAPABILITY = 5.0
"""Oldest cards of the CUDA build of llama.cpp (Maxwell; https://github.com/ollama/ollama/blob/main/docs/gpu.md)."""
TURING, AMPERE, FP8_CARDS, FP4_CARDS = 7.5, 8.0, 8.9, 10.0

PLUGIN_FROM = "0.24"
"""vLLM reads GGUF files by a plugin from here on (https://github.com/vllm-project/vllm/pull/39612,
https://docs.vllm.ai/en/v0.24.0/features/quantization/gguf/)."""

FLOAT16_REFUSED = ("Gemma 2", "Gemma 3")
"""Families that vLLM refuses in float16, "Numerical instability. Please use bfloat16 or float32 instead"
(vllm/config; https://github.com/vllm-project/vllm/issues/18733). Quantised weights compute in float16 too."""


def blocked(job: ServingJob, gpu: Gpu) -> str | None:
    """Code why the card cannot run the job natively, or None.

    not_cuda; gguf_capability (too old for llama.cpp, the only limit there); sglang_needs_turing; compute_capability (too old for vLLM); awq_needs_turing, no_fp8, no_fp8_but_weight_only, no_fp4 (too old
    for this weight format); float16_refused (no bf16 on the card, and the model is not served in float16).
    """
    if gpu.compute_capability is None:
        return "not_cuda"
    if job.engine in GGUF_ENGINES:
        return "gguf_capability" if gpu.compute_capability < GGUF_CAPABILITY else None
    if gpu.compute_capability < MIN_COMPUTE_CAPABILITY:
        return "compute_capability"
    if job.engine == SGLANG and gpu.compute_capability < TURING:
        return "sglang_needs_turing"
    precision = served_precision(job.model, job.weight_dtype)
    if gpu.compute_capability < precision.min_compute_capability:
        return _too_old_for(job, precision, gpu.compute_capability)
    refused = gpu.bf16 is False and precision.precision != "fp32" and refuses_float16(job.model)
    return "float16_refused" if refused else None


def refuses_float16(model: Model) -> bool:
    """Whether vLLM refuses the model in float16."""
    return model.family in FLOAT16_REFUSED


def loads_fp8_weight_only(model: Model, compute_capability: float) -> bool:
    """Whether vLLM can load FP8 weights on a card without FP8 units: Marlin kernels, W8A16.

    Documented for dense models from Ampere on (https://docs.vllm.ai/en/stable/features/quantization/fp8/); experts in
    128 × 128 blocks are not, and Turing is left out although newer pages name it.
    """
    return not model.moe and AMPERE <= compute_capability < FP8_CARDS


def _too_old_for(job: ServingJob, precision: Precision, capability: float) -> str | None:
    if precision.precision != "fp8" or not loads_fp8_weight_only(job.model, capability):
        return precision.blocked_code
    return None if job.weight_only else "no_fp8_but_weight_only"


def cautions(job: ServingJob, gpu: Gpu, tensor_parallel: int, pipeline_parallel: int = 1) -> list[str]:
    """Codes of what the user should know about this job on this card, cut that way."""
    rows = (*_of_card(job, gpu, tensor_parallel), *_of_model(job, tensor_parallel), *_of_machines(gpu, pipeline_parallel))
    left_out = NOT_OF_GGUF if job.engine in GGUF_ENGINES else () if job.engine == VLLM else ("context_refused", "gguf_plugin")
    return [code for code, holds in rows if holds and code not in left_out]


NOT_OF_GGUF = ("no_bf16_use_fp16", "fp8_weight_only", "fp4_weight_only", "int8_only_gptq", "fp8_kv_unsupported", "context_refused",
               "gguf_plugin")  # fmt: skip
"""What llama.cpp, with kernels of its own for every type, does not know."""


def _of_card(job: ServingJob, gpu: Gpu, tensor_parallel: int) -> tuple[tuple[str, bool], ...]:
    precision = served_precision(job.model, job.weight_dtype)
    capability, cache = gpu.compute_capability or 0.0, kv_precision(job.kv_dtype)
    return (
        ("no_bf16_use_fp16", gpu.bf16 is False and precision.precision != "fp32"),
        ("fp8_weight_only", precision.kind == "fp8" and AMPERE <= capability < FP8_CARDS),
        ("fp4_weight_only", precision.kind == "fp4" and AMPERE <= capability < FP4_CARDS),
        ("int8_only_gptq", precision.kind == "int8" and capability < TURING),
        ("fp8_kv_unsupported", cache == "fp8" and capability < FP8_CARDS),
        ("no_nvlink", tensor_parallel > 1 and not gpu.nvlink_gb_s),
        ("gguf_plugin", precision.kind == "gguf" and not is_older(job.engine_version, PLUGIN_FROM)),
        ("usable_estimated", usable_is_estimated(gpu)),
    )


def _of_model(job: ServingJob, tensor_parallel: int) -> tuple[tuple[str, bool], ...]:
    model = job.model
    attention = model.attention or {}
    latent = "kv_lora_rank" in attention
    beyond = bool(model.max_context) and job.context > (model.max_context or 0)
    return (
        ("kv_heads_replicated", not latent and 0 < (model.kv_heads or 0) < tensor_parallel),
        ("mla_replicated", latent and tensor_parallel > 1),
        ("context_beyond_model", beyond),
        ("context_refused", beyond and yarn_factor(model, job.context) is None),
        ("hybrid_margin", attention.get("type") == "hybrid"),
        ("typical_shape", model.params_source == "typical" or not is_shape_known(model)),
    )


def _of_machines(gpu: Gpu, pipeline_parallel: int) -> tuple[tuple[str, bool], ...]:
    return (("several_machines", pipeline_parallel > 1),)
