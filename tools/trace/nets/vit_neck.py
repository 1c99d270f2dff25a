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
