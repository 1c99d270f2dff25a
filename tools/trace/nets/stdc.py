"""STDC: concatenated short-term features, with BiSeNet's context path."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .heads import FCNHead
from .layers import Backbone, ConvNorm, size_of
from .losses import LOSSES, count_right

BLOCKS = {1: (2, 2, 2), 2: (4, 5, 3)}


class Concatenated(nn.Module):
    """Four convolutions of halving widths; all their results joined."""

    def __init__(self, ins: int, outs: int, stride: int) -> None:
        super().__init__()
        half = outs // 2
        self.first = ConvNorm(ins, half)
        self.down = ConvNorm(half, half, 3, 2, groups=half, act="") if stride == 2 else None
        self.pool = nn.AvgPool2d(3, 2, 1)
        self.rest = nn.ModuleList([ConvNorm(half, outs // 4, 3), ConvNorm(outs // 4, outs // 8, 3), ConvNorm(outs // 8, outs // 8, 3)])

    def forward(self, value: Tensor) -> Tensor:
        first = self.first(value)
        value = first if self.down is None else self.down(first)
        results = [first if self.down is None else self.pool(first)]
        for conv in self.rest:
            value = conv(value)
            results.append(value)
        return torch.cat(results, 1)


class Refine(nn.Module):
    def __init__(self, ins: int, outs: int) -> None:
        super().__init__()
        self.conv, self.weigh = ConvNorm(ins, outs, 3, act=""), ConvNorm(outs, outs, act="sigmoid")

    def forward(self, value: Tensor) -> Tensor:
        value = self.conv(value)
        return value * self.weigh(F.adaptive_avg_pool2d(value, 1))


class STDC(Backbone):
    """`size` 1 or 2. Features: stride 8 detail, context at strides 16 and 8, fused."""

    def __init__(self, size: int = 1, *, ins: int = 3) -> None:
        super().__init__()
        self.channels = [256, 128, 128, 256]
        self.stem = nn.Sequential(ConvNorm(ins, 32, 3, 2), ConvNorm(32, 64, 3, 2))
        widths = (64, 256, 512, 1024)
        self.parts = nn.ModuleList(
            nn.Sequential(*[Concatenated(widths[k] if j == 0 else widths[k + 1], widths[k + 1], 2 if j == 0 else 1) for j in range(count)])
            for k, count in enumerate(BLOCKS[size])
        )
        self.refine = nn.ModuleList([Refine(1024, 128), Refine(512, 128)])
        self.convs = nn.ModuleList(ConvNorm(128, 128, 3) for _ in range(2))
        self.whole, self.fuse = ConvNorm(1024, 128), ConvNorm(384, 256)
        self.weigh = nn.Sequential(ConvNorm(256, 64, norm=False), ConvNorm(64, 256, act="sigmoid", norm=False))

    def stages(self) -> list[nn.Module]:
        return [self.stem, *self.parts]

    def forward(self, image: Tensor) -> list[Tensor]:
        value = self.stem(image)
        outs = []
        for part in self.parts:
            value = part(value)
            outs.append(value)
        up = F.interpolate(self.whole(F.adaptive_avg_pool2d(outs[-1], 1)), size=size_of(outs[-1]), mode="nearest")
        context = []
        for k in range(2):
            joined = self.refine[k](outs[2 - k]) + up
            up = self.convs[k](F.interpolate(joined, size=size_of(outs[1 - k]), mode="nearest"))
            context.append(up)
        fused = self.fuse(torch.cat([outs[0], context[1]], 1))
        return [outs[0], *context, fused * self.weigh(F.adaptive_avg_pool2d(fused, 1)) + fused]


class EdgeHead(FCNHead):
    """Boundaries from the detail feature; their labels are made from the class labels by a fixed convolution."""

    def loss(self, features: list[Tensor], labels: Tensor) -> Tensor:
        kernel = torch.empty(1, 1, 3, 3, device=labels.device)
        maps = labels.unsqueeze(1).float()
        edges = [(F.conv2d(maps, kernel, stride=s, padding=1).clamp(min=0) > 0.1).float() for s in (1, 2, 4)]
        joined = torch.cat([F.interpolate(edge, size=size_of(maps), mode="nearest") for edge in edges], 1)
        truth = (F.conv2d(joined, torch.empty(1, 3, 1, 1, device=labels.device)) > 0.1).long().squeeze(1)
        scores = F.interpolate(self(features), size=size_of(maps), mode="bilinear")
        total = LOSSES["sigmoid"](scores, truth) + LOSSES["dice"](scores, truth)
        count_right(scores, truth)
        return total
