"""The Estimate of serving a language model: parts, what nvidia-smi will show, assumptions in words, the command."""

from __future__ import annotations

from knowledge.facts import error_bands
from knowledge.rows import Gpu

from .commands import flags_of, serve_command
from .compatibility import blocked, cautions
from .engine import engine_of_version
from .parallel import tensor_parallel_sizes
from .phrases import Language
from .results import Band, ErrorBand, Estimate
from .serving_job import GGUF_ENGINES, SGLANG, TRANSFORMERS, VLLM, ServingJob
from .serving_sum import ServingSum, serving_sum, usable_bytes
from .serving_words import assumptions
from .units import to_gib
from .usable import usable_is_estimated
from .weights import served_precision

__all__ = [
    "ServingJob", "ServingSum", "blocked", "cautions", "estimate_serving", "serving_sum", "tensor_parallel_sizes",
    "usable_bytes", "usable_is_estimated",
]  # fmt: skip

BAND = "serving_required"
BANDS = {VLLM: BAND, SGLANG: "serving_sglang", TRANSFORMERS: "serving_generate", "gguf": "serving_gguf"}
"""Rows of error_bands.csv by engine."""
ENGINE_SOURCES = {
    VLLM: ("vllm-docs",), SGLANG: ("sglang-docs",), TRANSFORMERS: ("qwen-speed-benchmarks",), "gguf": ("llamacpp-quantize",),
}  # fmt: skip


def estimate_serving(
    job: ServingJob, gpu: Gpu, *, tensor_parallel: int, pipeline_parallel: int = 1, machines: int | None = None,
    language: Language = "en",
) -> Estimate:  # fmt: skip
    """The Estimate of a job cut that way, with assumptions in `language` and the command to run it.

    `machines` is how many the pipeline stages are spread over; None: each stage is a machine of its own.
    """
    cut = {"tensor_parallel": tensor_parallel, "pipeline_parallel": pipeline_parallel}
    account = serving_sum(
        job, gpu, tensor_parallel=tensor_parallel, pipeline_parallel=pipeline_parallel, language=language
    )
    parts, band = parts_of(account, pooled=job.engine != SGLANG), error_bands()[BANDS[engine_kind(job)]]
    best = sum(parts.values())
    return Estimate(
        job="llm_inference",
        per_gpu_gib=Band(low=best * (1 + band.low_pct / 100), best=best, high=best * (1 + band.high_pct / 100)),
        gpus=tensor_parallel * pipeline_parallel * job.data_parallel,
        parts=parts,
        will_show_gib=to_gib(shown_bytes(job, account)),
        kv_bytes_per_token=account.kv_bytes_per_token,
        kv_tokens=account.pool_tokens,
        max_concurrency=concurrency_of(account),
        assumptions=assumptions(
            job, gpu, account, shown=shown_bytes(job, account), machines=machines or pipeline_parallel, language=language
        ),
        error_band=ErrorBand(low_pct=band.low_pct, high_pct=band.high_pct, n=band.n, **{"from": band.measured_in}),
        command=serve_command(job, gpu, **cut, flags=flags_of(job, gpu, account)),
        source_ids=_source_ids(job, gpu),
    )


def parts_of(account: ServingSum, *, pooled: bool = True) -> dict[str, float]:
    """GiB per GPU, summing to what is required; parts that are not there are left out."""
    always = {
        "weights": account.weights_bytes_per_gpu,
        "kv_cache": account.kv_bytes_per_gpu,
        **({"activations": account.activation_bytes} if pooled or account.activation_bytes else {}),
        "engine": account.engine_bytes,
    }
    more = {"adapters": account.adapter_bytes, "draft": account.guess_bytes, "cuda_graphs": account.graph_bytes}
    return {name: to_gib(size) for name, size in (*always.items(), *((n, s) for n, s in more.items() if s))}


def shown_bytes(job: ServingJob, account: ServingSum) -> int:
    """What nvidia-smi will show per GPU: the filled pool and what stands outside, or the need where there is no pool."""
    if job.engine in (VLLM, SGLANG):
        return account.limit_bytes + account.outside_bytes
    return account.required_bytes_per_gpu


def concurrency_of(account: ServingSum) -> float:
    """Sequences of the full context that the pools of all ranks hold."""
    if account.shared_prefix:
        return float(account.max_sequences)
    each = account.layout.sequence_bytes(account.context, step_tokens=account.max_num_batched_tokens)
    return account.data_parallel * account.pool_bytes_per_gpu / max(each, 1)


def engine_kind(job: ServingJob) -> str:
    """The engine, llama.cpp and Ollama as one."""
    return "gguf" if job.engine in GGUF_ENGINES else job.engine


def _source_ids(job: ServingJob, gpu: Gpu) -> list[str]:
    precision = served_precision(job.model, job.weight_dtype).source_ids
    versions = engine_of_version(job.engine_version if job.engine == VLLM else "").source_ids
    engine = (*(versions if job.engine in (VLLM, SGLANG) else ()), *ENGINE_SOURCES[engine_kind(job)])
    draft = job.draft.source_ids if job.draft else ()
    return list(dict.fromkeys((*job.model.source_ids, *draft, *precision, *engine, *gpu.source_ids)))
