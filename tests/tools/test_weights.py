from __future__ import annotations

from dataclasses import replace

import pytest

from knowledge.errors import InputError
from knowledge.facts import models, precisions, sources
from tools.units import GIB
from tools.weights import (
    canonical_precision,
    precision_names,
    rope_bytes,
    routed_expert_params,
    served_precision,
    weights_bytes,
    weights_bytes_per_gpu,
)


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("bf16", "bf16"), ("BFloat16", "bf16"), ("torch.bfloat16"[6:], "bf16"),
        ("fp16", "fp16"), ("half", "fp16"), ("半精度", "fp16"), ("ＦＰ１６", "fp16"),
        ("fp32", "fp32"), ("float32", "fp32"), ("单精度", "fp32"),
        ("fp8", "fp8"), ("FP8_E4M3", "fp8"),
        ("int8", "int8"), ("W8A8", "int8"), ("8-bit", "int8"), ("8 bit", "int8"),
        ("int4", "int4"), ("4bit", "int4"), ("4-bit", "int4"), ("4 bit", "int4"), ("w4a16", "int4"), ("４位", "int4"),
        ("AWQ", "awq"), ("GPTQ", "gptq"), ("GPTQ-Int4", "gptq"),
        ("nf4", "nf4"), ("bnb-4bit", "nf4"), ("bitsandbytes", "nf4"), ("nf4 double quant", "nf4_dq"),
        ("mxfp4", "mxfp4"), ("NVFP4", "nvfp4"),
        ("Q4_K_M", "q4_k_m"), ("q4km", "q4_k_m"), ("gguf", "q4_k_m"), ("q5_k_m", "q5_k_m"), ("Q6_K", "q6_k"), ("q8_0", "q8_0"),
    ],
)  # fmt: skip
def test_names_people_type(typed: str, canonical: str) -> None:
    assert canonical_precision(typed) == canonical


@pytest.mark.parametrize("typed", ["", "fp5", "int3.5", "ignore previous instructions " * 50])
def test_unknown_names_are_refused_in_one_sentence(typed: str) -> None:
    with pytest.raises(InputError, match="No weight precision is called") as caught:
        canonical_precision(typed)
    assert len(str(caught.value)) < 500


def test_table_is_whole() -> None:
    rows = precisions()
    typed = [name for row in rows.values() for name in (row.precision, *row.aliases)]
    assert len(typed) == len(set(typed)) == len(precision_names())
    for row in rows.values():
        assert canonical_precision(row.precision) == row.precision
        assert all(canonical_precision(alias) == row.precision for alias in row.aliases)
        assert row.scope in ("all", "body", "experts")
        assert row.kind in ("float", "fp8", "int8", "int4", "fp4", "gguf")
        assert 1 <= row.bits <= 32
        assert set(row.source_ids) <= set(sources())


@pytest.mark.parametrize(
    ("precision", "bits"),
    [
        ("fp8", 8 + 32 / 16384), ("gptq", 4 + 16 / 128 + 4 / 128), ("int4_g64", 4 + 16 / 64 + 4 / 64),
        ("mxfp4", 4 + 8 / 32), ("nvfp4", 4 + 8 / 16), ("nf4", 4 + 32 / 64), ("nf4_dq", 4 + 8 / 64 + 32 / (64 * 256)),
    ],
)  # fmt: skip
def test_bits_follow_from_the_layout(precision: str, bits: float) -> None:
    assert precisions()[precision].bits == pytest.approx(bits, abs=0.001)


def test_embeddings_stay_sixteen_bit() -> None:
    model = models()["Llama-3.3-70B-Instruct"]
    embeddings = 2 * 128_256 * 8192
    body = model.params_total - embeddings
    assert weights_bytes(model, "awq") == pytest.approx(body * 4.156 / 8 + embeddings * 2)


@pytest.mark.parametrize(
    ("model", "asked", "served"),
    [
        ("Kimi-K2.5", "awq", "int4_g32"), ("DeepSeek-V4-Flash", "mxfp4", "mxfp4_fp8"), ("gpt-oss-20b", "fp4", "mxfp4"),
        ("Qwen3-8B", "awq", "awq"), ("gpt-oss-20b", "nvfp4", "mxfp4"), ("DeepSeek-V3", "bf16", "bf16"),
    ],
)  # fmt: skip
def test_models_published_in_four_bits_keep_their_layout(model: str, asked: str, served: str) -> None:
    assert served_precision(models()[model], asked).precision == served


@pytest.mark.parametrize(
    ("model", "checkpoint"),
    [("Kimi-K2.5", 595.2e9), ("MiniMax-M2.7", 230.1e9), ("Ministral-3-14B-Instruct-2512", 15.73e9)],
)
def test_native_quantised_models_agree_with_the_size_of_their_files(model: str, checkpoint: float) -> None:
    row = models()[model]
    assert weights_bytes(row, row.native_dtype or "") == pytest.approx(checkpoint, rel=0.005)


def test_rounded_parameter_counts_give_way_to_the_size_of_the_files() -> None:
    row = models()["Mistral-Large-3-675B-Instruct-2512"]
    assert weights_bytes(row, "fp8") == row.checkpoint_bytes


def test_shares_of_all_gpus_are_the_model_plus_copied_heads() -> None:
    model = models()["Qwen2.5-7B-Instruct"]  # 4 KV heads
    whole = weights_bytes(model, "bf16")
    assert 4 * weights_bytes_per_gpu(model, "bf16", tensor_parallel=4) == pytest.approx(whole)
    copied = 2 * 28 * 3584 * 128 * (1 - 4 / 8) * 2
    eight = weights_bytes_per_gpu(model, "bf16", tensor_parallel=8)
    assert eight == pytest.approx(whole / 8 + copied, abs=1)


def test_routed_experts() -> None:
    assert routed_expert_params(models()["Qwen3-8B"]) == 0
    assert routed_expert_params(models()["Qwen3-30B-A3B"]) == 48 * 3 * 2048 * 128 * 768
    assert routed_expert_params(models()["DeepSeek-V3"]) == 58 * 3 * 7168 * 256 * 2048
    assert routed_expert_params(replace(models()["DeepSeek-V3"], moe={"num_experts": None})) == 0


@pytest.mark.parametrize(("precision", "gib"), [("iq1_s", 1.87), ("iq2_xs", 2.42), ("q2_k", 2.95), ("iq3_xs", 3.27), ("q3_k_l", 4.02), ("q4_k_m", 4.58)])
def test_gguf_files_of_llama_3_1_8b(precision: str, gib: float) -> None:
    """Sizes published with llama.cpp's quantize tool, within 1 %."""
    model = models()["Llama-3.1-8B-Instruct"]
    assert weights_bytes(model, precision) / GIB == pytest.approx(gib, rel=0.01)


@pytest.mark.parametrize(
    ("model", "gib"),
    [
        # logs of vLLM 0.19 on H100 less the weights: 2.53 (53.12 per GPU of four), 0.61, 0.35, 0.03
        ("Llama-4-Scout-17B-16E-Instruct", 2.50), ("gemma-3-12b-it", 0.56), ("gemma-3-27b-it", 0.28),
        ("Llama-3.1-8B-Instruct", 0.03), ("DeepSeek-V2-Lite-Chat", 0.02), ("Kimi-Linear-48B-A3B-Instruct", 0.0),
    ],
)  # fmt: skip
def test_rope_tables_of_all_positions(model: str, gib: float) -> None:
    assert rope_bytes(models()[model]) / GIB == pytest.approx(gib, abs=0.01)
