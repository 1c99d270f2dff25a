"""Which fields a question takes from the one before: what is wished of an answer, and which fields are of one thing."""

from __future__ import annotations

from .reading import Reading

WISHES = (
    "job", "weight_dtype", "weight_dtypes", "kv_dtype", "context", "contexts", "concurrency", "concurrencies", "people",
    "batch", "gpus", "tensor_parallel", "machines", "disk_gib", "hours", "months", "budget", "method", "methods", "crop", "region",
    "regions", "billing", "engine", "objective", "optimizer", "checkpointing", "sharding", "offload", "lora_rank", "packing",
    "flash_attention", "cross_entropy", "accumulate", "global_batch", "generations", "task", "classes", "amp", "resolution", "frames", "video_seconds",
    "steps", "beam", "qps", "ttft_s", "tokens_per_s", "total_tokens_per_s", "input_tokens", "output_tokens", "solve",
    "pipeline_parallel", "data_parallel", "expert_parallel", "utilization", "enforce_eager", "max_num_seqs",
    "max_num_batched_tokens", "lora_adapters", "ram_gib", "unified", "owned", "hours_per_month", "api", "tokens_per_month", "input_per_month",
    "output_per_month", "training_tokens", "samples", "epochs", "site",
)  # fmt: skip
SETTINGS = WISHES[WISHES.index("objective") : WISHES.index("unified")]
"""What is said of a job and of nothing else."""
TOGETHER = (
    ("context", "contexts"), ("concurrency", "concurrencies", "people"), ("region", "regions"),
    ("weight_dtype", "weight_dtypes"), ("hours", "months", "hours_per_month"), ("hours_per_month", "hours"), ("months", "hours", "hours_per_month"), ("tokens_per_month", "input_per_month", "output_per_month"), ("training_tokens", "samples"), ("samples", "training_tokens"), ("method", "methods"), ("methods", "method"), ("gpus", "tensor_parallel"), ("batch", "global_batch"), ("global_batch", "batch"),
    ("resolution", "crop"), ("crop", "resolution"), ("frames", "video_seconds"), ("video_seconds", "frames"), ("context", "input_tokens", "output_tokens"),
    ("tokens_per_s", "total_tokens_per_s"), ("total_tokens_per_s", "tokens_per_s"), ("amp", "weight_dtype", "weight_dtypes"), ("weight_dtype", "amp"),
)  # fmt: skip
"""Fields of one thing: where the first is said anew, none of them is carried."""
_MARKS = ("people", "owned", "unified")
"""Fields of which False is what was not said."""
SERVING_ONLY = ("context", "contexts", "concurrency", "concurrencies", "people", "kv_dtype", "engine", "tensor_parallel", "weight_dtype", "weight_dtypes", "solve")
TRAINING_ONLY = ("method", "batch", "objective", "optimizer", "offload", "flash_attention", "solve", "input_tokens", "output_tokens")
SOLVED_WITH = {"context": ("contexts",), "concurrency": ("concurrencies", "people"), "crop": ("resolution",), "batch": ("global_batch",)}
"""What is carried or dropped together with a quantity that is solved for."""


def said(reading: Reading, name: str) -> bool:
    """Whether a field was said: False is said of a switch that is off, not of a mere mark."""
    value = getattr(reading, name)
    return bool(value) or (value is False and name not in _MARKS)
