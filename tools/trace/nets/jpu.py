"""Joint pyramid upsampling, FastFCN's neck."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .layers import ConvNorm, resize, size_of


class JPU(nn.Module):
    """The last three features become one of stride 8 with four times `width` channels; the first two are handed on."""

    def __init__(self, ins: Sequence[int], width: int = 512, dilations: Sequence[int] = (1, 2, 4, 8)) -> None:
        super().__init__()
        self.sides = nn.ModuleList(ConvNorm(c, width, 3) for c in ins)
        joined = len(ins) * width
        self.scales = nn.ModuleList(
            nn.Sequential(ConvNorm(joined, joined, 3, dilation=d, groups=joined, act=""), ConvNorm(joined, width)) for d in dilations
        )
        self.channels = [*ins[:-1], len(dilations) * width]

    def forward(self, features: list[Tensor]) -> list[Tensor]:
        last = features[-len(self.sides) :]
        sides = [side(feature) for side, feature in zip(self.sides, last, strict=True)]
        fine = size_of(sides[0])
        joined = torch.cat([sides[0], *[resize(side, fine) for side in sides[1:]]], 1)
        return [*last[:-1], torch.cat([scale(joined) for scale in self.scales], 1)]
