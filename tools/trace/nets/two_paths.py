"""DDRNet and PIDNet: branches of two resolutions that exchange features, with pyramid pooling at the bottom."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layers import ConvNorm, resize, size_of


class NormFirst(nn.Sequential):
    """Norm, ReLU in place, convolution."""

    def __init__(self, ins: int, outs: int, kernel: int = 1, *, groups: int = 1) -> None:
        conv = nn.Conv2d(ins, outs, kernel, padding=kernel // 2, groups=groups, bias=False)
        super().__init__(nn.BatchNorm2d(ins), nn.ReLU(inplace=True), conv)


class Block(nn.Module):
    """A residual block: basic (two 3 × 3) or a bottleneck that doubles the channels; `acts` puts ReLU at its end."""

    def __init__(self, ins: int, width: int, *, stride: int = 1, wide: bool = False, acts: bool = True) -> None:
        super().__init__()
        outs = 2 * width if wide else width
        if wide:
            layers = [ConvNorm(ins, width), ConvNorm(width, width, 3, stride), ConvNorm(width, outs, act="")]
        else:
            layers = [ConvNorm(ins, width, 3, stride), ConvNorm(width, width, 3, act="")]
        self.body = nn.Sequential(*layers)
        self.short = ConvNorm(ins, outs, 1, stride, act="") if stride != 1 or ins != outs else None
        self.relu = nn.ReLU(inplace=True) if acts else None

    def forward(self, value: Tensor) -> Tensor:
        result = self.body(value)
        result += value if self.short is None else self.short(value)
        return result if self.relu is None else self.relu(result)


def layer(ins: int, width: int, count: int, *, stride: int = 1, wide: bool = False) -> nn.Sequential:
    """Blocks in a row; the last basic one and all bottlenecks end without ReLU."""
    outs = 2 * width if wide else width
    blocks = [Block(ins, width, stride=stride, wide=wide, acts=not wide)]
    blocks += [Block(outs, width, wide=wide, acts=not wide and k < count - 1) for k in range(1, count)]
    return nn.Sequential(*blocks)


def stem(ins: int, width: int, blocks: int) -> nn.Sequential:
    """To stride 8 and twice the width."""
    return nn.Sequential(
        ConvNorm(ins, width, 3, 2), ConvNorm(width, width, 3, 2), layer(width, width, blocks), nn.ReLU(),
        layer(width, 2 * width, blocks, stride=2), nn.ReLU(),
    )  # fmt: skip


class PyramidPooling(nn.Module):
    """Averages of five sizes, one after the other (`chained`) or side by side."""

    def __init__(self, ins: int, width: int, outs: int, *, chained: bool) -> None:
        super().__init__()
        pools: Sequence[nn.Module] = [nn.AvgPool2d(2 * s + 1, s, s) for s in (2, 4, 8)]
        self.scales = nn.ModuleList(
            [NormFirst(ins, width), *[nn.Sequential(pool, NormFirst(ins, width)) for pool in [*pools, nn.AdaptiveAvgPool2d(1)]]]
        )
        self.chained = chained
        count = 4 if chained else 1
        self.mix = nn.ModuleList(NormFirst(width * 4 // count, width * 4 // count, 3, groups=1 if chained else 4) for _ in range(count))
        self.narrow, self.short = NormFirst(5 * width, outs), NormFirst(ins, outs)

    def forward(self, value: Tensor) -> Tensor:
        size = size_of(value)
        first = self.scales[0](value)
        ups = [resize(scale(value), size) for scale in self.scales[1:]]
        results = [first]
        if self.chained:
            for mix, up in zip(self.mix, ups, strict=True):
                results.append(mix(up + results[-1]))
        else:
            results.append(self.mix[0](torch.cat([up + first for up in ups], 1)))
        return self.narrow(torch.cat(results, 1)) + self.short(value)


class PixelAttention(nn.Module):
    """Mixes two features by their agreement at every pixel."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.coarse, self.fine = ConvNorm(width, inner, act=""), ConvNorm(width, inner, act="")

    def forward(self, fine: Tensor, coarse: Tensor) -> Tensor:
        moved = F.interpolate(self.coarse(coarse), size=size_of(fine), mode="bilinear")
        share = torch.sigmoid(torch.sum(self.fine(fine) * moved, 1).unsqueeze(1))
        coarse = F.interpolate(coarse, size=size_of(fine), mode="bilinear")
        return share * coarse + (1 - share) * fine
