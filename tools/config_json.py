"""Reads a Hugging Face config.json into a row of the model table, its parameters counted from the shape."""

from __future__ import annotations

import re
from dataclasses import replace

from knowledge.errors import InputError
from knowledge.rows import Model

from .config_dtype import native_dtype, quantized_dtype
from .config_fields import Config, language_part, parse_config, whole, word, yes
from .config_shape import (
    MOST_HEADS,
    WIDEST,
    read_attention,
    read_experts,
    refuse_uncounted,
    vision_params,
)
from .model_config import count_active_params, count_params
from .typical import check_total

ENCODERS = ("bert", "roberta", "xlm-roberta", "electra", "distilbert", "albert", "deberta", "deberta-v2", "camembert")
PLAIN_FEED_FORWARD = (
    "gpt2", "gpt_neo", "gpt_neox", "gptj", "gpt_bigcode", "opt", "bloom", "falcon", "mpt", "phi", "starcoder2", "codegen",
)  # fmt: skip
"""Kinds whose feed-forward part has two matrices instead of three."""
TIED_UNLESS_SAID = ("gemma", "gpt2", "bloom", "falcon", "cohere", "opt")
"""Kinds whose class ties the output head when the file is silent; all others then count as untied."""


def read_config(text: str) -> tuple[Model, str | None]:
    """The model that a config.json describes, and the precision that its `quantization_config` names.

    Raises InputError naming what is missing, not JSON, too large or absurd.
    """
    outer = parse_config(text)
    config = language_part(outer)
    refuse_uncounted(config)
    model = _counted(_row(config, outer), config, vision_params(outer))
    return model, quantized_dtype(outer) or quantized_dtype(config)


def _row(config: Config, outer: Config) -> Model:
    """The row without its parameter counts."""
    h, layers, heads, vocabulary = _needed(config)
    intermediate = _intermediate(config, h)
    moe = read_experts(config, layers=layers)
    if moe is None and intermediate is None:
        raise InputError("config.json lacks intermediate_size.")
    kv_heads = _kv_heads(config, heads)
    attention = read_attention(config, layers=layers, heads=heads, kv_heads=kv_heads)
    encoder = word(config, "model_type") in ENCODERS
    latent = attention["type"] == "mla"
    return Model(
        id=_name(outer, config),
        hf_id="",
        aliases=(),
        family=word(config, "model_type"),
        modality="encoder" if encoder else "vision-language" if "vision_config" in outer else "text",
        params_total=0,
        params_active=None,
        params_source="config",
        hidden_size=h,
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=None if latent else _head_dim(config, h, heads),
        intermediate_size=intermediate,
        vocab_size=vocabulary,
        tied_embeddings=None if encoder else _tied(config, outer),
        max_context=_context(config),
        attention={**attention, "kv_cache": False} if encoder else attention,
        moe=moe,
        native_dtype=native_dtype(config) or native_dtype(outer),
        checkpoint_bytes=None,
        vision_params=None,
        licence=None,
        source_ids=(),
        confidence="medium",
        note="Read from a config.json; parameters counted from the shape.",
    )


def _counted(model: Model, config: Config, vision: int | None) -> Model:
    total, active = count_params(model), count_active_params(model)
    if word(config, "model_type") in PLAIN_FEED_FORWARD and not model.moe:
        spared = (model.layers or 0) * (model.hidden_size or 0) * (model.intermediate_size or 0)
        total, active = total - spared, active - spared
    return replace(
        model,
        params_total=check_total(total + (vision or 0)),
        params_active=active if model.moe else total + (vision or 0),
        vision_params=vision,
    )


def _needed(config: Config) -> tuple[int, int, int, int]:
    """Width, layers, heads and vocabulary. Raises InputError naming those that are missing."""
    found: dict[str, int | None] = {
        "hidden_size": whole(config, "hidden_size", "n_embd", "d_model", high=WIDEST),
        "num_hidden_layers": whole(config, "num_hidden_layers", "n_layer", "num_layers", "n_layers", high=10_000),
        "num_attention_heads": whole(config, "num_attention_heads", "n_head", "n_heads", "num_heads", high=MOST_HEADS),
        "vocab_size": whole(config, "padded_vocab_size", "vocab_size", high=100_000_000),
    }
    missing = [name for name, value in found.items() if value is None]
    if missing:
        raise InputError(f"config.json lacks {', '.join(missing)}; it describes no language model that can be sized.")
    h, layers, heads, vocabulary = (value or 0 for value in found.values())
    return h, layers, heads, vocabulary


def _kv_heads(config: Config, heads: int) -> int:
    if config.get("multi_query_attention") is True:  # ChatGLM
        return whole(config, "multi_query_group_num", high=heads) or 1
    if config.get("multi_query") is True and not config.get("new_decoder_architecture"):  # Falcon 7B
        return 1
    return whole(config, "num_key_value_heads", "num_kv_heads", "n_head_kv", high=heads) or heads


def _head_dim(config: Config, h: int, heads: int) -> int:
    return whole(config, "head_dim", "kv_channels", high=WIDEST) or max(h // heads, 1)


def _intermediate(config: Config, h: int) -> int | None:
    names = ("intermediate_size_mlp", "intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "ffn_hidden_dim")
    sparse_by_step = (whole(config, "interleave_moe_layer_step", high=10_000) or 1) > 1
    size = whole(config, *(names if sparse_by_step else names[1:]), low=0, high=WIDEST)
    if size is None and word(config, "model_type") in PLAIN_FEED_FORWARD:
        return 4 * h
    if size and word(config, "model_type") == "qwen":  # first generation: the file gives gate and up together
        return size // 2
    return size


def _tied(config: Config, outer: Config) -> bool:
    default = word(config, "model_type").startswith(TIED_UNLESS_SAID)
    return yes(config, "tie_word_embeddings", default=yes(outer, "tie_word_embeddings", default=default))


def _context(config: Config) -> int | None:
    names: tuple[str, ...] = ("max_position_embeddings", "seq_length", "n_positions", "max_seq_len", "n_ctx")
    return whole(config, *names, low=0, high=1_000_000_000) or None


def _name(outer: Config, config: Config) -> str:
    """The last part of the file's own path, as plain as a repository's name: it is shown, and may be anything."""
    name = _plain(word(outer, "_name_or_path").rstrip("/").rsplit("/", 1)[-1])
    return name or f"config.json ({_plain(word(config, 'model_type')) or 'unnamed'})"


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.\-]+", "-", name).strip("-.")
