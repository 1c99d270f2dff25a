"""The commands of engines other than vLLM."""

from __future__ import annotations

import shlex

from knowledge.rows import Gpu
from tools.serving_job import OLLAMA, SGLANG, ServingJob, kv_precision
from tools.weights import served_precision

GGML_TYPES = {"bf16": "f16", "fp16": "f16", "fp32": "f32"}
"""Cache types of llama.cpp by canonical precision; its own types keep their names."""
WHOLE_MODEL = "999"
"""`-ngl`: more layers than any model has, so that all are on the cards."""
ADA = 8.9
"""e4m3 caches start at this compute capability."""


def other_command(job: ServingJob, gpu: Gpu, path: str, *, tensor_parallel: int, pipeline_parallel: int) -> str:
    """One line to paste; `path` is the repository or file."""
    if job.engine == SGLANG:
        return _sglang(job, gpu, path, tensor_parallel=tensor_parallel, pipeline_parallel=pipeline_parallel)
    if job.engine == OLLAMA:
        return _ollama(job, path)
    return _llamacpp(job, path, pipeline_parallel) if job.engine == "llama.cpp" else _generate(job, path)


def _sglang(job: ServingJob, gpu: Gpu, path: str, *, tensor_parallel: int, pipeline_parallel: int) -> str:
    # With data-parallel attention --tp counts all cards and is divided by --dp-size; without it each rank has --tp cards
    # (https://docs.sglang.ai/advanced_features/server_arguments.html).
    spread = job.data_parallel > 1 and bool(job.model.moe)
    size = tensor_parallel * job.data_parallel if spread else tensor_parallel
    words = ["python", "-m", "sglang.launch_server", "--model-path", path, "--tp", str(size)]
    words += ["--pp-size", str(pipeline_parallel)] if pipeline_parallel > 1 else []
    words += ["--dp-size", str(job.data_parallel)] if job.data_parallel > 1 else []
    words += ["--enable-dp-attention"] if spread else []
    words += ["--ep-size", str(tensor_parallel * job.data_parallel)] if job.expert_parallel else []
    words += ["--context-length", str(job.context), "--mem-fraction-static", f"{job.gpu_memory_utilization:g}"]
    words += ["--max-running-requests", str(job.max_num_seqs or job.concurrency)]
    if job.max_num_batched_tokens:
        words += ["--chunked-prefill-size", str(job.max_num_batched_tokens)]
    if kv_precision(job.kv_dtype) == "fp8":
        words += ["--kv-cache-dtype", "fp8_e4m3" if (gpu.compute_capability or 0) >= ADA else "fp8_e5m2"]
    words += ["--disable-cuda-graph"] if job.enforce_eager else []
    if job.lora_adapters:
        words += ["--enable-lora", "--max-loras-per-batch", str(job.lora_adapters), "--max-lora-rank", str(job.lora_rank)]
    if job.mtp:
        words += ["--speculative-algorithm", "EAGLE"]
    if job.draft is not None:
        words += ["--speculative-algorithm", "STANDALONE", "--speculative-draft-model-path", job.draft.hf_id or job.draft.id]
    return shlex.join(words)


def _llamacpp(job: ServingJob, path: str, cards: int) -> str:
    kind = _cache_type(job)
    slots = job.max_num_seqs or job.concurrency
    words = ["llama-server", "-m", path, "-c", str(job.context * slots), "-np", str(slots), "-ngl", WHOLE_MODEL, "-fa", "on"]
    words += ["-ctk", kind, "-ctv", kind] if kind != "f16" else []
    words += ["--split-mode", "layer"] if cards > 1 else []
    return shlex.join(words)


def _ollama(job: ServingJob, path: str) -> str:
    """Starts the server, makes a model of the file and runs it."""
    kind, name = _cache_type(job), path.rpartition("/")[2].removesuffix(".gguf").lower()
    settings = {"OLLAMA_CONTEXT_LENGTH": job.context, "OLLAMA_NUM_PARALLEL": job.max_num_seqs or job.concurrency,
                "OLLAMA_FLASH_ATTENTION": 1, **({"OLLAMA_KV_CACHE_TYPE": kind} if kind != "f16" else {})}  # fmt: skip
    serve = " ".join([*(f"{key}={value}" for key, value in settings.items()), "ollama serve & sleep 3"])
    make = f"echo {shlex.quote(f'FROM {path}')} > Modelfile; {shlex.join(['ollama', 'create', name, '-f', 'Modelfile'])}"
    return f"{serve}; {make}; {shlex.join(['ollama', 'run', name])}"


def _generate(job: ServingJob, path: str) -> str:
    dtype = {"fp32": "torch.float32", "fp16": "torch.float16"}.get(served_precision(job.model, job.weight_dtype).precision)
    program = (
        f'from transformers import pipeline; p = pipeline("text-generation", {path!r}, dtype={dtype!r}, device_map="auto"); '
        f"print(p([input()] * {job.concurrency}, batch_size={job.concurrency}, max_length={job.context}))"
    ).replace("dtype=None", 'dtype="auto"')
    return shlex.join(["python", "-c", program.replace("'torch.", '"').replace("'", '"')])


def _cache_type(job: ServingJob) -> str:
    precision = kv_precision(job.kv_dtype)
    return GGML_TYPES.get(precision, precision)
