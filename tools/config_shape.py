"""The attention and the experts that a config.json describes, in the form of the model table.

Field names are those of the Hugging Face implementations (transformers, `configuration_*.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge.errors import InputError

from .config_fields import Config, part, whole, word, words

MOST_HEADS = 10_000
WIDEST = 10_000_000
LONGEST_WINDOW = 1_000_000_000

UNCOUNTED = {
    "compress_ratios": "compressed attention",
    "linear_attn_config": "Kimi Delta attention",
    "hybrid_override_pattern": "Mamba layers",
    "mamba_num_heads": "Mamba layers",
    "mamba_d_state": "Mamba layers",
    "ssm_cfg": "Mamba layers",
    "state_size": "Mamba layers",
}
"""Fields of mixers whose weights are not counted here."""


def refuse_uncounted(config: Config) -> None:
    """Raises InputError for a kind of layer that cannot be counted from its configuration."""
    for name, kind in UNCOUNTED.items():
        if config.get(name):
            raise InputError(f"config.json: {name} describes {kind}, which cannot be sized from a configuration yet.")
    if config.get("is_encoder_decoder") is True:
        raise InputError("config.json describes an encoder-decoder model, which cannot be sized from it yet.")


def read_attention(config: Config, *, layers: int, heads: int, kv_heads: int) -> dict[str, Any]:
    """The `attention` column: latent, hybrid, sliding, or by the number of KV heads."""
    latent = whole(config, "kv_lora_rank", high=WIDEST)
    if latent is not None:
        return _latent(config, latent)
    hybrid = _hybrid(config, layers)
    if hybrid is not None:
        return hybrid
    sliding = _sliding_layers(config, layers)
    window = whole(config, "attention_chunk_size", "sliding_window", low=0, high=LONGEST_WINDOW)
    if sliding and window:
        return {
            "type": "sliding",
            "window": window,
            "full_layers": layers - sliding,
            "sliding_layers": sliding,
            **_wider_full_layers(config),
        }
    return {"type": "mha" if kv_heads == heads else "mqa" if kv_heads == 1 else "gqa"}


def _latent(config: Config, rank: int) -> dict[str, Any]:
    names = ("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim")
    found = {name: whole(config, name, high=WIDEST) for name in names}
    missing = [name for name, value in found.items() if value is None]
    if missing:
        raise InputError(f"config.json has kv_lora_rank but lacks {', '.join(missing)}.")
    attention: dict[str, Any] = {"type": "mla", "kv_lora_rank": rank, **found}
    query = whole(config, "q_lora_rank", high=WIDEST)
    if query is not None:
        attention["q_lora_rank"] = query
    index = {name: whole(config, name, high=WIDEST) for name in ("index_head_dim", "index_n_heads", "index_topk")}
    if index["index_head_dim"] and index["index_n_heads"]:
        attention["sparse_indexer"] = {k: v for k, v in index.items() if v is not None}
    return attention


def _hybrid(config: Config, layers: int) -> dict[str, Any] | None:
    """Gated DeltaNet on most layers, full attention on the rest (Qwen3-Next, Qwen3.5)."""
    names = {
        "num_value_heads": "linear_num_value_heads",
        "num_key_heads": "linear_num_key_heads",
        "key_head_dim": "linear_key_head_dim",
        "value_head_dim": "linear_value_head_dim",
        "conv_kernel": "linear_conv_kernel_dim",
    }
    shape = {ours: whole(config, theirs, high=WIDEST) for ours, theirs in names.items()}
    if all(value is None for value in shape.values()):
        return None
    missing = [names[ours] for ours, value in shape.items() if value is None]
    if missing:
        raise InputError(f"config.json has linear attention but lacks {', '.join(missing)}.")
    interval = whole(config, "full_attention_interval", high=layers)
    types = words(config, "layer_types")
    full = types.count("full_attention") if len(types) == layers else layers // (interval or 4)
    return {
        "type": "hybrid",
        "kv_scheme": "gated-deltanet+gqa",
        "full_attention_layers": full,
        "linear_attention_layers": layers - full,
        "full_attention_interval": interval or 4,
        "linear": {**shape, **_states({k: v or 0 for k, v in shape.items()})},
    }


def _states(shape: Mapping[str, int]) -> dict[str, int]:
    """Elements of recurrent and convolution state of one layer and sequence."""
    value = shape["num_value_heads"] * shape["value_head_dim"]
    keys = 2 * shape["num_key_heads"] * shape["key_head_dim"]
    return {
        "recurrent_state_elems_per_layer": value * shape["key_head_dim"],
        "conv_state_elems_per_layer": (keys + value) * (shape["conv_kernel"] - 1),
    }


def _sliding_layers(config: Config, layers: int) -> int:
    """How many layers see a window only; 0 when none, or when the configuration turns the window off."""
    if config.get("use_sliding_window") is False:
        return 0
    types = words(config, "layer_types")
    if len(types) == layers:
        return sum(t in ("sliding_attention", "chunked_attention") for t in types)
    if config.get("attention_chunk_size"):  # Llama 4: every fourth layer is full, or as listed
        listed = config.get("no_rope_layers")
        marks = listed if isinstance(listed, list) and len(listed) == layers else []
        return sum(mark == 1 for mark in marks) or layers - layers // 4
    pattern = whole(config, "sliding_window_pattern", "_sliding_window_pattern", high=layers)
    default = {"gemma2": 2, "gemma3": 6, "gemma3_text": 6}.get(word(config, "model_type"))
    every = pattern or default
    return layers - layers // every if every else 0


def _wider_full_layers(config: Config) -> dict[str, Any]:
    """Gemma 4: full layers have their own head width and KV heads, and share keys with values."""
    wider: dict[str, Any] = {}
    width = whole(config, "global_head_dim", high=WIDEST)
    heads = whole(config, "num_global_key_value_heads", high=MOST_HEADS)
    if config.get("attention_k_eq_v") is True:
        wider["attention_k_eq_v"] = True
    if heads:
        wider["full_kv_heads"] = heads
    if width:
        wider["full_head_dim"] = width
    return wider


def read_experts(config: Config, *, layers: int) -> dict[str, Any] | None:
    """The `moe` column, None for a dense model."""
    experts = whole(
        config, "num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts", low=0, high=100_000
    )
    if not experts or experts == 1 or config.get("enable_moe_block") is False:
        return None
    chosen = whole(
        config, "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "top_k_experts", "moe_topk",
        "moe_k", high=experts,
    )  # fmt: skip
    width = whole(config, "moe_intermediate_size", "expert_ffn_hidden_size", "intermediate_size", high=WIDEST)
    if chosen is None or width is None:
        name = "num_experts_per_tok" if chosen is None else "moe_intermediate_size"
        raise InputError(f"config.json has experts but lacks {name}.")
    return {
        "num_experts": experts,
        "experts_per_token": chosen,
        "moe_intermediate_size": width,
        **_shared_experts(config),
        **_sparse_layers(config, layers),
    }


def _shared_experts(config: Config) -> dict[str, Any]:
    width = whole(config, "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", low=0, high=WIDEST)
    names = ("n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts")
    count = whole(config, *names, low=0, high=1000)
    if count is None:
        count = 1 if width or word(config, "model_type").startswith("llama4") else 0
    return {"shared_experts": count, "shared_intermediate_size": width if count else None}


def _sparse_layers(config: Config, layers: int) -> dict[str, int]:
    """Which layers hold experts: after the first dense ones, every `moe_every`-th."""
    first = whole(config, "first_k_dense_replace", "moe_layer_start_index", low=0, high=layers) or 0
    listed, frequency = config.get("mlp_only_layers"), config.get("moe_layer_freq")
    if isinstance(listed, list):
        first += min(len(listed), layers - first)
    if isinstance(frequency, list):
        first, frequency = sum(mark == 0 for mark in frequency), None
    step = whole(
        {**config, "moe_layer_freq": frequency},
        "decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", "moe_layer_freq", high=layers,
    )  # fmt: skip
    return {"first_dense_layers": min(first, layers), "moe_every": step or 1}


def vision_params(config: Config) -> int | None:
    """Elements of a vision transformer and the layers that join it to the text; None where none is described.

    From width, depth and feed-forward width alone, within about 10 % of published totals.
    """
    vision = part(config, "vision_config") or part(part(config, "thinker_config"), "vision_config")
    h = whole(vision, "embed_dim", "hidden_size", high=100_000)
    if word(vision, "model_type").startswith("qwen2_5"):  # there hidden_size is the vision width
        h = whole(vision, "hidden_size", high=100_000)
    depth = whole(vision, "depth", "num_hidden_layers", high=1000)
    if not h or not depth:
        return None
    inner = whole(vision, "intermediate_size", high=WIDEST) or 4 * h
    gated = 3 if word(vision, "hidden_act") == "silu" else 2
    patches = 3 * 14 * 14 * 2 * h
    joined = h * (whole(vision, "spatial_merge_size", high=16) or 1) ** 2
    out = whole(vision, "out_hidden_size", high=100_000) or whole(language(config), "hidden_size", high=WIDEST) or h
    return depth * (4 * h * h + gated * h * inner) + patches + joined * joined + joined * out


def language(config: Config) -> Config:
    """The nested text part, empty where there is none."""
    return part(config, "text_config") or part(config, "llm_config")
