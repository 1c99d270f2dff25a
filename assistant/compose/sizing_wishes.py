"""What a follow-up wishes of the sum: cheaper, faster, why it is so."""

from __future__ import annotations

from collections.abc import Iterator

from . import words
from .sizing_choices import other, savings
from .sizing_view import View


def wished(view: View) -> Iterator[str]:
    """The paragraphs that answer the wish, before the sum they speak of; none without a wish."""
    if view.wish == "cheaper":
        cheaper = list(savings(view))
        yield from cheaper or [view.voice("wish_cheaper_none")]
    elif view.wish == "faster":
        faster = [line.removeprefix("- ") for line in other(view, "faster")]
        yield from faster or [view.voice("wish_faster_none")]
    elif view.wish == "explain":
        yield _explanation(view)


def _explanation(view: View) -> str:
    """Where weights, cache and price come from, with the figures of this model."""
    sizing, model, totals = view.sizing, view.sizing.model, view.sizing.totals
    shape = {
        "weights": words.gib(totals.weights_gib),
        "dtype": sizing.weight_dtype,
        "params": words.plain(round(model.params_billion, 2)),
        "per_token": words.plain(round(totals.kv_kib_per_token, 1)),
        "context": words.tokens(sizing.context),
        "users": sizing.concurrency,
        "kv": words.gib(totals.kv_gib),
        "layers": model.layers,
        "kv_heads": model.kv_heads,
        "head_dim": model.head_dim,
        "limit": words.gib(sizing.limit_gib),
        "mark": view.evidence.mark(model.source_ids),
    }
    plain_cache = model.attention in ("mha", "gqa", "mqa") and sizing.kv_dtype in ("bf16", "fp16") and model.head_dim
    return view.voice("wish_explain" if plain_cache else "wish_explain_other", **shape)
