"""MSCAN and the Hamburger head: SegNeXt."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .heads import Head, gather
from .layers import Backbone, DropPath, rates

SIZES = {
    "t": ((32, 64, 160, 256), (3, 3, 5, 2)), "s": ((64, 128, 320, 512), (2, 2, 4, 2)),
    "b": ((64, 128, 320, 512), (3, 3, 12, 3)), "l": ((64, 128, 320, 512), (3, 5, 27, 3)),
}  # fmt: skip
RATIOS = (8, 8, 4, 4)


class ScaleAttention(nn.Module):
    """Depthwise strips of three lengths, summed into weights of the input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 5, padding=2, groups=width)
        self.strips = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(width, width, (1, k), padding=(0, k // 2), groups=width),
                nn.Conv2d(width, width, (k, 1), padding=(k // 2, 0), groups=width),
            )
            for k in (7, 11, 21)
        )
        self.mix = nn.Conv2d(width, width, 1)

    def forward(self, image: Tensor) -> Tensor:
        kept = image.clone()
        start = self.first(image)
        strips = [strip(start) for strip in self.strips]
        return self.mix(start + strips[0] + strips[1] + strips[2]) * kept


class MSCANBlock(nn.Module):
    def __init__(self, width: int, ratio: int, rate: float) -> None:
        super().__init__()
        inner = width * ratio
        self.norm1, self.norm2, self.drop = nn.BatchNorm2d(width), nn.BatchNorm2d(width), DropPath(rate)
        self.enter, self.act, self.scales, self.leave = nn.Conv2d(width, width, 1), nn.GELU(), ScaleAttention(width), nn.Conv2d(width, width, 1)
        self.widen, self.depthwise = nn.Conv2d(width, inner, 1), nn.Conv2d(inner, inner, 3, 1, 1, groups=inner)
        self.narrow, self.act2 = nn.Conv2d(inner, width, 1), nn.GELU()
        self.scale1, self.scale2 = (nn.Parameter(torch.ones(width)) for _ in range(2))

    def forward(self, image: Tensor) -> Tensor:
        start = self.norm1(image)
        kept = start.clone()
        mixed = self.leave(self.scales(self.act(self.enter(start)))) + kept
        image = image + self.drop(self.scale1.unsqueeze(-1).unsqueeze(-1) * mixed)
        mixed = self.narrow(self.act2(self.depthwise(self.widen(self.norm2(image)))))
        return image + self.drop(self.scale2.unsqueeze(-1).unsqueeze(-1) * mixed)


class MSCAN(Backbone):
    """`size` t, s, b, l."""

    def __init__(self, size: str = "t", *, ins: int = 3) -> None:
        super().__init__()
        widths, depths = SIZES[size]
        self.channels = list(widths)
        drops = rates(0.3 if size == "l" else 0.1, depths)
        self.enters, self.parts = nn.ModuleList([_stem(ins, widths[0])]), nn.ModuleList()
        for k in range(3):
            self.enters.append(nn.Sequential(nn.Conv2d(widths[k], widths[k + 1], 3, 2, 1), nn.BatchNorm2d(widths[k + 1])))
        for k, width in enumerate(widths):
            self.parts.append(nn.Sequential(*[MSCANBlock(width, RATIOS[k], rate) for rate in drops[k]]))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for width in widths)

    def stages(self) -> list[nn.Module]:
        return [self.enters[0], *self.parts]

    def forward(self, image: Tensor) -> list[Tensor]:
        features = []
        for enter, part, norm in zip(self.enters, self.parts, self.norms, strict=True):
            image = part(enter(image))
            batch, width, height, wide = image.shape
            tokens = norm(image.view(batch, width, -1).permute(0, 2, 1))
            image = tokens.reshape(batch, height, wide, width).permute(0, 3, 1, 2).contiguous()
            features.append(image)
        return features


def _stem(ins: int, width: int) -> nn.Sequential:
    half = width // 2
    return nn.Sequential(
        nn.Conv2d(ins, half, 3, 2, 1), nn.BatchNorm2d(half), nn.GELU(), nn.Conv2d(half, width, 3, 2, 1), nn.BatchNorm2d(width)
    )


class HamHead(Head):
    """The last three features joined, rebuilt from a non-negative matrix factorization of rank 16 found in six rounds."""

    def __init__(self, ins: Sequence[int], width: int, classes: int, *, rank: int = 16, rounds: int = 6) -> None:
        super().__init__(width, classes)
        self.rank, self.rounds = rank, rounds
        self.squeeze, self.align = _grouped(sum(ins), width), _grouped(width, width)
        self.enter, self.leave = nn.Conv2d(width, width, 1), nn.Sequential(nn.Conv2d(width, width, 1, bias=False), nn.GroupNorm(32, width))

    def forward(self, features: list[Tensor]) -> Tensor:
        value = self.squeeze(gather(features[1:]))
        rebuilt = self.leave(self._rebuild(F.relu(self.enter(value), inplace=True)))
        return self.classify(self.align(F.relu(value + rebuilt, inplace=True)))

    def _rebuild(self, image: Tensor) -> Tensor:
        batch, width, height, wide = image.shape
        places = image.view(batch, width, -1)
        bases = F.normalize(torch.rand(batch, width, self.rank, device=image.device), dim=1)
        shares = torch.softmax(torch.bmm(places.transpose(1, 2), bases), -1)
        for _ in range(self.rounds):
            shares = self._update(shares, torch.bmm(places.transpose(1, 2), bases), bases)
            bases = self._update(bases, torch.bmm(places, shares), shares)
        shares = self._update(shares, torch.bmm(places.transpose(1, 2), bases), bases)
        return torch.bmm(bases, shares.transpose(1, 2)).view(batch, width, height, wide)

    def _update(self, factor: Tensor, numerator: Tensor, other: Tensor) -> Tensor:
        denominator = factor.bmm(other.transpose(1, 2).bmm(other))
        return factor * numerator / (denominator + 1e-6)


def _grouped(ins: int, outs: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(ins, outs, 1, bias=False), nn.GroupNorm(32, outs), nn.ReLU(inplace=True))
