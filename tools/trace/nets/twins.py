"""Twins: PCPVT (attention over a coarser grid) and SVT (windows in turn with it), positions by depthwise convolution."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layers import Backbone, DropPath, Mlp, rates
from .mit import REDUCTIONS, ReducedAttention

SIZES = {
    "pcpvt-s": ((64, 128, 320, 512), (3, 4, 6, 3), (1, 2, 5, 8), (8, 8, 4, 4)),
    "pcpvt-b": ((64, 128, 320, 512), (3, 4, 18, 3), (1, 2, 5, 8), (8, 8, 4, 4)),
    "pcpvt-l": ((64, 128, 320, 512), (3, 8, 27, 3), (1, 2, 5, 8), (8, 8, 4, 4)),
    "svt-s": ((64, 128, 256, 512), (2, 2, 10, 4), (2, 4, 8, 16), (4, 4, 4, 4)),
    "svt-b": ((96, 192, 384, 768), (2, 2, 18, 2), (3, 6, 12, 24), (4, 4, 4, 4)),
    "svt-l": ((128, 256, 512, 1024), (2, 2, 18, 2), (4, 8, 16, 32), (4, 4, 4, 4)),
}
"""Widths, blocks, heads, widening of each stage."""
WINDOW = 7


class LocalAttention(nn.Module):
    """Attention inside windows."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, tokens: Tensor, size: tuple[int, int]) -> Tensor:
        batch, length, width = tokens.shape
        (height, wide), w = size, WINDOW
        image = F.pad(tokens.view(batch, height, wide, width), (0, 0, 0, -wide % w, 0, -height % w))
        rows, columns = -(-height // w), -(-wide // w)
        windows = image.reshape(batch, rows, w, columns, w, width).transpose(2, 3)
        qkv = self.qkv(windows).reshape(batch, rows * columns, w * w, 3, self.heads, width // self.heads).permute(3, 0, 1, 4, 2, 5)
        query, key, value = qkv[0], qkv[1], qkv[2]
        shares = torch.softmax((query @ key.transpose(-2, -1)) * (width // self.heads) ** -0.5, -1)
        mixed = (shares @ value).transpose(2, 3).reshape(batch, rows, columns, w, w, width)
        image = mixed.transpose(2, 3).reshape(batch, rows * w, columns * w, width)
        if (rows * w, columns * w) != size:
            image = image[:, :height, :wide, :].contiguous()
        return self.out(image.reshape(batch, length, width))


class TwinsBlock(nn.Module):
    def __init__(self, width: int, attention: nn.Module, ratio: int, rate: float) -> None:
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(width), attention, nn.LayerNorm(width)
        self.mlp, self.drop = Mlp(width, ratio), DropPath(rate)

    def forward(self, tokens: Tensor, size: tuple[int, int]) -> Tensor:
        tokens = tokens + self.drop(self.attention(self.norm1(tokens), size))
        return tokens + self.drop(self.mlp(self.norm2(tokens)))


class Twins(Backbone):
    """`size` pcpvt-s, -b, -l or svt-s, -b, -l."""

    def __init__(self, size: str = "pcpvt-s", *, ins: int = 3) -> None:
        super().__init__()
        widths, depths, heads, ratios = SIZES[size]
        self.channels, local = list(widths), size.startswith("svt")
        drops = rates(0.3 if local else 0.2, depths)
        before = (ins, *widths[:-1])
        self.patches = nn.ModuleList(nn.Conv2d(before[k], widths[k], 2 if k else 4, 2 if k else 4) for k in range(4))
        self.norms = nn.ModuleList(nn.LayerNorm(w) for w in widths)
        self.places = nn.ModuleList(nn.Conv2d(w, w, 3, padding=1, groups=w) for w in widths)
        self.parts = nn.ModuleList(
            nn.ModuleList(
                TwinsBlock(
                    w, LocalAttention(w, heads[k]) if local and j % 2 == 0 else ReducedAttention(w, heads[k], REDUCTIONS[k]),
                    ratios[k], rate,
                )
                for j, rate in enumerate(drops[k])
            )
            for k, w in enumerate(widths)
        )  # fmt: skip
        self.ends = nn.ModuleList(nn.LayerNorm(w) if local or k == 3 else nn.Identity() for k, w in enumerate(widths))

    def stages(self) -> list[nn.Module]:
        return [self.patches, *self.parts]

    def forward(self, image: Tensor) -> list[Tensor]:
        features = []
        for patch, norm, place, part, end in zip(self.patches, self.norms, self.places, self.parts, self.ends, strict=True):
            image = patch(image)
            batch, width, height, wide = image.shape
            tokens = norm(image.flatten(2).transpose(1, 2))
            for j, block in enumerate(part):
                tokens = block(tokens, (height, wide))
                if j == 0:
                    square = tokens.transpose(1, 2).view(batch, width, height, wide)
                    tokens = (place(square) + square).flatten(2).transpose(1, 2)
            image = end(tokens).reshape(batch, height, wide, width).permute(0, 3, 1, 2).contiguous()
            features.append(image)
        return features
