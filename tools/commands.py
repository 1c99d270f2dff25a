"""The command that an estimate assumes: `vllm serve …`, or that of another engine, with every flag it counts on."""

from __future__ import annotations

import json
import math
import re
import shlex
from dataclasses import dataclass

from knowledge.facts import remote_code
from knowledge.rows import Gpu, Model, Precision

from .compatibility import refuses_float16
from .engine import engine_of_version, is_older
from .engines.commands import ADA, other_command
from .engines.vllm import default_settings
from .long_context import override_words
from .parallel import needs_expert_parallel
from .serving_job import VLLM, ServingJob, kv_precision
from .serving_sum import ServingSum
from .units import from_gib
from .weights import published_suffix, served_precision, weights_bytes

DEFAULT_UTILIZATION = 0.90
KV_FLAGS = {"fp8": "fp8", "int8": "int8_per_token_head"}
"""`--kv-cache-dtype` by canonical precision; without it the cache has the type of the activations."""
E5M2 = "fp8_e5m2"
"""The fp8 cache of cards without FP8 units: e4m3 mostly fails there ("type fp8e4nv not supported in this architecture",
https://github.com/vllm-project/vllm/issues/26431), and e5m2 is refused beside FP8 weights."""
FLAG_STEP, MOST_SHARE = 0.01, 0.98
"""Steps in which the utilization is raised, and how far: the driver and other processes need the rest."""
ONE_CONFIG, GUESSES = "0.8", 5
"""First version with `--speculative-config` (https://docs.vllm.ai/en/v0.8.1/serving/engine_args.html), and tokens that a
draft model guesses at a time."""
GPTQ_INT8 = "-GPTQ-Int8"
"""Ending of repositories with 8-bit GPTQ weights, the only 8-bit ones that Volta runs: W8A8 kernels start at Turing."""
TURING = 7.5
"""AWQ and W8A8 kernels start at this compute capability; older cards load GPTQ weights of the same size
(https://docs.vllm.ai/en/v0.15.1/features/quantization/, supported hardware)."""


SIXTEEN_BIT = ("bfloat16", "float16", "float32")
"""native_dtype of models that are not published quantised."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What to load. `published` is False when the path stands for weights that the user has to find or make."""

    path: str
    published: bool
    load_flag: str = ""


def find_checkpoint(model: Model, weight_dtype: str, gpu: Gpu) -> Checkpoint:
    """The repository that holds the weights in this precision, or a folder name that stands for it."""
    precision, volta = served_precision(model, weight_dtype), (gpu.compute_capability or 0) < TURING
    if precision.precision == "int4" and volta:
        precision = served_precision(model, "gptq")
    native = model.native_dtype or "bfloat16"
    if not model.hf_id:  # only a size, or a configuration without a name
        return Checkpoint(_folder(model, ""), False)
    if precision.kind == "float":
        return Checkpoint(model.hf_id, True) if native in SIXTEEN_BIT else Checkpoint(_folder(model, "-BF16"), False)
    if native == precision.native or native == precision.precision:
        return Checkpoint(model.hf_id, True)
    if precision.kind == "int8" and volta:
        return Checkpoint(_folder(model, GPTQ_INT8), False)
    suffix = published_suffix(model, precision.precision)
    if suffix is not None:
        return Checkpoint(model.hf_id + suffix, True)
    if precision.load_flag and native in SIXTEEN_BIT:
        return Checkpoint(model.hf_id, True, precision.load_flag)
    return Checkpoint(_folder(model, precision.suffix or f"-{precision.precision}"), False)


def loaded_bytes(model: Model, weight_dtype: str, gpu: Gpu) -> int:
    """Bytes of the files to be downloaded and read: those of 16 bit where the engine quantises while loading."""
    if find_checkpoint(model, weight_dtype, gpu).load_flag:
        return weights_bytes(model, "fp32" if model.native_dtype == "float32" else "bf16")
    return weights_bytes(model, weight_dtype)


@dataclass(frozen=True, slots=True)
class Flags:
    """What differs from what the engine would do by itself: max_num_seqs, and the share of memory; None keeps it."""

    max_num_seqs: int | None = None
    utilization: float | None = None


def flags_of(job: ServingJob, gpu: Gpu, account: ServingSum) -> Flags:
    """Flags that the account counts on."""
    picked = default_settings(job, gpu, engine_of_version(job.engine_version), account.usable_bytes)[0]
    seqs = account.max_num_seqs if job.max_num_seqs or account.max_num_seqs != picked else None
    return Flags(seqs, needs_more_share(job, account))


def needs_more_share(job: ServingJob, account: ServingSum) -> float | None:
    """The utilization that keeps the need within an engine from 0.21 on, which counts CUDA graphs inside.

    None where the room suffices either way, where the job does not fit, and where the version is said.
    """
    graphs = from_gib(engine_of_version(job.engine_version).graphs_gib)
    if job.engine != VLLM or job.engine_version or job.enforce_eager or not account.fits:
        return None
    if account.required_bytes_per_gpu + graphs <= account.limit_bytes:
        return None
    share = job.gpu_memory_utilization + graphs / account.usable_bytes
    return min(max(MOST_SHARE, job.gpu_memory_utilization), math.ceil(share / FLAG_STEP) * FLAG_STEP)


