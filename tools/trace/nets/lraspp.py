"""Lite R-ASPP, MobileNetV3's head."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .heads import Head
from .layers import ConvNorm, resize, size_of


class LRASPPHead(Head):
    """The coarse feature weighed by a coarse average, then joined with two finer ones on the way up."""

    def __init__(self, ins: Sequence[int], classes: int, *, width: int = 128, branches: Sequence[int] = (32, 64)) -> None:
        super().__init__(width, classes)
        self.branches = nn.ModuleList(nn.Conv2d(c, b, 1, bias=False) for c, b in zip(ins, branches, strict=False))
        self.ups = nn.ModuleList(ConvNorm(width + b, width) for b in branches)
        self.enter, self.narrow = nn.Conv2d(width, width, 1), ConvNorm(ins[-1], width)
        self.whole = ConvNorm(ins[-1], width, act="sigmoid", norm=False)

    def forward(self, features: list[Tensor]) -> Tensor:
        last = features[-1]
        side = min(49, *size_of(last))
        whole = self.whole(F.avg_pool2d(last, side, (16, 20)))
        value = self.enter(self.narrow(last) * resize(whole, size_of(last)))
        for k in range(len(self.branches) - 1, -1, -1):
            value = resize(value, size_of(features[k]))
            value = self.ups[k](torch.cat([value, self.branches[k](features[k])], 1))
        return self.classify(value)
