"""What one GPU reads and computes to serve a model: bytes and operations, before any time is known.

    weights read per step   = all but the input embedding, of the routed experts only those that the batch chooses
    experts chosen          = E · (1 − (1 − k/E)^B)          expected distinct ones of B tokens, routed evenly
    operations per token    = 2 · (elements that it passes through) + attention · (tokens before it)
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.rows import Model
from tools.architecture import complete_shape
from tools.kv_cache import KvLayout, head_dim, kv_layout
from tools.model_config import embedding_params
from tools.weights import routed_expert_params, served_precision, weights_bytes_per_gpu


@dataclass(frozen=True)
class Loads:
    """Of one GPU out of `tensor_parallel`. `attention` figures are operations per pair of tokens, all layers."""

    weights: float  # bytes read in every step, routed experts apart
    experts: float  # bytes of all routed experts
    chosen_share: float  # k/E: share of them that one token chooses
    cache: KvLayout
    body: float  # elements that each token passes through
    head: float  # elements of the output head: only tokens that are answered pass through it
    prompt_attention: float
    step_attention: float  # differs from the prompt's for latent caches, whose projections are absorbed
    window_attention: float  # of layers that look back no further than the cache's window
    layers: int
    sparse_experts: int  # experts of all sparse layers
    repeats: float  # query heads per KV head
    hidden: int
    tensor_parallel: int

    def weight_bytes(self, batch: int) -> float:
        """Bytes of weights that a step of `batch` sequences reads."""
        return self.weights + self.experts * (1 - (1 - self.chosen_share) ** batch)

    def cache_bytes(self, context: float) -> float:
        """Bytes of cache that a step reads for one sequence; recurrent states are read and written back."""
        windowed = self.cache.windowed * min(context, self.cache.window)
        return self.cache.growing * context + windowed + 2 * self.cache.state

    @property
    def step_operations(self) -> float:
        """Operations for one token of one sequence, attention apart."""
        return 2 * (self.body + self.head)

    def pairs(self, tokens: int) -> tuple[float, float]:
        """Pairs of tokens that attention of a prompt looks at: in full layers (causal: half), in windowed layers."""
        return tokens * tokens / 2, tokens * min(tokens, self.cache.window or tokens)


def make_loads(model: Model, weight_dtype: str, *, kv_bytes: float = 2.0, tensor_parallel: int = 1) -> Loads:
    """Loads of a model in a precision; `kv_bytes` per element of the cache."""
    model = complete_shape(model)
    precision, experts = served_precision(model, weight_dtype), routed_expert_params(model)
    whole = weights_bytes_per_gpu(model, weight_dtype, tensor_parallel=tensor_parallel)
    table = (model.vocab_size or 0) * (model.hidden_size or 0)
    looked_up = 0.0 if model.tied_embeddings else table * precision.embedding_bits / 8
    moe = model.moe or {}
    routed = min(experts * precision.bits / 8, whole * tensor_parallel)
    active = model.params_active or model.params_total
    prompt, step, windowed = _attention(model)
    return Loads(
        weights=max(0.0, whole - (looked_up + routed) / tensor_parallel),
        experts=routed / tensor_parallel,
        chosen_share=moe["experts_per_token"] / moe["num_experts"] if experts else 1.0,
        cache=kv_layout(model, kv_bytes, tensor_parallel=tensor_parallel),
        body=max(0, active - min(embedding_params(model), active)) / tensor_parallel,
        head=table / tensor_parallel,
        prompt_attention=prompt / tensor_parallel,
        step_attention=step / tensor_parallel,
        window_attention=windowed / tensor_parallel,
        layers=model.layers or 0,
        sparse_experts=_sparse_experts(model) if experts else 0,
        repeats=(model.heads or 1) / (model.kv_heads or model.heads or 1),
        hidden=model.hidden_size or 0,
        tensor_parallel=tensor_parallel,
    )


def _attention(model: Model) -> tuple[float, float, float]:
    """Operations per pair of tokens over all layers: of a prompt, of a step, and of windowed layers.

    Two products (queries with keys, weights with values), two operations an element.
    """
    attention, heads = model.attention or {}, model.heads or 0
    full = int(attention.get("full_attention_layers") or attention.get("full_layers") or model.layers or 0)
    windowed = int(attention.get("sliding_layers") or 0)
    dim = head_dim(model)
    if "kv_lora_rank" not in attention:
        wide = int(attention.get("full_head_dim") or dim)
        return 4.0 * full * heads * wide, 4.0 * full * heads * wide, 4.0 * windowed * heads * dim
    rank, rope = int(attention["kv_lora_rank"]), int(attention["qk_rope_head_dim"])
    keys = int(attention.get("qk_nope_head_dim") or dim) + rope
    values = int(attention.get("v_head_dim") or dim)
    return 2.0 * full * heads * (keys + values), 2.0 * full * heads * (2 * rank + rope), 0.0


def _sparse_experts(model: Model) -> int:
    moe, layers = model.moe or {}, model.layers or 0
    mixers = int((model.attention or {}).get("moe_layers") or 0)
    sparse = mixers or (layers - int(moe.get("first_dense_layers") or 0)) // max(int(moe.get("moe_every") or 1), 1)
    return sparse * int(moe["num_experts"])
