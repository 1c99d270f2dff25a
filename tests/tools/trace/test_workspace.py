"""Buffers of Winograd convolutions and of operations made of several kernels."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from tools.trace.workspace import temporary_bytes, winograd_bytes  # noqa: E402

FORWARD = "aten.convolution.default"


def arguments(*, size: int = 128, kernel: int = 3, stride: int = 1, dilation: int = 1, dtype: Any = None) -> tuple[Any, ...]:
    source = torch.empty(2, 64, size, size, device="meta", dtype=dtype)
    filters = torch.empty(32, 64, kernel, kernel, device="meta", dtype=dtype)
    return (source, filters, None, [stride] * 2, [1, 1], [dilation] * 2, False, [0, 0], 1)


def test_formula() -> None:
    tiles = 2 * 32 * 32
    assert winograd_bytes(FORWARD, arguments()) == 4 * 36 * (64 * tiles + 32 * tiles + 64 * 32)


@pytest.mark.parametrize("change", [{"kernel": 1}, {"stride": 2}, {"dilation": 2}, {"dtype": torch.float16}, {"size": 8}])
def test_other_convolutions_take_none(change: dict[str, Any]) -> None:
    assert winograd_bytes(FORWARD, arguments(**change)) == 0


def test_softmax_backward_takes_a_product() -> None:
    value = torch.empty(8, 1024, device="meta")
    assert temporary_bytes("aten._softmax_backward_data.default", (value, value), old=False) == 8 * 1024 * 4
    assert temporary_bytes("aten._log_softmax_backward_data.default", (value, value), old=False) == 0
    assert temporary_bytes("aten.binary_cross_entropy_with_logits.default", (value,), old=True) == 4 * 8 * 1024 * 4
