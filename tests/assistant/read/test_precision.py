"""The precision of the weights apart from that of the KV cache."""

import pytest

from assistant.read.normalise import normalise
from assistant.read.precision import find_precisions


@pytest.mark.parametrize(
    ("text", "weights", "kv"),
    [
        ("4bit KV fp8", ("int4",), "fp8"), ("bf16 KV fp8", ("bf16",), "fp8"), ("bf16，KV 用 fp8", ("bf16",), "fp8"),
        ("awq kv cache fp8", ("awq",), "fp8"), ("fp8 kv", (), "fp8"), ("权重 int4，KV fp8", ("int4",), "fp8"),
        ("int4 weights with fp8 KV cache", ("int4",), "fp8"), ("权重用 bf16 KV 缓存用 fp8", ("bf16",), "fp8"),
        ("int8 KV cache, bf16 weights", ("bf16",), "int8"), ("int8 kv cache bf16 weights", ("bf16",), "int8"),
        ("KV 缓存 fp8 权重 int4", ("int4",), "fp8"), ("weights in fp8, KV in bf16", ("fp8",), "bf16"),
        ("ＦＰ８ 的 KV", (), "fp8"), ("fp8 weights and fp8 kv", ("fp8",), "fp8"), ("bf16, FP8 or INT4?", ("bf16", "fp8", "int4"), None),
    ],
)  # fmt: skip
def test_weights_and_cache(text: str, weights: tuple[str, ...], kv: str | None) -> None:
    found = find_precisions(normalise(text))
    assert (found.weights, found.kv) == (weights, kv)


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("1.58bit", "iq1_s"), ("1.58-bit dynamic quant", "iq1_s"), ("１.５８ｂｉｔ 动态量化", "iq1_s"), ("1.73 bit", "iq1_s"), ("2.22bit", "iq2_xxs"), ("1.8bit", "iq1_s"),
        ("IQ1_S (1.58bit)", "iq1_s"), ("2.51bit", "iq2_xs"), ("4.65bpw", "q4_k_s"), ("6 bits per weight", "q6_k"), ("2.5 比特", "iq2_xs"),
        ("2bit", "q2_k"), ("2-bit", "q2_k"), ("two-bit", "q2_k"), ("int2", "q2_k"), ("2 位量化", "q2_k"),
        ("3bit", "q3_k_m"), ("3 bit", "q3_k_m"), ("int3", "q3_k_m"), ("３ｂｉｔ", "q3_k_m"), ("三位量化", "q3_k_m"), ("GPTQ 3bit", "q3_k_m"),
        ("5bit", "q5_k_m"), ("5-bit", "q5_k_m"), ("5 位量化", "q5_k_m"), ("6bit", "q6_k"), ("6-bit", "q6_k"), ("6 比特", "q6_k"), ("int6", "q6_k"),
        ("Q4_K_M 4bit", "q4_k_m"), ("4bit Q4_K_M", "q4_k_m"), ("Q2_K，2bit", "q2_k"), ("4bit", "int4"), ("8bit", "int8"),
    ],
)  # fmt: skip
def test_widths_in_bits(text: str, weights: str) -> None:
    assert find_precisions(normalise(text)).weights == (weights,)


@pytest.mark.parametrize("text", ["8 位同事用", "4 位用户", "6 位用户", "8 位老师同时在线", "64-bit Linux", "a 384-bit bus", "a bit more", "19.5bit", "int3.5"])
def test_no_widths(text: str) -> None:
    assert find_precisions(normalise(text)).weights == ()


def test_two_widths_are_two_precisions() -> None:
    assert find_precisions("3bit vs 4bit").weights == ("q3_k_m", "int4")
    assert find_precisions("q4_k_m or int4?").weights == ("q4_k_m", "int4")
