"""Batch norm with the tensors that cuDNN's keeps and nothing of its sums, which the meta device works out slowly."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


class _BatchNorm(torch.autograd.Function):
    """Keeps the input, the weight, and mean and deviation of the batch."""

    @staticmethod
    def forward(ctx: Any, value: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        mean, deviation = weight.new_empty(value.shape[1]), weight.new_empty(value.shape[1])
        ctx.save_for_backward(value, weight, mean, deviation)
        return torch.empty_like(value)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        value, weight, _, _ = ctx.saved_tensors
        wanted = ctx.needs_input_grad
        sums = [weight.new_empty(weight.shape) if need else None for need in wanted[1:]]
        return torch.empty_like(gradients[0]) if wanted[0] else None, *sums


def batch_norm(
    value: Tensor, mean: Any, variance: Any, weight: Any = None, bias: Any = None, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """F.batch_norm over this card's values: more than one for each channel, as PyTorch demands of training."""
    if training and value.numel() == value.shape[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {tuple(value.shape)}")
    return batch_norm_across_cards(value, mean, variance, weight, bias, training, momentum, eps)


def batch_norm_across_cards(
    value: Tensor, mean: Any, variance: Any, weight: Any = None, bias: Any = None, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """F.batch_norm where other cards have more values for each channel (SyncBN)."""
    if not training or weight is None or bias is None:
        return torch.batch_norm(value, weight, bias, mean, variance, training, momentum, eps, False)
    return _BatchNorm.apply(value, weight, bias)
