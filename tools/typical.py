"""The typical shape of a model of which only the size is known."""

from __future__ import annotations

import math
from dataclasses import replace

from knowledge.errors import InputError
from knowledge.facts import models, typical_models
from knowledge.rows import Model, TypicalModel

from .model_config import embedding_params

LARGEST = 5e12
"""Parameters; no published model comes near."""


def typical_model(billions: float, *, name: str = "", active: float | None = None) -> Model:
    """A dense model of `billions` (10^9) parameters with the shape of the nearest typical one.

    A size that is the typical one's own nominal size takes its counted parameters (70B: 70.6, like Llama 3).

    `active`: the billions that one token passes through, where the name says them (30B-A3B).
    Raises InputError when the size is not above 0 or above 5000 billion.
    """
    check_total(billions * 1e9)
    row = min(typical_models(), key=lambda row: abs(math.log(row.billions / billions)))
    # "70B" is a rounded name: where it is that of the typical model itself, its real count is the better guess.
    total = models()[row.like].params_total if row.billions == billions else check_total(billions * 1e9)
    model = _keep_embeddings_small(_shape(row, name or f"{billions:.6g}B", total))
    return model if active is None else replace(model, params_active=min(round(active * 1e9), total))


def typical_experts(count: int, billions: float, *, name: str = "") -> Model:
    """A mixture written `8x7B`: the nearest Mixtral, its experts scaled to the stated size.

    Experts share attention and embeddings, so the total is below count × size (8x7B: 46.7, not 56).
    """
    check_total(count * billions * 1e9)
    small, large = models()["Mixtral-8x7B-v0.1"], models()["Mixtral-8x22B-v0.1"]
    base, unit = (small, 7.0) if billions < 14 else (large, 22.0)
    scale = billions / unit
    return replace(
        base,
        id=name or f"{count}x{billions:g}B",
        hf_id="",
        aliases=(),
        params_total=check_total(base.params_total * scale * count / 8),
        params_active=round((base.params_active or base.params_total) * scale * min(1.0, count / 2)),
        params_source="typical",
        moe={**(base.moe or {}), "num_experts": count, "experts_per_token": min(2, count)},
        checkpoint_bytes=None,
        confidence="low",
        note=f"Shape of {base.id}; only the size was given.",
    )


def check_total(params: float) -> int:
    """`params` as a whole number. Raises InputError naming the limit."""
    if not 1e6 <= params <= LARGEST:
        raise InputError("A model has between 1 million and 5000 billion (5T) parameters; this size is outside.")
    return round(params)


def _shape(row: TypicalModel, name: str, total: int) -> Model:
    return Model(
        id=name,
        hf_id="",
        aliases=(),
        family="",
        modality="text",
        params_total=total,
        params_active=total,
        params_source="typical",
        hidden_size=row.hidden_size,
        layers=row.layers,
        heads=row.heads,
        kv_heads=row.kv_heads,
        head_dim=row.head_dim,
        intermediate_size=row.intermediate_size,
        vocab_size=row.vocab_size,
        tied_embeddings=row.tied_embeddings,
        max_context=row.max_context,
        attention={"type": "gqa"},
        moe=None,
        native_dtype="bfloat16",
        checkpoint_bytes=None,
        vision_params=None,
        licence=None,
        source_ids=row.source_ids,
        confidence="low",
        note=f"Typical shape, that of {row.like}; only the size was given.",
    )


def _keep_embeddings_small(model: Model) -> Model:
    """Below the smallest typical size the vocabulary shrinks, so that embeddings stay within a third."""
    share = embedding_params(model) / (model.params_total / 3)
    if share <= 1:
        return model
    return replace(model, vocab_size=max(int((model.vocab_size or 1) / share), 1))
