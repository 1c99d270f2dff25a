"""Necks that turn the equal features of a Vision Transformer into a pyramid."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

SCALES = (4, 2, 1, 0.5)


class MultiLevelNeck(nn.Module):
    """Features at 4, 2, 1 and ½ times their size: a 1 × 1 convolution, resizing, a 3 × 3 convolution."""

    def __init__(self, width: int, outs: int = 0) -> None:
        super().__init__()
        outs = outs or width
        self.sides = nn.ModuleList(nn.Conv2d(width, outs, 1) for _ in SCALES)
        self.outs = nn.ModuleList(nn.Conv2d(outs, outs, 3, 1, 1) for _ in SCALES)
        self.channels = [outs] * len(SCALES)

    def forward(self, features: list[Tensor]) -> list[Tensor]:
        sides = [side(feature) for side, feature in zip(self.sides, features, strict=True)]
        sized = zip(self.outs, sides, SCALES, strict=True)
        return [out(F.interpolate(side, scale_factor=scale, mode="bilinear")) for out, side, scale in sized]


class DeconvNeck(nn.Module):
    """BEiT's neck: two, one and no transposed convolutions, and pooling."""

    def __init__(self, width: int) -> None:
        super().__init__()
        first = nn.ConvTranspose2d(width, width, 2, 2)
        self.twice = nn.Sequential(first, nn.BatchNorm2d(width), nn.GELU(), nn.ConvTranspose2d(width, width, 2, 2))
        self.once, self.pool = nn.ConvTranspose2d(width, width, 2, 2), nn.MaxPool2d(2, 2)
        self.channels = [width] * 4

    def forward(self, features: list[Tensor]) -> list[Tensor]:
        return [self.twice(features[0]), self.once(features[1]), features[2], self.pool(features[3])]
