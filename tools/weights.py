"""Bytes of a model's weights in a given precision.

    W       = body · bits_body + embeddings · bits_embeddings      (quantisers leave embeddings and head at 16 bit)
    W_gpu   = W / tp, plus the key/value projections that are copied when tp exceeds the KV heads
    W_stage = body · ⌈L / pp⌉ / L + one of embedding and head      (the largest of pp pipeline stages, in place of W)
    rope    = positions · rotary dimensions · 2                    (one table for each kind of rope, whole on every GPU)

Against 71 vLLM logs the median absolute error of weights and rope tables is 0.1 % (tests/tools/golden/serving.jsonl
holds rows that were seen).
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache

from knowledge.errors import InputError
from knowledge.facts import precisions, quantized_checkpoints
from knowledge.rows import Model, Precision, QuantizedCheckpoint

from .model_config import embedding_params
from .phrases import Language, read_phrases, say

MXFP4_PAD = 256
"""vLLM's MXFP4 kernels round the experts' width up to this: gpt-oss 2880 → 3072 (13.44 GiB as logged, unpadded 12.8)."""


ROPE_BYTES = 2
"""vLLM and SGLang keep cosines and sines in the data type of the model."""


FOUR_BITS = ("fp4", "int4")
"""Kinds of precision that cannot be quantised to FP8 while loading."""


@lru_cache(maxsize=512)
def canonical_precision(name: str, *, language: Language = "en") -> str:
    """Canonical name of a precision as people type it (`half` → `fp16`, `4-bit` → `int4`). InputError when unknown."""
    found = _names().get(_key(name))
    if found is None:
        table = read_phrases("tools", "phrases/serving.toml")
        raise InputError(say(table, "unknown_precision", language, name=repr(name[:40]), known=", ".join(precisions())))
    return found


def precision_names() -> dict[str, str]:
    """Every name people type, as written in the table → canonical name."""
    rows = precisions().values()
    return {name: row.precision for row in rows for name in (row.precision, *row.aliases)}


def served_precision(model: Model, weight_dtype: str) -> Precision:
    """The precision really loaded: a model published in 4 bits keeps its own 4-bit layout.

    Kimi-K2.5 "int4" is then experts in groups of 32, DeepSeek-V4 "mxfp4" has the rest in fp8. Asked for in fp8 it keeps
    its layout too: 4-bit weights are loaded as they are.
    """
    return _served(model.native_dtype, weight_dtype)


@cache
def _served(native_dtype: str | None, weight_dtype: str) -> Precision:
    asked = precisions()[canonical_precision(weight_dtype)]
    for row in precisions().values():
        if not row.native or row.native != native_dtype:
            continue
        if row.kind == asked.kind or (asked.kind == "fp8" and row.kind in FOUR_BITS):
            return row
    return asked


def weights_bytes(model: Model, weight_dtype: str) -> int:
    """Bytes of the whole model, one copy, as the engine loads it."""
    precision = served_precision(model, weight_dtype)
    if model.checkpoint_bytes and model.params_source == "official" and _is_native(model, precision):
        return model.checkpoint_bytes  # a rounded parameter count is worse than the size of the files
    published = _published(model, precision.precision)
    if published and published.bytes:
        return published.bytes
    return round(_weight_bits(model, precision) / 8)


def published_suffix(model: Model, precision: str) -> str | None:
    """What the publisher adds to the model's repository for weights in that precision; None when none is known.

    The table names a model, or a family of which every model is offered so.
    """
    row = _published(model, precision)
    return row.suffix if row else None


def _published(model: Model, precision: str) -> QuantizedCheckpoint | None:
    table = quantized_checkpoints()
    return table.get((model.id, precision)) or table.get((model.family, precision))


def weights_bytes_per_gpu(
    model: Model, weight_dtype: str, *, tensor_parallel: int, pipeline_parallel: int = 1, data_parallel: int = 1
) -> int:
    """Bytes on one GPU of the largest stage. The slowest shard counts; heads that cannot be divided are held by several.

    Data-parallel ranks each hold all but the routed experts, which are divided over all of them
    (https://docs.vllm.ai/en/stable/serving/data_parallel_deployment/).
    """
    share = _stage_share(model, pipeline_parallel)
    shard = _stage_bytes(model, weight_dtype, pipeline_parallel) / tensor_parallel
    copied = _copied_bits(model, weight_dtype, tensor_parallel) / 8
    elsewhere = _expert_bits(model, weight_dtype) / 8 * share / tensor_parallel * (1 - 1 / data_parallel)
    return round(shard + copied * share - elsewhere)


def rope_bytes(model: Model) -> int:
    """Cosines and sines of every position that the model knows, which vLLM and SGLang hold beside the weights.

    2.5 GiB on each GPU for the ten million positions of Llama 4 Scout, 0.56 GiB for the linear scaling of Gemma 3,
    0.03 GiB for 131,072 positions of 128 dimensions
    (https://github.com/vllm-project/vllm/tree/main/vllm/model_executor/layers/rotary_embedding). Models with other
    tables than one of their context and head size name them in the model table.
    """
    attention = model.attention or {}
    dims = attention.get("qk_rope_head_dim") or model.head_dim or (model.hidden_size or 0) // (model.heads or 1)
    tables = attention.get("rope_tables", [[model.max_context or 0, dims]])
    return sum(int(positions) * int(size) * ROPE_BYTES for positions, size in tables)


def _expert_bits(model: Model, weight_dtype: str) -> float:
    precision = served_precision(model, weight_dtype)
    return routed_expert_params(model) * precision.bits * _padding(model, precision)


def _stage_bytes(model: Model, weight_dtype: str, pipeline_parallel: int) -> float:
    """The largest stage: its layers, and the embedding or the output head, whichever end it stands at."""
    whole = weights_bytes(model, weight_dtype)
    if pipeline_parallel == 1:
        return whole
    precision = served_precision(model, weight_dtype)
    both_ends = min(embedding_params(model), model.params_total) * precision.embedding_bits / 8
    one_end = (model.vocab_size or 0) * (model.hidden_size or 0) * precision.embedding_bits / 8
    return min(whole, (whole - both_ends) * _stage_share(model, pipeline_parallel) + one_end)


def _stage_share(model: Model, pipeline_parallel: int) -> float:
    """Share of the layers that the largest stage holds: layers are not cut."""
    layers = model.layers or pipeline_parallel
    return -(-layers // pipeline_parallel) / layers


def routed_expert_params(model: Model) -> int:
    """Elements of the routed experts of all layers; 0 for dense models and where the shape is unknown."""
    moe = model.moe or {}
    experts, width = moe.get("num_experts"), moe.get("moe_intermediate_size")
    if not (experts and width and model.hidden_size and model.layers):
        return 0
    mixer_only = (model.attention or {}).get("moe_layers")  # Nemotron: plain experts, two matrices
    first = int(moe.get("first_dense_layers") or 0)
    sparse = mixer_only or (model.layers - first) // max(int(moe.get("moe_every") or 1), 1)
    return int(sparse) * (2 if mixer_only or model.plain_mlp else 3) * model.hidden_size * int(experts) * int(width)


def _weight_bits(model: Model, precision: Precision) -> float:
    embeddings = min(embedding_params(model), model.params_total)
    vision = 0 if precision.scope == "all" else min(model.vision_params or 0, model.params_total - embeddings)
    body = model.params_total - embeddings - vision
    experts = min(routed_expert_params(model), body)
    quantised = experts if precision.scope == "experts" and experts else body
    rest = body - quantised
    at_embedding = (embeddings + vision) * precision.embedding_bits  # vision towers stay 16 bit too
    return quantised * precision.bits * _padding(model, precision) + rest * precision.rest_bits + at_embedding


def _padding(model: Model, precision: Precision) -> float:
    width = (model.moe or {}).get("moe_intermediate_size")
    if precision.precision != "mxfp4" or not width:
        return 1.0
    return -(-int(width) // MXFP4_PAD) * MXFP4_PAD / int(width)


def _copied_bits(model: Model, weight_dtype: str, tensor_parallel: int) -> float:
    """Key and value projections beyond their share, 2·L·h·d·(1 − k/tp), when there are fewer heads than GPUs."""
    kv_heads = model.kv_heads or 0
    if "kv_lora_rank" in (model.attention or {}) or not kv_heads or kv_heads >= tensor_parallel:
        return 0.0
    head_dim = model.head_dim or (model.hidden_size or 0) // (model.heads or 1)
    projection = 2 * (model.layers or 0) * (model.hidden_size or 0) * head_dim
    return projection * (1 - kv_heads / tensor_parallel) * served_precision(model, weight_dtype).rest_bits


def _is_native(model: Model, precision: Precision) -> bool:
    native = model.native_dtype or ""
    return native == precision.native or native in (precision.precision, *precision.aliases)


def _key(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in folded if letter not in " -_./·()")


@cache
def _names() -> dict[str, str]:
    return {_key(typed): canonical for typed, canonical in precision_names().items()}
