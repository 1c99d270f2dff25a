"""Fills the open fields of a model's shape from the nearest model of the table, so that it can be sized at all."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

from knowledge.facts import models
from knowledge.rows import Model

GENERATIVE = ("text", "vision-language")


def is_shape_known(model: Model) -> bool:
    """Whether the cache can be computed from the row itself."""
    latent = "kv_lora_rank" in (model.attention or {})
    heads_known = latent or bool(model.kv_heads and (model.head_dim or model.hidden_size))
    return bool(model.attention and model.layers and model.heads and model.hidden_size and heads_known)


def complete_shape(model: Model) -> Model:
    """The model with layers, heads, widths and vocabulary filled in where the row leaves them open."""
    if is_shape_known(model) and model.vocab_size:
        return model
    near = _nearest(model)
    # not more KV heads than a model of this family publishes: an open count means grouped attention
    return replace(
        model,
        hidden_size=model.hidden_size or near.hidden_size,
        layers=model.layers or near.layers,
        heads=model.heads or near.heads,
        kv_heads=model.kv_heads or near.kv_heads,
        head_dim=model.head_dim or (near.head_dim if not model.hidden_size else None),
        vocab_size=model.vocab_size or near.vocab_size,
        intermediate_size=model.intermediate_size or (None if model.moe else near.intermediate_size),
        attention=model.attention or near.attention,
    )


@cache
def _complete_models() -> tuple[Model, ...]:
    rows = (row for row in models().values() if row.modality in GENERATIVE)
    return tuple(row for row in rows if is_shape_known(row) and row.vocab_size)


def _nearest(model: Model) -> Model:
    """Same family first, then same kind of attention, then dense with dense; then the nearest size."""
    kind = (model.attention or {}).get("type")

    def distance(row: Model) -> tuple[bool, bool, bool, float]:
        size = abs(math.log(max(row.params_total, 1) / max(model.params_total, 1)))
        other_kind = kind is not None and (row.attention or {}).get("type") != kind
        return other_kind, row.family != model.family, bool(row.moe) != bool(model.moe), size

    return min(_complete_models(), key=distance)
