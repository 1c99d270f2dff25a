"""Heads that look at several scales: pyramid pooling (PSPNet), dilated convolutions (DeepLab), feature pyramids (UPerNet)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .heads import Head
from .layers import ConvNorm, Separable, resize, size_of


class Pooling(nn.Module):
    """The image averaged to several small grids, each through a 1 × 1 convolution and back to full size."""

    def __init__(self, ins: int, width: int, scales: Sequence[int] = (1, 2, 3, 6)) -> None:
        super().__init__()
        self.scales = nn.ModuleList(nn.Sequential(nn.AdaptiveAvgPool2d(k), ConvNorm(ins, width)) for k in scales)

    def forward(self, value: Tensor) -> list[Tensor]:
        return [resize(scale(value), size_of(value)) for scale in self.scales]


class PSPHead(Head):
    def __init__(self, ins: int, width: int, classes: int, *, index: int = -1) -> None:
        super().__init__(width, classes, index=index)
        self.pool, self.join = Pooling(ins, width), ConvNorm(ins + 4 * width, width, 3)

    def features(self, features: list[Tensor]) -> Tensor:
        value = features[self.index]
        return self.join(torch.cat([value, *self.pool(value)], 1))

    def forward(self, features: list[Tensor]) -> Tensor:
        return self.classify(self.features(features))


class ASPPHead(Head):
    """DeepLabV3; with `separable` DeepLabV3+, whose fine features (`fine` channels) join at the end."""

    def __init__(
        self, ins: int, width: int, classes: int, *, dilations: Sequence[int] = (1, 12, 24, 36), index: int = -1,
        separable: bool = False, fine: int = 0, fine_width: int = 48,
    ) -> None:  # fmt: skip
        super().__init__(width, classes, index=index)
        self.pool = nn.Sequential(nn.AdaptiveAvgPool2d(1), ConvNorm(ins, width))
        self.branches = nn.ModuleList(_branch(ins, width, dilation, separable) for dilation in dilations)
        self.join = ConvNorm(width * (len(dilations) + 1), width, 3)
        self.fine = ConvNorm(fine, fine_width) if fine else None
        joined = width + (fine_width if fine else 0)
        self.refine = nn.Sequential(Separable(joined, width), Separable(width, width)) if separable else None

    def features(self, features: list[Tensor]) -> Tensor:
        value = self.join(self._scales(features[self.index]))
        if self.refine is not None:
            if self.fine is not None:
                fine = self.fine(features[0])
                value = torch.cat([resize(value, size_of(fine)), fine], 1)
            value = self.refine(value)
        return value

    def forward(self, features: list[Tensor]) -> Tensor:
        return self.classify(self.features(features))

    def _scales(self, value: Tensor) -> Tensor:
        pooled = resize(self.pool(value), size_of(value))
        return torch.cat([pooled, *[branch(value) for branch in self.branches]], 1)


def _branch(ins: int, width: int, dilation: int, separable: bool) -> nn.Module:
    if dilation == 1:
        return ConvNorm(ins, width)
    return Separable(ins, width, dilation=dilation) if separable else ConvNorm(ins, width, 3, dilation=dilation)


class UPerHead(Head):
    """A feature pyramid with pyramid pooling on its top."""

    def __init__(self, ins: Sequence[int], width: int, classes: int) -> None:
        super().__init__(width, classes)
        self.pool, self.top = Pooling(ins[-1], width), ConvNorm(ins[-1] + 4 * width, width, 3)
        self.sides = nn.ModuleList(ConvNorm(c, width) for c in ins[:-1])
        self.outs = nn.ModuleList(ConvNorm(width, width, 3) for _ in ins[:-1])
        self.join = ConvNorm(len(ins) * width, width, 3)

    def features(self, features: list[Tensor]) -> Tensor:
        levels = [side(feature) for side, feature in zip(self.sides, features, strict=False)]
        levels.append(self.top(torch.cat([features[-1], *self.pool(features[-1])], 1)))
        for k in range(len(levels) - 1, 0, -1):
            levels[k - 1] = levels[k - 1] + resize(levels[k], size_of(levels[k - 1]))
        outs = [out(level) for out, level in zip(self.outs, levels, strict=False)] + [levels[-1]]
        fine = size_of(outs[0])
        return self.join(torch.cat([outs[0], *[resize(out, fine) for out in outs[1:]]], 1))

    def forward(self, features: list[Tensor]) -> Tensor:
        return self.classify(self.features(features))


class FPNHead(Head):
    """Semantic FPN: each level is brought to the finest by convolutions and upsampling, then all are added."""

    def __init__(self, width_in: int, width: int, classes: int, *, steps: Sequence[int] = (0, 1, 2, 3)) -> None:
        super().__init__(width, classes)
        self.scales = nn.ModuleList(_climb(width_in, width, count) for count in steps)

    def forward(self, features: list[Tensor]) -> Tensor:
        value = self.scales[0](features[0])
        for scale, feature in zip(self.scales[1:], features[1:], strict=False):
            value = value + resize(scale(feature), size_of(value))
        return self.classify(value)


def _climb(ins: int, width: int, count: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for k in range(max(1, count)):
        layers.append(ConvNorm(width if k else ins, width, 3))
        if count:
            layers.append(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False))
    return nn.Sequential(*layers)


class FPN(nn.Module):
    """The feature pyramid itself: top-down sums, all of one width."""

    def __init__(self, ins: Sequence[int], width: int = 256) -> None:
        super().__init__()
        self.sides = nn.ModuleList(nn.Conv2d(c, width, 1) for c in ins)
        self.outs = nn.ModuleList(nn.Conv2d(width, width, 3, 1, 1) for _ in ins)
        self.channels = [width] * len(ins)

    def forward(self, features: list[Tensor]) -> list[Tensor]:
        levels = [side(feature) for side, feature in zip(self.sides, features, strict=True)]
        for k in range(len(levels) - 1, 0, -1):
            nearest = nn.functional.interpolate(levels[k], size=size_of(levels[k - 1]), mode="nearest")
            levels[k - 1] = levels[k - 1] + nearest
        return [out(level) for out, level in zip(self.outs, levels, strict=True)]


class SegFormerHead(Head):
    """All levels to one width and the finest size, joined by a 1 × 1 convolution."""

    def __init__(self, ins: Sequence[int], width: int, classes: int) -> None:
        super().__init__(width, classes)
        self.sides = nn.ModuleList(ConvNorm(c, width) for c in ins)
        self.join = ConvNorm(width * len(ins), width)

    def forward(self, features: list[Tensor]) -> Tensor:
        fine = size_of(features[0])
        levels = [resize(side(feature), fine) for side, feature in zip(self.sides, features, strict=True)]
        return self.classify(self.join(torch.cat(levels, 1)))
