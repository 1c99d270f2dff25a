"""llama.cpp and Ollama: GGUF weights, a cache laid out for all slots at start, and one compute buffer.

    compute buffer = n_ubatch · (V + h) · 4      with flash attention, on the device with the output head

512 · (128,256 + 4,096) · 4 B = 258.5 MiB for Llama-3-8B, as its log prints ("CUDA0 compute buffer size = 258.50 MiB").
Layers are spread over the cards (`--split-mode layer`).
"""

from __future__ import annotations

from tools.serving_job import ServingJob
from tools.units import from_gib

from .budget import Budget

UBATCH = 512
"""n_ubatch when nothing is said (tools/server/README.md of llama.cpp)."""
FP32 = 4
CONTEXT_GIB = 0.5
"""CUDA context and cuBLAS handles; not validated by rows."""


def llamacpp_budget(job: ServingJob) -> Budget:
    """The budget on the device that holds the output head."""
    step = job.max_num_batched_tokens or UBATCH
    width = (job.model.vocab_size or 0) + (job.model.hidden_size or 0)
    return Budget(
        activation=step * width * FP32,
        engine=from_gib(CONTEXT_GIB),
        max_num_seqs=job.max_num_seqs or job.concurrency,
        step_tokens=step,
    )
