"""Layers that most networks share."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def resize(value: Tensor, size: Sequence[int]) -> Tensor:
    """Bilinear to height and width `size`."""
    return F.interpolate(value, size=tuple(size), mode="bilinear", align_corners=False)


def size_of(value: Tensor) -> tuple[int, int]:
    return int(value.shape[2]), int(value.shape[3])


def activation(name: str) -> nn.Module:
    kinds = {"relu": nn.ReLU, "relu6": nn.ReLU6, "hardswish": nn.Hardswish, "silu": nn.SiLU, "hardsigmoid": nn.Hardsigmoid}
    if name in kinds:
        return kinds[name](inplace=True)
    return {"sigmoid": nn.Sigmoid, "gelu": nn.GELU, "relu-copy": nn.ReLU}[name]()


class ConvNorm(nn.Sequential):
    """Convolution, batch norm, activation in place; `act` and `norm` may be empty."""

    def __init__(
        self, ins: int, outs: int, kernel: int = 1, stride: int = 1, *, dilation: int = 1, groups: int = 1,
        act: str = "relu", norm: bool = True, padding: int | None = None,
    ) -> None:  # fmt: skip
        pad = kernel // 2 * dilation if padding is None else padding
        layers: list[nn.Module] = [nn.Conv2d(ins, outs, kernel, stride, pad, dilation, groups, bias=not norm)]
        if norm:
            layers.append(nn.BatchNorm2d(outs))
        if act:
            layers.append(activation(act))
        super().__init__(*layers)


class Separable(nn.Sequential):
    """Depthwise convolution, then pointwise, each with norm and activation."""

    def __init__(self, ins: int, outs: int, kernel: int = 3, stride: int = 1, *, dilation: int = 1) -> None:
        super().__init__(ConvNorm(ins, ins, kernel, stride, dilation=dilation, groups=ins), ConvNorm(ins, outs))


class DropPath(nn.Module):
    """Stochastic depth: drops the branch of whole samples."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, value: Tensor) -> Tensor:
        if self.rate == 0 or not self.training:
            return value
        shape = (value.shape[0],) + (1,) * (value.dim() - 1)
        kept = torch.rand(shape, dtype=value.dtype, device=value.device) + (1 - self.rate)
        return value.div(1 - self.rate) * kept.floor()


class Mlp(nn.Module):
    """Two linear layers with GELU."""

    def __init__(self, width: int, ratio: int = 4) -> None:
        super().__init__()
        self.widen, self.act, self.narrow = nn.Linear(width, ratio * width), nn.GELU(), nn.Linear(ratio * width, width)

    def forward(self, value: Tensor) -> Tensor:
        return self.narrow(self.act(self.widen(value)))


class ImageNorm(nn.LayerNorm):
    """Layer norm over the channels of an image."""

    def forward(self, value: Tensor) -> Tensor:
        last = F.layer_norm(value.permute(0, 2, 3, 1).contiguous(), self.normalized_shape, self.weight, self.bias, self.eps)
        return last.permute(0, 3, 1, 2).contiguous()


def rates(highest: float, depths: Sequence[int]) -> list[list[float]]:
    """Stochastic depth of each block, growing linearly from 0 to `highest` over all stages."""
    last = max(sum(depths) - 1, 1)
    flat = [highest * index / last for index in range(sum(depths))]
    starts = [sum(depths[:k]) for k in range(len(depths))]
    return [flat[start : start + depth] for start, depth in zip(starts, depths, strict=True)]


class Backbone(nn.Module):
    """Features of several strides, finest first; `channels` are theirs, `stages` what can be frozen or checkpointed."""

    channels: list[int]

    def stages(self) -> list[nn.Module]:
        """Stem first, then the stages in order."""
        return list(self.children())

    def blocks(self) -> list[nn.Module]:
        """The blocks whose activations checkpointing recomputes."""
        found: list[nn.Module] = []
        for stage in self.stages()[1:]:
            found += list(stage.children()) or [stage]
        return found
