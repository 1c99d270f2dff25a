"""Vision Transformer, DeiT, MAE and BEiT: plain, all blocks at one stride."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layers import Backbone, DropPath, Mlp
from .mit import ReducedAttention

SIZES = {"t": (192, 3, 12), "s": (384, 6, 12), "b": (768, 12, 12), "l": (1024, 16, 24), "h": (1280, 16, 32)}
"""Width, heads, blocks."""


class BiasedAttention(nn.Module):
    """BEiT's attention: one product for query, key and value, and a learned bias for every pair of places."""

    def __init__(self, width: int, heads: int, grid: tuple[int, int]) -> None:
        super().__init__()
        self.heads, places = heads, grid[0] * grid[1] + 1
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.bias = nn.Parameter(torch.zeros((2 * grid[0] - 1) * (2 * grid[1] - 1) + 3, heads))
        self.register_buffer("index", torch.zeros(places, places, dtype=torch.long))

    def forward(self, tokens: Tensor, size: tuple[int, int]) -> Tensor:
        batch, length, width = tokens.shape
        shape = (batch, length, 3, self.heads, width // self.heads)
        query, key, value = self.qkv(tokens).reshape(*shape).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (query * (width // self.heads) ** -0.5) @ key.transpose(-2, -1)
        scores = scores + self.bias[self.index.view(-1)].view(length, length, -1).permute(2, 0, 1).contiguous().unsqueeze(0)
        mixed = torch.softmax(scores, -1) @ value
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class ViTBlock(nn.Module):
    """`scale` adds BEiT's learned factors on both branches."""

    def __init__(self, width: int, attention: nn.Module, *, rate: float = 0.0, scale: bool = False) -> None:
        super().__init__()
        self.norm1, self.attention, self.norm2, self.mlp = nn.LayerNorm(width), attention, nn.LayerNorm(width), Mlp(width)
        self.drop = DropPath(rate)
        self.scale1, self.scale2 = (nn.Parameter(torch.ones(width)) if scale else None for _ in range(2))

    def forward(self, tokens: Tensor, size: tuple[int, int]) -> Tensor:
        first = self.attention(self.norm1(tokens), size)
        tokens = tokens + self.drop(first if self.scale1 is None else self.scale1 * first)
        second = self.mlp(self.norm2(tokens))
        return tokens + self.drop(second if self.scale2 is None else self.scale2 * second)


class ViT(Backbone):
    """`size` t, s, b, l, h; features of the blocks `taken` (last at the end), all of stride `patch`.

    `image` is the side whose positions were learned; another size has them resized. `biased` makes it BEiT or MAE.
    """

    def __init__(
        self, size: str = "b", *, grid: tuple[int, int] = (32, 32), taken: Sequence[int] = (), patch: int = 16, learned: int = 0,
        biased: bool = False, rate: float = 0.0, final_norm: bool = False, ins: int = 3,
    ) -> None:  # fmt: skip
        super().__init__()
        width, heads, depth = SIZES[size]
        self.taken = list(taken) or [depth // 4 - 1, depth // 2 - 1, 3 * depth // 4 - 1, depth - 1]
        self.channels = [width] * len(self.taken)
        self.patches, self.start = nn.Conv2d(ins, width, patch, patch), nn.Parameter(torch.zeros(1, 1, width))
        places = (learned or grid[0]) * (learned or grid[1])
        self.places = None if biased else nn.Parameter(torch.zeros(1, places + 1, width))
        self.learned = learned
        self.parts = nn.ModuleList(
            ViTBlock(
                width, BiasedAttention(width, heads, grid) if biased else ReducedAttention(width, heads),
                rate=rate * k / (depth - 1), scale=biased,
            )
            for k in range(depth)
        )  # fmt: skip
        self.last = nn.LayerNorm(width) if final_norm else None

    def stages(self) -> list[nn.Module]:
        return [self.patches, *self.parts]

    def blocks(self) -> list[nn.Module]:
        return list(self.parts)

    def forward(self, image: Tensor) -> list[Tensor]:
        image = self.patches(image)
        batch, width, height, wide = image.shape
        tokens = torch.cat([self.start.expand(batch, -1, -1), image.flatten(2).transpose(1, 2)], 1)
        if self.places is not None:
            tokens = tokens + self._positions(height, wide)
        features = []
        for k, block in enumerate(self.parts):
            tokens = block(tokens, (height, wide))
            if self.last is not None and k == len(self.parts) - 1:
                tokens = self.last(tokens)
            if k in self.taken:
                features.append(tokens[:, 1:].reshape(batch, height, wide, width).permute(0, 3, 1, 2).contiguous())
        return features

    def _positions(self, height: int, wide: int) -> Tensor:
        assert self.places is not None
        if not self.learned or (height, wide) == (self.learned, self.learned):
            return self.places
        square = self.places[:, 1:].reshape(1, self.learned, self.learned, -1).permute(0, 3, 1, 2)
        moved = F.interpolate(square, size=(height, wide), mode="bicubic").flatten(2).transpose(1, 2)
        return torch.cat([self.places[:, :1], moved], 1)
