"""PoolFormer: pooling in place of attention."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .layers import Backbone, DropPath, rates

SIZES = {
    "s12": ((64, 128, 320, 512), (2, 2, 6, 2)), "s24": ((64, 128, 320, 512), (4, 4, 12, 4)), "s36": ((64, 128, 320, 512), (6, 6, 18, 6)),
    "m36": ((96, 192, 384, 768), (6, 6, 18, 6)), "m48": ((96, 192, 384, 768), (8, 8, 24, 8)),
}  # fmt: skip


class PoolBlock(nn.Module):
    def __init__(self, width: int, rate: float) -> None:
        super().__init__()
        self.norm1, self.norm2, self.drop = nn.GroupNorm(1, width), nn.GroupNorm(1, width), DropPath(rate)
        self.pool = nn.AvgPool2d(3, 1, 1, count_include_pad=False)
        self.mlp = nn.Sequential(nn.Conv2d(width, 4 * width, 1), nn.GELU(), nn.Conv2d(4 * width, width, 1))
        self.scale1, self.scale2 = (nn.Parameter(torch.ones(width)) for _ in range(2))

    def forward(self, image: Tensor) -> Tensor:
        start = self.norm1(image)
        image = image + self.drop(self.scale1.unsqueeze(-1).unsqueeze(-1) * (self.pool(start) - start))
        return image + self.drop(self.scale2.unsqueeze(-1).unsqueeze(-1) * self.mlp(self.norm2(image)))


class PoolFormer(Backbone):
    """`size` s12, s24, s36, m36, m48."""

    def __init__(self, size: str = "s36", *, ins: int = 3) -> None:
        super().__init__()
        widths, depths = SIZES[size]
        self.channels, before = list(widths), (ins, *widths[:-1])
        drops = rates(0.1, depths)
        self.patches = nn.ModuleList(
            nn.Conv2d(before[k], widths[k], 3 if k else 7, 2 if k else 4, 1 if k else 2) for k in range(4)
        )
        self.parts = nn.ModuleList(nn.Sequential(*[PoolBlock(w, rate) for rate in drops[k]]) for k, w in enumerate(widths))
        self.norms = nn.ModuleList(nn.GroupNorm(1, w) for w in widths)

    def stages(self) -> list[nn.Module]:
        return [self.patches[0], *self.parts]

    def forward(self, image: Tensor) -> list[Tensor]:
        features = []
        for patch, part, norm in zip(self.patches, self.parts, self.norms, strict=True):
            image = part(patch(image))
            features.append(norm(image))
        return features
