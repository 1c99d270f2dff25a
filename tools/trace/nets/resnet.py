"""ResNet and its kin: V1c (deep stem), ResNeXt, ResNeSt; output strides 8, 16 and 32 by dilation."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .layers import Backbone, ConvNorm

DEPTHS = {18: (2, 2, 2, 2), 34: (3, 4, 6, 3), 50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}
STRIDES = {8: (1, 2, 1, 1), 16: (1, 2, 2, 1), 32: (1, 2, 2, 2)}
DILATIONS = {8: (1, 1, 2, 4), 16: (1, 1, 1, 2), 32: (1, 1, 1, 1)}


class Residual(nn.Module):
    """Adds the input, through `short` where shapes differ, and applies ReLU in place."""

    def __init__(self, body: nn.Module, short: nn.Module | None) -> None:
        super().__init__()
        self.body, self.short, self.relu = body, short, nn.ReLU(inplace=True)

    def forward(self, value: Tensor) -> Tensor:
        result = self.body(value)
        result += value if self.short is None else self.short(value)
        return self.relu(result)


def basic(ins: int, width: int, *, stride: int = 1, dilation: int = 1, short: nn.Module | None = None) -> Residual:
    """Two 3 × 3 convolutions; the second is never dilated."""
    first = ConvNorm(ins, width, 3, stride, dilation=dilation)
    return Residual(nn.Sequential(first, ConvNorm(width, width, 3, act="")), short)


def bottleneck(
    ins: int, width: int, *, stride: int = 1, dilation: int = 1, short: nn.Module | None = None, middle: nn.Module | None = None,
    inner: int | None = None, outs: int | None = None,
) -> Residual:  # fmt: skip
    """1 × 1, 3 × 3, 1 × 1 with four times the width at its end."""
    inner, outs = inner or width, outs or 4 * width
    middle = middle or ConvNorm(inner, inner, 3, stride, dilation=dilation)
    return Residual(nn.Sequential(ConvNorm(ins, inner), middle, ConvNorm(inner, outs, act="")), short)


class SplitAttention(nn.Module):
    """ResNeSt's convolution in `radix` splits that are weighed against each other."""

    def __init__(self, width: int, *, dilation: int, radix: int = 2, reduction: int = 4) -> None:
        super().__init__()
        self.radix, self.width = radix, width
        inner = max(width * radix // reduction, 32)
        self.conv = ConvNorm(width, width * radix, 3, dilation=dilation, groups=radix)
        self.squeeze, self.weigh = ConvNorm(width, inner), nn.Conv2d(inner, width * radix, 1)

    def forward(self, value: Tensor) -> Tensor:
        splits = self.conv(value)
        batch, _, height, wide = splits.shape
        splits = splits.view(batch, self.radix, self.width, height, wide)
        pooled = nn.functional.adaptive_avg_pool2d(splits.sum(1), 1)
        weights = self.weigh(self.squeeze(pooled)).view(batch, 1, self.radix, -1).transpose(1, 2)
        weights = torch.softmax(weights, 1).reshape(batch, self.radix, self.width, 1, 1)
        return (splits * weights).sum(1).contiguous()


class ResNet(Backbone):
    """`kind` is plain, resnext (32 groups of 4) or resnest; `deep_stem` three 3 × 3 convolutions in place of one 7 × 7."""

    def __init__(
        self, depth: int = 50, *, stride: int = 8, deep_stem: bool = True, kind: str = "plain", base: int = 64,
        dilations: Sequence[int] | None = None, strides: Sequence[int] | None = None, grid: Sequence[int] = (), ins: int = 3,
        contract: bool = True, average_down: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kind, self.average_down = kind, average_down or kind == "resnest"
        stem_width = 2 * base if kind == "resnest" else base
        self.stem = _stem(ins, stem_width, deep=deep_stem)
        self.early_channels = stem_width
        self.expansion = 1 if depth < 50 else 4
        self.layers = nn.ModuleList()
        width_in, self.channels = stem_width, []
        strides, dilations = strides or STRIDES[stride], dilations or DILATIONS[stride]
        for k, count in enumerate(DEPTHS[depth]):
            dilation = dilations[k]
            each = list(grid) if grid and k == 3 else [1] * count
            each = [dilation * factor for factor in each]
            if contract and dilation > 1 and not (grid and k == 3):
                each[0] = dilation // 2
            self.layers.append(self._stage(width_in, base * 2**k, strides[k], each))
            width_in = base * 2**k * self.expansion
            self.channels.append(width_in)

    def _stage(self, ins: int, width: int, stride: int, dilations: Sequence[int]) -> nn.Sequential:
        outs = width * self.expansion
        blocks = []
        for index, dilation in enumerate(dilations):
            step = stride if index == 0 else 1
            short = self._short(ins, outs, step) if index == 0 and (step != 1 or ins != outs) else None
            blocks.append(self._block(ins, width, step, dilation, short))
            ins = outs
        return nn.Sequential(*blocks)

    def _short(self, ins: int, outs: int, stride: int) -> nn.Module:
        if not self.average_down:
            return ConvNorm(ins, outs, 1, stride, act="")
        pool = nn.AvgPool2d(stride, stride, ceil_mode=True, count_include_pad=False)
        return nn.Sequential(*([pool] if stride != 1 else []), ConvNorm(ins, outs, act=""))

    def _block(self, ins: int, width: int, stride: int, dilation: int, short: nn.Module | None) -> Residual:
        if self.expansion == 1:
            return basic(ins, width, stride=stride, dilation=dilation, short=short)
        if self.kind == "resnest":
            pool = [nn.AvgPool2d(3, stride, 1)] if stride > 1 else []
            middle = nn.Sequential(SplitAttention(width, dilation=dilation), *pool)
            return bottleneck(ins, width, short=short, middle=middle)
        if self.kind == "resnext":
            inner = width * 2
            middle = ConvNorm(inner, inner, 3, stride, dilation=dilation, groups=32)
            return bottleneck(ins, width, short=short, middle=middle, inner=inner)
        return bottleneck(ins, width, stride=stride, dilation=dilation, short=short)

    def stages(self) -> list[nn.Module]:
        return [self.stem, *self.layers]

    def forward(self, value: Tensor) -> list[Tensor]:
        return self._run_layers(self.stem(value))

    def pyramid(self, value: Tensor) -> list[Tensor]:
        """The feature of stride 2 as well."""
        early = self.stem[:-1](value)
        return [early, *self._run_layers(self.stem[-1](early))]

    def _run_layers(self, value: Tensor) -> list[Tensor]:
        features = []
        for layer in self.layers:
            value = layer(value)
            features.append(value)
        return features


def _stem(ins: int, width: int, *, deep: bool) -> nn.Sequential:
    half = width // 2
    deeply = [ConvNorm(ins, half, 3, 2), ConvNorm(half, half, 3), ConvNorm(half, width, 3)]
    return nn.Sequential(*(deeply if deep else [ConvNorm(ins, width, 7, 2)]), nn.MaxPool2d(3, 2, 1))
