"""Tensor-parallel sizes that a model can be cut into."""

from __future__ import annotations

from knowledge.rows import Model

from .architecture import complete_shape


def divides(model: Model, size: int) -> bool:
    """Whether vLLM can cut the model into `size` shards.

    Query heads must divide; KV heads must divide or be copied evenly; the experts' width must divide.
    """
    heads, kv_heads = model.heads or size, model.kv_heads or size
    width = (model.moe or {}).get("moe_intermediate_size") or size
    even = kv_heads % size == 0 or size % kv_heads == 0
    return size >= 1 and heads % size == 0 and even and int(width) % size == 0


def tensor_parallel_sizes(model: Model, gpus: int) -> tuple[int, ...]:
    """Sizes up to `gpus` that divide the model, largest first; 1 is always there."""
    shape = complete_shape(model)
    return tuple(size for size in range(max(gpus, 1), 0, -1) if size == 1 or divides(shape, size))
