"""The widths of a model that its activations and adapters depend on, and how its parameters divide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.rows import Model
from tools.architecture import complete_shape
from tools.model_config import embedding_params
from tools.weights import routed_expert_params

GATED = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """Widths in elements, parameters in elements.

    `query` and `key` are heads x head width; `feed_forward` the width one token passes through (shared experts and all
    chosen ones together), `chosen` the experts of a token, `experts` those of a layer, `expert_width` the width of one.
    """

    hidden: int
    layers: int
    query: int
    key: int
    heads: int
    feed_forward: int
    chosen: int
    experts: int
    expert_width: int
    vocabulary: int
    total: int
    embeddings: int
    routed: int
    vision: int
    largest_matrix: int
    gated: bool

    @property
    def language(self) -> int:
        """Parameters without the vision part."""
        return self.total - self.vision

    @property
    def body(self) -> int:
        """Parameters of the decoder layers."""
        return self.language - self.embeddings

    @property
    def layer(self) -> int:
        """Parameters of one layer, all experts included."""
        return self.body // max(self.layers, 1)


def shape_of(model: Model) -> Shape:
    """Widths of a model; what the row leaves open comes from the nearest model, the feed-forward width from the size."""
    full = complete_shape(model)
    hidden, layers, heads = full.hidden_size or 1, full.layers or 1, full.heads or 1
    head_dim = full.head_dim or hidden // heads
    vocabulary = full.vocab_size or 0
    vision = full.vision_params or 0
    embeddings = min(embedding_params(full), full.params_total - vision)
    query, key = heads * head_dim, _key_width(full, heads, head_dim)
    attention = 2 * hidden * (query + key)
    body = full.params_total - vision - embeddings
    moe = full.moe or {}
    chosen, width = int(moe.get("experts_per_token") or 0), int(moe.get("moe_intermediate_size") or 0)
    dense = full.intermediate_size or max(1, (body // layers - attention) // (GATED * hidden))
    shared = int(moe.get("shared_intermediate_size") or int(moe.get("shared_experts") or 0) * width)
    feed_forward = chosen * width + shared if chosen else dense
    return Shape(
        hidden=hidden, layers=layers, query=query, key=key, heads=heads, feed_forward=feed_forward,
        chosen=chosen, experts=int(moe.get("num_experts") or 0), expert_width=width, vocabulary=vocabulary,
        total=full.params_total, embeddings=embeddings, routed=min(routed_expert_params(full), body), vision=vision,
        largest_matrix=hidden * max(width if chosen else dense, query),
        gated=bool(chosen) or body // layers - attention > 2.5 * hidden * dense,
    )  # fmt: skip


def _key_width(model: Model, heads: int, head_dim: int) -> int:
    """Latent attention expands its keys to all heads."""
    if "kv_lora_rank" in (model.attention or {}):
        return heads * head_dim
    return (model.kv_heads or heads) * head_dim


MATRICES = ("q", "k", "v", "o", "gate", "up", "down")
ATTENTION_INPUTS, FEED_FORWARD_INPUTS = frozenset("qkv"), frozenset(("gate", "up"))

_NAMES = {
    "q": ("q", "q_proj", "wq", "c_attn", "query_key_value", "qkv_proj", "wqkv", "w_pack", "linear_qkv", "attention", "attn"),
    "k": ("k", "k_proj", "wk", "c_attn", "query_key_value", "qkv_proj", "wqkv", "w_pack", "linear_qkv", "attention", "attn"),
    "v": ("v", "v_proj", "wv", "c_attn", "query_key_value", "qkv_proj", "wqkv", "w_pack", "linear_qkv", "attention", "attn"),
    "o": ("o", "o_proj", "wo", "out_proj", "output_proj", "dense", "c_proj", "linear_proj", "attention", "attn"),
    "gate": ("gate", "gate_proj", "w1", "gate_up_proj", "linear_fc1", "dense_h_to_4h", "mlp"),
    "up": ("up", "up_proj", "w2", "w3", "gate_up_proj", "linear_fc1", "dense_h_to_4h", "mlp"),
    "down": ("down", "down_proj", "c_proj", "linear_fc2", "dense_4h_to_h", "mlp"),
}
"""What trainers call each matrix of a layer."""

EVERYTHING = ("all-linear", "all linear", "all_linear", "all", "linear", "all linear layers")


def matrices_of(targets: str) -> tuple[str, ...]:
    """The matrices that a list of targets names; all of them for `all-linear`; () for none known."""
    plain = targets.casefold().strip()
    if any(plain == name or plain.startswith(name + " ") for name in EVERYTHING):
        return MATRICES
    asked = {word.strip().rpartition(".")[2] for word in plain.split("(")[0].replace(";", ",").replace(" ", ",").split(",")}
    return tuple(name for name in MATRICES if asked & set(_NAMES[name]))


def matrix_sizes(shape: Shape, names: tuple[str, ...]) -> Iterator[tuple[int, int, int]]:
    """(inputs, outputs, how many of a layer) of each named matrix; the feed-forward ones once per expert."""
    width, count = (shape.expert_width, shape.experts) if shape.experts else (shape.feed_forward, 1)
    sizes = {
        "q": (shape.hidden, shape.query, 1),
        "k": (shape.hidden, shape.key, 1),
        "v": (shape.hidden, shape.key, 1),
        "o": (shape.query, shape.hidden, 1),
        "gate": (shape.hidden, width, count),
        "up": (shape.hidden, width, count),
        "down": (width, shape.hidden, count),
    }
    return (sizes[name] for name in names)
