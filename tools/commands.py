"""The `vllm serve …` line that an estimate assumes."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from knowledge.facts import quantized_checkpoints
from knowledge.rows import Gpu, Model, Precision

from .serving_job import ServingJob, kv_precision
from .weights import served_precision

DEFAULT_UTILIZATION = 0.90
KV_FLAGS = {"fp8": "fp8", "int8": "int8_per_token_head"}
"""`--kv-cache-dtype` by canonical precision; without it the cache has the type of the activations."""
AWQ_CARDS = 7.5
"""AWQ kernels start at this compute capability; older cards load GPTQ weights of the same size."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What to load. `published` is False when the path stands for weights that the user has to find or make."""

    path: str
    published: bool
    load_flag: str = ""


def find_checkpoint(model: Model, weight_dtype: str, gpu: Gpu) -> Checkpoint:
    """The repository that holds the weights in this precision, or a folder name that stands for it."""
    precision = served_precision(model, weight_dtype)
    if precision.precision == "int4" and (gpu.compute_capability or 0) < AWQ_CARDS:
        precision = served_precision(model, "gptq")
    native = model.native_dtype or "bfloat16"
    if not model.hf_id:  # only a size, or a configuration without a name
        return Checkpoint(_folder(model, ""), False)
    if precision.kind == "float":
        own = native in ("bfloat16", "float16", "float32")
        return Checkpoint(model.hf_id, True) if own else Checkpoint(_folder(model, "-BF16"), False)
    if native == precision.native or native == precision.precision:
        return Checkpoint(model.hf_id, True)
    published = quantized_checkpoints().get((model.family, precision.precision))
    if published:
        return Checkpoint(model.hf_id + published.suffix, True)
    if precision.load_flag:
        return Checkpoint(model.hf_id, True, precision.load_flag)
    return Checkpoint(_folder(model, precision.suffix or f"-{precision.precision}"), False)


def serve_command(job: ServingJob, gpu: Gpu, *, tensor_parallel: int, max_num_seqs: int | None = None) -> str:
    """One line to paste. `max_num_seqs` is given when it differs from what the engine picks."""
    checkpoint = find_checkpoint(job.model, job.weight_dtype, gpu)
    precision = served_precision(job.model, job.weight_dtype)
    words = ["vllm", "serve", checkpoint.path, "--tensor-parallel-size", str(tensor_parallel)]
    words += ["--max-model-len", str(job.context)]
    if precision.kind == "gguf" and job.model.hf_id:
        words += ["--tokenizer", job.model.hf_id]
    if checkpoint.load_flag:
        words += ["--quantization", checkpoint.load_flag]
    if dtype := _dtype(precision, gpu, job.model):
        words += ["--dtype", dtype]
    if kind := KV_FLAGS.get(kv_precision(job.kv_dtype)):
        words += ["--kv-cache-dtype", kind]
    if job.gpu_memory_utilization != DEFAULT_UTILIZATION:
        words += ["--gpu-memory-utilization", f"{job.gpu_memory_utilization:g}"]
    if max_num_seqs is not None:
        words += ["--max-num-seqs", str(max_num_seqs)]
    if job.max_num_batched_tokens is not None:
        words += ["--max-num-batched-tokens", str(job.max_num_batched_tokens)]
    return shlex.join(words)


def _dtype(precision: Precision, gpu: Gpu, model: Model) -> str:
    if precision.precision == "fp32":
        return "float32"
    if gpu.bf16 is False or (precision.precision == "fp16" and model.native_dtype != "float16"):
        return "half"
    return ""


def _folder(model: Model, suffix: str) -> str:
    return "./" + (model.hf_id or model.id).rpartition("/")[2] + suffix
