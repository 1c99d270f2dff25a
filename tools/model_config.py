"""Counts the parameters of a model from its shape: embeddings, attention, feed-forward, experts, norms.

Biases, and norms inside attention, are left out (below 0.1 % of every model counted); so is the vision part.
Shapes follow the Hugging Face implementation of each architecture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from knowledge.errors import InputError
from knowledge.rows import Model

GATED = 3  # gate, up and down projection (SwiGLU, GeGLU)
PLAIN = 2  # up and down projection (GELU, squared ReLU)


def embedding_params(model: Model) -> int:
    """Elements of the input embedding, and of the output head unless tied: V·h or 2·V·h.

    Unknown tying counts as untied; an encoder has no output head. 0 where vocabulary or width are unknown.
    """
    table = (model.vocab_size or 0) * (model.hidden_size or 0)
    return table if model.tied_embeddings or model.modality == "encoder" else 2 * table


def count_params(model: Model) -> int:
    """Elements of all weights of the language part. InputError when the shape is not fully known."""
    missing = missing_shape(model)
    if missing:
        raise InputError(f"{model.id}: parameters cannot be counted, unknown: {', '.join(missing)}.")
    h, layers = model.hidden_size or 0, model.layers or 0
    norms = (2 * layers + 1) * h
    return embedding_params(model) + _mixer_params(model) + _feed_forward_params(model) + norms


def count_active_params(model: Model) -> int:
    """Elements that one token passes through: of the routed experts only those chosen per token."""
    if not model.moe:
        return count_params(model)
    total = count_params(model)  # raises for an unknown shape
    chosen = replace(model, moe={**model.moe, "num_experts": model.moe["experts_per_token"]})
    idle = int(model.moe["num_experts"]) - int(model.moe["experts_per_token"])
    router = _sparse_layers(model) * (model.hidden_size or 0) * idle  # the router scores every expert
    return min(count_params(chosen) + router, total)


def missing_shape(model: Model) -> tuple[str, ...]:
    """Names of the fields without which the parameters cannot be counted."""
    attention = model.attention or {}
    needed: list[str] = ["hidden_size", "layers", "heads", "vocab_size", "attention"]
    missing = [name for name in needed if getattr(model, name) is None]
    if "kv_lora_rank" in attention:
        parts = ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
        missing += [name for name in parts if name not in attention]
    else:
        missing += [name for name in ("kv_heads", "head_dim") if getattr(model, name) is None]
    if "compress_ratios" in attention:
        missing.append("compressed attention weights")
    if attention.get("linear_attention_layers") and not _linear_shape(attention):
        missing.append("linear attention shape")
    return (*missing, *_missing_feed_forward(model))


def _missing_feed_forward(model: Model) -> tuple[str, ...]:
    moe = model.moe
    if moe is None:
        return () if model.intermediate_size is not None else ("intermediate_size",)
    names = ("num_experts", "experts_per_token", "moe_intermediate_size")
    missing = [name for name in names if moe.get(name) is None]
    if (moe.get("first_dense_layers") or (moe.get("moe_every") or 1) > 1) and not model.intermediate_size:
        missing.append("intermediate_size")
    return tuple(missing)


def _mixer_params(model: Model) -> int:
    """Elements of all token mixers: softmax attention, and the linear layers of hybrids."""
    attention = model.attention or {}
    layers = model.layers or 0
    linear = attention.get("linear_attention_layers") or 0
    full = attention.get("full_attention_layers", layers - linear) if linear else layers
    total = 0
    if linear:
        total += int(linear) * _linear_layer(model, _linear_shape(attention))
    if "kv_lora_rank" in attention:
        return total + int(full) * _latent_layer(model, attention)
    sliding = int(attention.get("sliding_layers") or 0)
    return total + (int(full) - sliding) * _full_layer(model) + sliding * _sliding_layer(model)


def _full_layer(model: Model) -> int:
    """Query, key, value and output projections of a full layer."""
    attention = model.attention or {}
    return _grouped(
        model,
        kv_heads=int(attention.get("full_kv_heads") or model.kv_heads or 0),
        qk_dim=int(attention.get("full_head_dim") or model.head_dim or 0),
        v_dim=int(attention.get("full_head_dim") or attention.get("head_dim_v") or model.head_dim or 0),
        shared_kv=bool(attention.get("attention_k_eq_v")),
    )


def _sliding_layer(model: Model) -> int:
    attention = model.attention or {}
    return _grouped(
        model,
        kv_heads=int(attention.get("sliding_kv_heads") or model.kv_heads or 0),
        qk_dim=model.head_dim or 0,
        v_dim=int(attention.get("head_dim_v") or model.head_dim or 0),
        shared_kv=False,
    )


def _grouped(model: Model, *, kv_heads: int, qk_dim: int, v_dim: int, shared_kv: bool) -> int:
    h, heads = model.hidden_size or 0, model.heads or 0
    gated = "deltanet" in str((model.attention or {}).get("kv_scheme", ""))
    queries = h * heads * qk_dim * (2 if gated else 1)  # Qwen3-Next: the query carries an output gate
    keys_values = h * kv_heads * (qk_dim if shared_kv else qk_dim + v_dim)
    return queries + keys_values + heads * v_dim * h


def _latent_layer(model: Model, attention: Mapping[str, Any]) -> int:
    """Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1), with the indexer of V3.2."""
    h, heads = model.hidden_size or 0, model.heads or 0
    rank, rope = int(attention["kv_lora_rank"]), int(attention["qk_rope_head_dim"])
    nope, v_dim = int(attention["qk_nope_head_dim"]), int(attention["v_head_dim"])
    q_rank = int(attention.get("q_lora_rank") or 0)
    queries = (h + heads * (nope + rope)) * q_rank if q_rank else h * heads * (nope + rope)
    keys_values = h * (rank + rope) + rank * heads * (nope + v_dim)
    indexer = attention.get("sparse_indexer") or {}
    dim, n = int(indexer.get("index_head_dim") or 0), int(indexer.get("index_n_heads") or 0)
    return queries + keys_values + heads * v_dim * h + q_rank * n * dim + h * (dim + n)


def _linear_shape(attention: Mapping[str, Any]) -> Mapping[str, Any]:
    shape = attention.get("linear") or attention.get("mamba") or {}
    known = {"num_value_heads", "mamba_num_heads"} & set(shape)
    return shape if known else {}


def _linear_layer(model: Model, shape: Mapping[str, Any]) -> int:
    if "mamba_num_heads" in shape:
        return _mamba_layer(model.hidden_size or 0, shape)
    return _delta_layer(model.hidden_size or 0, shape)


def _delta_layer(h: int, shape: Mapping[str, Any]) -> int:
    """Gated DeltaNet of Qwen3-Next: projections of q, k, v, z, b, a; a short convolution; output."""
    key = int(shape["num_key_heads"]) * int(shape["key_head_dim"])
    value = int(shape["num_value_heads"]) * int(shape["value_head_dim"])
    inputs = h * (2 * key + 2 * value + 2 * int(shape["num_value_heads"]))
    return inputs + (2 * key + value) * int(shape["conv_kernel"]) + value * h


def _mamba_layer(h: int, shape: Mapping[str, Any]) -> int:
    """Mamba-2 mixer: projections of z, x, B, C, dt; a short convolution; output."""
    heads = int(shape["mamba_num_heads"])
    inner = heads * int(shape["mamba_head_dim"])
    groups = 2 * int(shape["n_groups"]) * int(shape["ssm_state_size"])
    convolution = (inner + groups) * (int(shape["conv_kernel"]) + 1)
    return h * (2 * inner + groups + heads) + convolution + inner * h


def _feed_forward_params(model: Model) -> int:
    h, layers = model.hidden_size or 0, model.layers or 0
    plain = model.plain_mlp or (model.modality == "encoder" and model.tied_embeddings is None)
    matrices = PLAIN if plain else GATED
    if not model.moe:
        return layers * matrices * h * (model.intermediate_size or 0)
    sparse = _sparse_layers(model)
    if "moe_layers" in (model.attention or {}):  # Nemotron: a layer is a mixer or experts, not both
        layers, matrices = sparse, PLAIN
    dense = (layers - sparse) * matrices * h * (model.intermediate_size or 0)
    return dense + sparse * _expert_layer(h, model.moe, matrices)


def _sparse_layers(model: Model) -> int:
    """Layers whose feed-forward part is routed experts."""
    moe, layers = model.moe or {}, model.layers or 0
    if "moe_layers" in (model.attention or {}):
        return int((model.attention or {})["moe_layers"])
    first = min(int(moe.get("first_dense_layers") or 0), layers)
    return (layers - first) // max(int(moe.get("moe_every") or 1), 1)


def _expert_layer(h: int, moe: Mapping[str, Any], matrices: int) -> int:
    """Routed experts, the router, and the shared experts of one layer."""
    experts, width = int(moe["num_experts"]), int(moe["moe_intermediate_size"])
    shared = moe.get("shared_intermediate_size") or int(moe.get("shared_experts") or 0) * width
    return matrices * h * (experts * width + int(shared)) + h * experts
