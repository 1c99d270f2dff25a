"""How PyTorch before 1.11 kept tensors for the backward pass where it differs from today's.

softmax and log_softmax kept input and output, today the output alone (pytorch/pytorch issues 49600 and 64000, change 65242).
ReLU that is not in place kept its input (derivatives.yaml had `relu: threshold_backward(grad, self, 0)`), today its result, which the
next convolution keeps anyway: published ERFNet and HRNet, whose code has such ReLUs, need it.
In-place ReLU6 kept its result, where today's keeps a copy of its input: seen in today's trace (`_saved_self` is no
view of the output) and inferred for the old version from the published MobileNetV2 figures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

Replacement = Callable[..., Any]


class _KeepingSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: torch.Tensor, dim: int, log: bool) -> torch.Tensor:
        softmax = torch.ops.aten._log_softmax if log else torch.ops.aten._softmax
        result = softmax(scores, dim, False)
        ctx.save_for_backward(scores, result)
        ctx.dim, ctx.log = dim, log
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[Any, ...]:
        scores, result = ctx.saved_tensors
        backward = torch.ops.aten._log_softmax_backward_data if ctx.log else torch.ops.aten._softmax_backward_data
        return backward(gradients[0], result, ctx.dim, scores.dtype), None, None


class _KeepingResult(torch.autograd.Function):
    """An in-place activation that keeps its result only."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(value)
        ctx.save_for_backward(value)
        return value

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:
        (result,) = ctx.saved_tensors
        return torch.ops.aten.threshold_backward(gradients[0], result, 0)


class _KeepingInput(torch.autograd.Function):
    """Held without autograd's check that nothing wrote to it: only its bytes matter here."""

    @staticmethod
    def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:
        ctx.value = value.detach()
        return torch.ops.aten.relu(value)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten.threshold_backward(gradients[0], ctx.value, 0)


def _softmax(scores: torch.Tensor, dim: int = -1, *_: Any, **__: Any) -> Any:
    return _KeepingSoftmax.apply(scores, dim, False)


def _log_softmax(scores: torch.Tensor, dim: int = -1, *_: Any, **__: Any) -> Any:
    return _KeepingSoftmax.apply(scores, dim, True)


def _cross_entropy(scores: torch.Tensor, target: torch.Tensor, *args: Any, **options: Any) -> Any:
    kept = {name: options[name] for name in ("weight", "ignore_index", "reduction") if name in options}
    return F.nll_loss(_KeepingSoftmax.apply(scores, 1, True), target, *args, **kept)


def _hardtanh(value: torch.Tensor, low: float = -1.0, high: float = 1.0, inplace: bool = False, **bounds: float) -> Any:
    low, high = bounds.get("min_val", low), bounds.get("max_val", high)
    if inplace and value.requires_grad:
        return _KeepingResult.apply(value)
    return F.hardtanh(value, low, high, inplace)


def _relu(value: torch.Tensor, inplace: bool = False) -> Any:
    return F.relu(value, inplace) if inplace or not value.requires_grad else _KeepingInput.apply(value)


def _relu6(value: torch.Tensor, inplace: bool = False) -> Any:
    return _hardtanh(value, 0.0, 6.0, inplace)


def _hardswish(value: torch.Tensor, inplace: bool = False) -> Any:
    """Before nn.Hardswish came into use it was put together from three operations."""
    return value * _hardtanh(value + 3, 0.0, 6.0, True) / 6


REPLACED: dict[Any, Replacement] = {
    F.softmax: _softmax, torch.softmax: _softmax, torch.Tensor.softmax: _softmax,
    F.log_softmax: _log_softmax, torch.log_softmax: _log_softmax, torch.Tensor.log_softmax: _log_softmax,
    F.cross_entropy: _cross_entropy,
    F.relu: _relu, torch.relu: _relu, F.relu6: _relu6, F.hardtanh: _hardtanh, F.hardswish: _hardswish,
}  # fmt: skip
SOFTMAXES = frozenset(REPLACED) - {F.relu, torch.relu, F.relu6, F.hardtanh, F.hardswish}
"""Those that mixed precision computes in fp32."""
