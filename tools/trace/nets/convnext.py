"""ConvNeXt: depthwise 7 × 7 convolutions between layer norms."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .layers import Backbone, DropPath, ImageNorm, Mlp, rates

SIZES = {"t": ((3, 3, 9, 3), 96), "s": ((3, 3, 27, 3), 96), "b": ((3, 3, 27, 3), 128), "l": ((3, 3, 27, 3), 192), "xl": ((3, 3, 27, 3), 256)}


class ConvNeXtBlock(nn.Module):
    def __init__(self, width: int, rate: float) -> None:
        super().__init__()
        self.depthwise, self.norm = nn.Conv2d(width, width, 7, 1, 3, groups=width), nn.LayerNorm(width)
        self.mlp, self.scale, self.drop = Mlp(width), nn.Parameter(torch.ones(width)), DropPath(rate)

    def forward(self, image: Tensor) -> Tensor:
        last = self.depthwise(image).permute(0, 2, 3, 1)
        result = self.mlp(self.norm(last)).permute(0, 3, 1, 2) * self.scale.view(1, -1, 1, 1)
        return image + self.drop(result)


class ConvNeXt(Backbone):
    """`size` t, s, b, l, xl."""

    def __init__(self, size: str = "t", *, ins: int = 3) -> None:
        super().__init__()
        depths, width = SIZES[size]
        self.channels = [width * 2**k for k in range(4)]
        c, drops = self.channels, rates(0.4, depths)
        stem = nn.Sequential(nn.Conv2d(ins, width, 4, 4), ImageNorm(width))
        downs = [nn.Sequential(ImageNorm(c[k]), nn.Conv2d(c[k], c[k + 1], 2, 2)) for k in range(3)]
        self.downs = nn.ModuleList([stem, *downs])
        self.parts = nn.ModuleList(nn.Sequential(*[ConvNeXtBlock(c[k], rate) for rate in drops[k]]) for k in range(4))
        self.norms = nn.ModuleList(ImageNorm(width) for width in c)

    def stages(self) -> list[nn.Module]:
        return [self.downs[0], *self.parts]

    def forward(self, image: Tensor) -> list[Tensor]:
        features = []
        for down, part, norm in zip(self.downs, self.parts, self.norms, strict=True):
            image = part(down(image))
            features.append(norm(image))
        return features
