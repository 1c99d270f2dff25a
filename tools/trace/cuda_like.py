"""Makes the meta device keep what CUDA keeps: autocast by CUDA's lists, dropout masks, fused attention, old PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from .attention import fused_attention, multi_head_attention
from .batch_norm import batch_norm, batch_norm_across_cards
from .old_torch import REPLACED, SOFTMAXES

HALF = frozenset({
    F.conv1d, F.conv2d, F.conv3d, F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d, F.linear,
    torch.conv1d, torch.conv2d, torch.conv3d, torch.matmul, torch.mm, torch.mv, torch.bmm, torch.baddbmm, torch.addmm, torch.addbmm,
    torch.einsum, torch.Tensor.matmul, torch.Tensor.__matmul__, torch.Tensor.__rmatmul__, torch.Tensor.mm, torch.Tensor.bmm,
    F.scaled_dot_product_attention, F.prelu, torch.prelu,
})  # fmt: skip
"""Operations that autocast runs in half precision on CUDA (pytorch.org/docs/stable/amp.html, CUDA op reference)."""
FULL = frozenset({
    F.layer_norm, F.group_norm, torch.layer_norm, torch.group_norm,
    F.softmax, torch.softmax, torch.Tensor.softmax, F.log_softmax, torch.log_softmax, torch.Tensor.log_softmax, F.softmin,
    F.cross_entropy, F.nll_loss, F.binary_cross_entropy_with_logits, F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.kl_div,
    F.cosine_similarity, torch.cosine_similarity, F.softplus,
    torch.exp, torch.Tensor.exp, torch.expm1, torch.log, torch.Tensor.log, torch.log1p, torch.pow, torch.Tensor.pow, torch.Tensor.__pow__,
    torch.rsqrt, torch.Tensor.rsqrt, torch.reciprocal, torch.sum, torch.Tensor.sum, torch.prod, torch.Tensor.prod,
    torch.cumsum, torch.Tensor.cumsum, torch.cumprod, torch.norm, torch.Tensor.norm, torch.cdist, torch.dist,
})  # fmt: skip
"""Operations that autocast runs in fp32 on CUDA (the same page)."""


class CudaLike(TorchFunctionMode):
    """`half` turns autocast on. `old` is PyTorch before 1.11. `across_cards` is batch norm over all cards (SyncBN)."""

    def __init__(self, half: torch.dtype | None = None, *, old: bool = False, across_cards: bool = False) -> None:
        super().__init__()
        self.half = half
        self._copies: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._special: dict[Any, Callable[..., Any]] = {F.dropout: _dropout, torch.Tensor.__bool__: _true}
        if old:
            self._special |= REPLACED
        else:
            self._special[F.scaled_dot_product_attention] = fused_attention
        self._special[F.batch_norm] = batch_norm_across_cards if across_cards else batch_norm

    def __enter__(self) -> CudaLike:
        ACTIVE.set(self)
        return super().__enter__()

    def forget_copies(self) -> None:
        """Drops the half-precision copies of weights, as leaving autocast does."""
        self._copies.clear()

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        kwargs = kwargs or {}
        if func is F.multi_head_attention_forward:
            with self:
                return multi_head_attention(*args, **kwargs)
        if self.half is not None:
            target = self._target(func)
            if target is not None:
                args = tuple(self._cast(value, target) for value in args)
                kwargs = {name: self._cast(value, target) for name, value in kwargs.items()}
        return self._special.get(func, func)(*args, **kwargs)

    def _target(self, func: Any) -> torch.dtype | None:
        if func in HALF:
            return self.half
        return torch.float32 if func in FULL or func in SOFTMAXES else None

    def _cast(self, value: Any, target: torch.dtype) -> Any:
        if isinstance(value, torch.Tensor):
            return self._cast_tensor(value, target)
        if isinstance(value, (list, tuple)):
            return type(value)(self._cast(item, target) for item in value)
        return value

    def _cast_tensor(self, value: torch.Tensor, target: torch.dtype) -> torch.Tensor:
        if not value.is_floating_point() or value.dtype in (target, torch.float64):
            return value
        if target == torch.float32 or not (value.is_leaf and value.requires_grad):
            return value.to(target)
        kept = self._copies.get(id(value))
        if kept is None:
            kept = self._copies[id(value)] = (value.to(target), value)
        return kept[0]


ACTIVE: ContextVar[CudaLike | None] = ContextVar("ACTIVE", default=None)
"""The mode entered last. Autograd leaves function modes before it runs a checkpointed block again."""


def recomputing() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """Contexts for the first and the second run of a checkpointed block."""
    return nullcontext(), ACTIVE.get() or nullcontext()


def _dropout(value: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """CUDA keeps a mask of one byte per value; the meta device would keep a float one."""
    return torch.native_dropout(value, p, True)[0] if training and p > 0 else value


def _true(_: torch.Tensor) -> bool:
    """A check on values takes its usual branch: there are no values."""
    return True
