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
