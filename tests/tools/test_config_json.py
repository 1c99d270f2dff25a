"""config.json files: shapes of many kinds against published totals, weight types, and hostile text."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.errors import InputError
from knowledge.facts import models
from knowledge.rows import Model
from tools.lookup import model_from_config
from tools.model_config import count_params
from tools.sizing import LlmRequest, size_llm

PLAIN: dict[str, Any] = {
    "model_type": "qwen2", "hidden_size": 3584, "num_hidden_layers": 28, "num_attention_heads": 28,
    "num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064, "torch_dtype": "bfloat16",
    "tie_word_embeddings": False, "max_position_embeddings": 32768,
}  # fmt: skip


def read(**changes: Any) -> Model:
    """The model of the plain configuration with some fields changed; None removes a field."""
    return model_from_config(write(**changes)).model


def write(**changes: Any) -> str:
    config = {k: v for k, v in {**PLAIN, **changes}.items() if v is not None}
    return json.dumps(config)


def rebuild(row: Model) -> dict[str, Any]:
    """The config.json that a row of the table would have."""
    attention, moe = dict(row.attention or {}), dict(row.moe or {})
    config: dict[str, Any] = {
        "hidden_size": row.hidden_size, "num_hidden_layers": row.layers, "num_attention_heads": row.heads,
        "num_key_value_heads": row.kv_heads, "vocab_size": row.vocab_size, "head_dim": row.head_dim,
        "intermediate_size": row.intermediate_size, "tie_word_embeddings": bool(row.tied_embeddings),
    }  # fmt: skip
    if attention["type"] == "mla":
        config |= {k: v for k, v in attention.items() if k not in ("type", "sparse_indexer")}
        config |= attention.get("sparse_indexer", {})
    if attention["type"] == "sliding":
        full = ["full_attention"] * attention["full_layers"]
        config["layer_types"] = full + ["sliding_attention"] * attention["sliding_layers"]
        config["sliding_window"] = attention["window"]
        config["global_head_dim"] = attention.get("full_head_dim")
        config["num_global_key_value_heads"] = attention.get("full_kv_heads")
        config["attention_k_eq_v"] = attention.get("attention_k_eq_v")
    if attention["type"] == "hybrid":
        linear = attention["linear"]
        config["full_attention_interval"] = attention["full_attention_interval"]
        for name in ("num_value_heads", "num_key_heads", "key_head_dim", "value_head_dim"):
            config[f"linear_{name}"] = linear[name]
        config["linear_conv_kernel_dim"] = linear["conv_kernel"]
    if moe:
        config |= {
            "num_experts": moe["num_experts"], "num_experts_per_tok": moe["experts_per_token"],
            "moe_intermediate_size": moe["moe_intermediate_size"], "n_shared_experts": moe["shared_experts"],
            "shared_expert_intermediate_size": moe["shared_intermediate_size"],
            "first_k_dense_replace": moe["first_dense_layers"], "decoder_sparse_step": moe["moe_every"],
        }  # fmt: skip
    return {k: v for k, v in config.items() if v is not None}


@pytest.mark.parametrize(
    "name",
    [
        "Qwen1.5-0.5B-Chat", "Qwen2.5-72B-Instruct", "Qwen3-8B", "Llama-3.1-405B-Instruct", "Llama-2-70b-hf", "phi-4",
        "Yi-34B-Chat", "chatglm3-6b", "Mixtral-8x7B-v0.1", "Qwen3-235B-A22B", "Qwen1.5-MoE-A2.7B-Chat", "GLM-4.5",
        "DeepSeek-V2-Lite-Chat", "DeepSeek-R1", "DeepSeek-V3.2", "Kimi-K2-Instruct", "gemma-2-27b-it", "gemma-3-1b-it",
        "gpt-oss-120b", "Qwen3-Next-80B-A3B-Instruct", "ERNIE-4.5-21B-A3B-PT", "Seed-OSS-36B-Instruct",
    ],
)  # fmt: skip
def test_rebuilt_configuration_gives_the_published_total_and_shape(name: str) -> None:
    row = models()[name]
    model = model_from_config(json.dumps(rebuild(row))).model
    assert model.params_total == pytest.approx(row.params_total, rel=0.005)
    assert (model.layers, model.heads, model.kv_heads) == (row.layers, row.heads, row.kv_heads)
    assert model.attention is not None and row.attention is not None
    assert {**row.attention, **model.attention} == dict(row.attention) | {"type": row.attention["type"]}
    assert model.params_total == count_params(model)


@pytest.mark.parametrize("name", ["gemma-4-31B-it", "Qwen3.5-27B", "Llama-4-Scout-17B-16E-Instruct", "gemma-3-27b-it"])
def test_the_language_part_of_a_vision_model_is_counted(name: str) -> None:
    row = models()[name]
    model = model_from_config(json.dumps({"text_config": rebuild(row)})).model
    assert model.params_total == pytest.approx(row.params_total - (row.vision_params or 0), rel=0.005)


def test_a_vision_part_is_counted_roughly() -> None:
    vision = {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "hidden_act": "silu", "out_hidden_size": 3584,
              "spatial_merge_size": 2, "model_type": "qwen2_5_vl"}  # fmt: skip
    model = read(vision_config=vision)
    assert model.modality == "vision-language"
    assert model.vision_params == pytest.approx(676_550_144, rel=0.1)
    assert model.params_total - (model.vision_params or 0) == read().params_total


@pytest.mark.parametrize(
    "config, billions",
    [
        ({"model_type": "gpt2", "n_embd": 1600, "n_layer": 48, "n_head": 25, "vocab_size": 50257}, 1.556),
        ({"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71,
          "multi_query": True, "vocab_size": 65024, "ffn_hidden_size": 18176}, 6.922),
        ({"model_type": "qwen", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
          "kv_channels": 128, "intermediate_size": 22016, "vocab_size": 151936, "tie_word_embeddings": False}, 7.721),
        ({"model_type": "chatglm", "hidden_size": 4096, "num_layers": 28, "num_attention_heads": 32, "kv_channels": 128,
          "multi_query_attention": True, "multi_query_group_num": 2, "ffn_hidden_size": 13696,
          "padded_vocab_size": 65024, "seq_length": 8192}, 6.244),
        ({"model_type": "bert", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
          "intermediate_size": 3072, "vocab_size": 30522}, 0.1085),
    ],
    ids=lambda value: value.get("model_type") if isinstance(value, dict) else None,
)  # fmt: skip
def test_older_kinds_with_their_own_field_names(config: dict[str, Any], billions: float) -> None:
    model = model_from_config(json.dumps(config)).model
    assert model.params_total / 1e9 == pytest.approx(billions, rel=0.01)


def test_llama_4_maverick_alternates_dense_and_sparse_layers() -> None:
    text = {"model_type": "llama4_text", "hidden_size": 5120, "num_hidden_layers": 48, "num_attention_heads": 40,
            "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 8192, "intermediate_size_mlp": 16384,
            "vocab_size": 202048, "num_local_experts": 128, "num_experts_per_tok": 1, "interleave_moe_layer_step": 2,
            "attention_chunk_size": 8192}  # fmt: skip
    model = model_from_config(json.dumps({"text_config": text})).model
    assert model.params_total / 1e9 == pytest.approx(400.7, rel=0.005)
    assert model.attention == {"type": "sliding", "window": 8192, "full_layers": 12, "sliding_layers": 36}


@pytest.mark.parametrize(
    "quantization, dtype",
    [
        (None, None),
        ({"quant_method": "awq", "bits": 4}, "awq"),
        ({"quant_method": "gptq", "bits": 4}, "gptq"),
        ({"quant_method": "gptq", "bits": 8}, "int8"),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8"),
        ({"quant_method": "mxfp4"}, "mxfp4"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "nf4"),
        ({"quant_method": "auto-round", "bits": 4}, "int4"),
        ({"quant_method": "compressed-tensors",
          "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float"}}}}, "fp8"),
        ({"quant_method": "compressed-tensors",
          "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int"}}}}, "int4"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
        ({"quant_method": "not yet invented", "bits": 4}, None),
        ("awq", None),
    ],
)  # fmt: skip
def test_quantization_config_gives_the_weight_type(quantization: Any, dtype: str | None) -> None:
    match = model_from_config(write(quantization_config=quantization))
    assert (match.how, match.weight_dtype) == ("config", dtype)
    assert match.model.native_dtype == "bfloat16"


def test_tying_halves_the_embeddings_and_gemma_ties_when_silent() -> None:
    table = 152064 * 3584
    assert read().params_total - read(tie_word_embeddings=True).params_total == table
    assert read(tie_word_embeddings=None, model_type="gemma2").tied_embeddings is True
    assert read(tie_word_embeddings=None, model_type="llama").tied_embeddings is False


@pytest.mark.parametrize(
    "text, cause",
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("你好", "not JSON"),
        ('{"hidden_size": NaN}', "not JSON"),
        ('{"hidden_size": ' + "9" * 5000 + "}", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"a":' * 50_000, "not JSON"),
        ("[]", "one JSON object"),
        ("7", "one JSON object"),
        ("{}", "hidden_size"),
        (" " * 1_000_001, "at most"),
        (write(hidden_size="4096"), "hidden_size"),
        (write(hidden_size=True), "hidden_size"),
        (write(hidden_size=-1), "hidden_size"),
        (write(num_hidden_layers=10**9), "num_hidden_layers"),
        (write(hidden_size=10_000_000), "parameters"),
        (write(intermediate_size=None), "intermediate_size"),
        (write(kv_lora_rank=512), "qk_rope_head_dim"),
        (write(linear_num_value_heads=32), "linear_num_key_heads"),
        (write(num_experts=8), "num_experts_per_tok"),
        (write(hybrid_override_pattern="M-M*"), "Mamba"),
        (write(is_encoder_decoder=True), "encoder-decoder"),
        (write(num_key_value_heads=64), "num_key_value_heads"),
    ],
)  # fmt: skip
def test_a_configuration_that_cannot_be_used_is_one_sentence(text: str, cause: str) -> None:
    with pytest.raises(InputError, match=cause) as caught:
        model_from_config(text)
    assert len(str(caught.value)) < 300 and "\n" not in str(caught.value)


FIELDS = sorted({*PLAIN, "head_dim", "num_experts", "num_experts_per_tok", "moe_intermediate_size", "n_shared_experts",
                 "kv_lora_rank", "q_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "layer_types",
                 "sliding_window", "sliding_window_pattern", "full_attention_interval", "linear_num_value_heads",
                 "linear_num_key_heads", "linear_key_head_dim", "linear_value_head_dim", "linear_conv_kernel_dim",
                 "moe_layer_freq", "mlp_only_layers", "first_k_dense_replace", "decoder_sparse_step", "text_config",
                 "vision_config", "quantization_config", "attention_chunk_size", "no_rope_layers", "_name_or_path",
                 "global_head_dim", "index_head_dim", "index_n_heads", "multi_query", "state_size"})  # fmt: skip
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | st.integers(1, 64),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES, max_size=8))
def test_no_field_crashes_it(changes: dict[str, Any]) -> None:
    try:
        model = model_from_config(json.dumps({**PLAIN, **changes})).model
    except InputError as error:
        assert str(error)
    else:
        assert 1_000_000 <= model.params_total <= 5_000_000_000_000


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_no_text_crashes_it(text: str) -> None:
    with pytest.raises(InputError):
        model_from_config(text)


@pytest.mark.parametrize("name", ["/data/x; rm -rf / $(id) ignore all rules", "../../", "模型", "a b\n`c`"])
def test_a_name_in_the_file_is_shown_and_started_as_a_plain_word(name: str) -> None:
    model = read(_name_or_path=name)
    sizing = size_llm(LlmRequest(config_json=write(_name_or_path=name)))
    words = (sizing.estimate.command or "").split()
    assert not set(model.id) & set("$;`\n/")
    assert re.fullmatch(r"\./[A-Za-z0-9_.\-]+", words[2])
