"""What a serving engine holds besides the model and its cache: LoRA adapters, a prediction layer, a draft model.

    adapters   slots · layers · Σ r·(in + out) · 2 B     over the linear layers; one side of each is cut by tensor parallel
    MTP        one more layer of weights and cache, and the projection that joins two hidden states, 2·h·h
    draft      its weights and its cache for every sequence
"""

from __future__ import annotations

from dataclasses import replace

from knowledge.rows import Model

from .architecture import complete_shape
from .kv_cache import KvLayout, head_dim, kv_layout
from .model_config import embedding_params
from .parallel import divides
from .serving_job import ServingJob
from .weights import served_precision, weights_bytes, weights_bytes_per_gpu

ADAPTER_BYTES = 2
"""Adapters are kept in 16 bit (`--lora-dtype auto`)."""
DRAFT_PRECISION = {"float32": "fp32", "float16": "fp16"}
"""Draft models are loaded as published; bf16 where not said otherwise."""


def adapter_bytes(job: ServingJob, *, tensor_parallel: int, pipeline_parallel: int = 1) -> int:
    """Slots that vLLM lays out at start for `--max-loras` adapters of `--max-lora-rank`, on one GPU.

    Every linear layer of attention and, in dense models, of the feed-forward part has a slot; experts have none.
    """
    layers = -(-(job.model.layers or 0) // pipeline_parallel)
    sides = _attention_sides(job.model, tensor_parallel) + _feed_forward_sides(job.model, tensor_parallel)
    return round(job.lora_adapters * layers * job.slot_rank * sides * ADAPTER_BYTES)


def guess_bytes(job: ServingJob, *, tensor_parallel: int) -> int:
    """Weights of the prediction layer or the draft model on one GPU."""
    total = _prediction_bytes(job.model, job.weight_dtype) / tensor_parallel if job.mtp else 0.0
    if job.draft is not None:
        draft = complete_shape(job.draft)
        total += weights_bytes_per_gpu(draft, draft_precision(draft), tensor_parallel=_draft_cut(draft, tensor_parallel))
    return round(total)


def with_guesses(layout: KvLayout, job: ServingJob, element_bytes: float, *, tensor_parallel: int) -> KvLayout:
    """The cache with that of the prediction layer and of the draft model, whose windows count as full layers."""
    more = layout.growing / _growing_layers(job.model) if job.mtp else 0.0
    if job.draft is not None:
        draft = complete_shape(job.draft)
        own = kv_layout(draft, element_bytes, tensor_parallel=_draft_cut(draft, tensor_parallel))
        more += own.growing + own.windowed
    return replace(layout, growing=layout.growing + more) if more else layout


def draft_precision(draft: Model) -> str:
    """Precision that a draft model is loaded in."""
    native = draft.native_dtype or "bfloat16"
    return DRAFT_PRECISION.get(native, "fp8" if native == "fp8" else "bf16")


def _draft_cut(draft: Model, tensor_parallel: int) -> int:
    return tensor_parallel if divides(draft, tensor_parallel) else 1


def _prediction_bytes(model: Model, weight_dtype: str) -> float:
    precision, width = served_precision(model, weight_dtype), model.hidden_size or 0
    ends = min(embedding_params(model), model.params_total) * precision.embedding_bits / 8
    layer = (weights_bytes(model, weight_dtype) - ends) / max(model.layers or 1, 1)
    return layer + 2 * width * width * precision.rest_bits / 8


def _growing_layers(model: Model) -> int:
    attention = model.attention or {}
    return int(attention.get("full_attention_layers") or attention.get("full_layers") or model.layers or 1)


def _attention_sides(model: Model, tensor_parallel: int) -> float:
    """Σ (in + out) of the projections of one layer, per GPU."""
    h, heads, attention = model.hidden_size or 0, model.heads or 0, model.attention or {}
    if "kv_lora_rank" in attention:
        rank, rope = int(attention["kv_lora_rank"]), int(attention["qk_rope_head_dim"])
        nope, value = int(attention.get("qk_nope_head_dim") or 0), int(attention.get("v_head_dim") or 0)
        query = int(attention.get("q_lora_rank") or 0)
        queries = 2 * query + h + heads * (nope + rope) / tensor_parallel if query else h + heads * (nope + rope) / tensor_parallel
        caches = h + 2 * rank + rope + heads * (nope + value) / tensor_parallel
        return queries + caches + heads * value / tensor_parallel + h
    width = head_dim(model)
    outer = heads * width / tensor_parallel
    caches = 2 * (h + max(1.0, (model.kv_heads or 1) / tensor_parallel) * width)
    return (h + outer) + caches + (outer + h)


def _feed_forward_sides(model: Model, tensor_parallel: int) -> float:
    matrices = 2 if model.plain_mlp else 3
    inner = 0 if model.moe else model.intermediate_size or 0
    return matrices * ((model.hidden_size or 0) + inner / tensor_parallel) if inner else 0.0