def serve_command(
    job: ServingJob, gpu: Gpu, *, tensor_parallel: int, pipeline_parallel: int = 1, flags: Flags | None = None
) -> str:
    """One line to paste."""
    checkpoint = find_checkpoint(job.model, job.weight_dtype, gpu)
    if job.engine != VLLM:
        return other_command(
            job, gpu, checkpoint.path, tensor_parallel=tensor_parallel, pipeline_parallel=pipeline_parallel
        )
    words = ["vllm", "serve", checkpoint.path, "--tensor-parallel-size", str(tensor_parallel)]
    if pipeline_parallel > 1:
        words += ["--pipeline-parallel-size", str(pipeline_parallel)]
    if job.data_parallel > 1:
        words += ["--data-parallel-size", str(job.data_parallel)]
    if job.expert_parallel or needs_expert_parallel(job.model, job.weight_dtype, tensor_parallel):
        words += ["--enable-expert-parallel"]
    override = override_words(job.model, job.context)
    words += ["--max-model-len", str(job.context), *override]
    words += [*_loading_words(job, checkpoint, gpu), *_memory_words(job, gpu, flags or Flags()), *_option_words(job)]
    refused = job.model.max_context and job.context > job.model.max_context and not override
    return (BEYOND_LIMIT if refused else "") + shlex.join(words)


def kv_flag(job: ServingJob, gpu: Gpu) -> str | None:
    """`--kv-cache-dtype`, None for the type of the activations."""
    kind = KV_FLAGS.get(kv_precision(job.kv_dtype))
    old = (gpu.compute_capability or ADA) < ADA
    beside_fp8 = served_precision(job.model, job.weight_dtype).kind == "fp8"
    return E5M2 if kind == "fp8" and old and not beside_fp8 else kind


def _loading_words(job: ServingJob, checkpoint: Checkpoint, gpu: Gpu) -> list[str]:
    """How the files are read."""
    precision, words = served_precision(job.model, job.weight_dtype), []
    if precision.kind == "gguf" and job.model.hf_id:
        words += ["--tokenizer", job.model.hf_id]
    if job.model.hf_id in remote_code():
        words += ["--trust-remote-code"]
    if checkpoint.load_flag:
        words += ["--quantization", checkpoint.load_flag]
    if dtype := _dtype(precision, gpu, job.model):
        words += ["--dtype", dtype]
    return words


def _memory_words(job: ServingJob, gpu: Gpu, flags: Flags) -> list[str]:
    """What decides how much memory is taken."""
    words, share = [], flags.utilization or job.gpu_memory_utilization
    if kind := kv_flag(job, gpu):
        words += ["--kv-cache-dtype", kind]
    if share != DEFAULT_UTILIZATION:
        words += ["--gpu-memory-utilization", f"{share:g}"]
    if flags.max_num_seqs is not None:
        words += ["--max-num-seqs", str(flags.max_num_seqs)]
    if job.max_num_batched_tokens is not None:
        words += ["--max-num-batched-tokens", str(job.max_num_batched_tokens)]
    return words


def _option_words(job: ServingJob) -> list[str]:
    """Adapters, guesses, graphs."""
    words = ["--enforce-eager"] if job.enforce_eager else []
    if job.lora_adapters:
        words += ["--enable-lora", "--max-loras", str(job.lora_adapters), "--max-lora-rank", str(job.slot_rank)]
    return words + _guess_words(job)


def _guess_words(job: ServingJob) -> list[str]:
    """`--speculative-config` holds all since 0.8; before, each setting was a flag."""
    old = is_older(job.engine_version, ONE_CONFIG)
    if job.mtp:
        config = '{"method": "mtp", "num_speculative_tokens": 1}'
        return ["--num-speculative-tokens", "1"] if old else ["--speculative-config", config]
    if job.draft is None:
        return []
    path = job.draft.hf_id or job.draft.id
    if old:
        return ["--speculative-model", path, "--num-speculative-tokens", str(GUESSES)]
    return ["--speculative-config", json.dumps({"model": path, "num_speculative_tokens": GUESSES})]


BEYOND_LIMIT = "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 "
"""Without it vLLM refuses a context beyond the model's own limit, unless a rope override extends it."""


def _dtype(precision: Precision, gpu: Gpu, model: Model) -> str:
    if precision.precision == "fp32":
        return "float32"
    if gpu.bf16 is False:
        return "half"
    asked = precision.precision == "fp16" and model.native_dtype != "float16" and not refuses_float16(model)
    return "half" if asked else ""


def _folder(model: Model, suffix: str) -> str:
    name = (model.hf_id or model.id).rpartition("/")[2]
    return "./" + (name if re.fullmatch(r"[A-Za-z0-9_.\-]+", name) else "model") + suffix  # a config.json may carry no name
