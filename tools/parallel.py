"""How a model is cut over cards: tensor parallel inside one machine, pipeline parallel between machines."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge.rows import Model

from .architecture import complete_shape
from .weights import published_suffix, served_precision

FP8_BLOCK = 128
"""Side of the square blocks of FP8 checkpoints of the DeepSeek kind; a shard must hold whole blocks
(https://github.com/vllm-project/vllm/issues/17569: Qwen3-235B-A22B-FP8 at 8 shards is refused, 1536 / 8 = 192)."""

BLOCK_FP8_FAMILIES = ("Qwen3", "DeepSeek", "MiniMax", "MiMo", "Kimi")
"""Beginnings of the families whose published FP8 weights have such blocks (GLM, Mistral and Llama have them not)."""


def divides(model: Model, size: int) -> bool:
    """Whether vLLM can cut the model into `size` shards.

    Query heads must divide; KV heads must divide or be copied evenly; the experts' width must divide.
    """
    if size < 1:
        return False
    heads, kv_heads = model.heads or size, model.kv_heads or size
    width = (model.moe or {}).get("moe_intermediate_size") or size
    even = kv_heads % size == 0 or size % kv_heads == 0
    return heads % size == 0 and even and int(width) % size == 0


def tensor_parallel_sizes(model: Model, gpus: int, weight_dtype: str | None = None) -> tuple[int, ...]:
    """Sizes up to `gpus` that divide the model, largest first; 1 is always there.

    With `weight_dtype`, sizes that would cut the blocks of an FP8 checkpoint are left out, save where the experts can
    stay whole (`needs_expert_parallel`).
    """
    return tuple(_sizes(model, gpus, weight_dtype))


def largest_size(model: Model, gpus: int, weight_dtype: str) -> int:
    """The largest tensor-parallel size of `gpus` cards."""
    return next(_sizes(model, gpus, weight_dtype))


def keeps_blocks(model: Model, weight_dtype: str, size: int) -> bool:
    """Whether `size` shards hold whole FP8 blocks, if need be with whole experts on each card."""
    if size <= 1 or not _has_fp8_blocks(model, weight_dtype):
        return True
    if any(width % (size * FP8_BLOCK) for width in _dense_widths(model)):
        return False
    return not _cuts_experts(model, size) or int((model.moe or {}).get("num_experts") or 0) % size == 0


def needs_expert_parallel(model: Model, weight_dtype: str, size: int) -> bool:
    """Whether the shards would cut blocks of the experts, so that `--enable-expert-parallel` must keep experts whole.

    The memory is the same: each card then has num_experts / size whole experts.
    """
    return size > 1 and _has_fp8_blocks(model, weight_dtype) and _cuts_experts(model, size)


def _sizes(model: Model, gpus: int, weight_dtype: str | None) -> Iterator[int]:
    shape = complete_shape(model)
    sizes = (size for size in range(max(gpus, 1), 0, -1) if size == 1 or divides(shape, size))
    return (size for size in sizes if weight_dtype is None or keeps_blocks(shape, weight_dtype, size))


def _has_fp8_blocks(model: Model, weight_dtype: str) -> bool:
    if not model.family.startswith(BLOCK_FP8_FAMILIES):
        return False
    precision = served_precision(model, weight_dtype).precision
    return precision == "fp8" and (model.native_dtype == "fp8" or published_suffix(model, precision) is not None)


def _cuts_experts(model: Model, size: int) -> bool:
    width = (model.moe or {}).get("moe_intermediate_size")
    return bool(width) and int(width or 0) % (size * FP8_BLOCK) != 0


def _dense_widths(model: Model) -> list[int]:
    """Widths that expert parallel does not keep whole: dense layers and shared experts."""
    moe = model.moe or {}
    shared = moe.get("shared_experts") and (moe.get("shared_intermediate_size") or moe.get("moe_intermediate_size"))
    dense = model.intermediate_size if not moe or moe.get("first_dense_layers") else None
    return [int(width) for width in (shared, dense) if width]
