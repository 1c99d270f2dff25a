"""Swin Transformer: attention in shifted windows."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layers import Backbone, DropPath, Mlp, rates

SIZES = {
    "t": (96, (2, 2, 6, 2), (3, 6, 12, 24)), "s": (96, (2, 2, 18, 2), (3, 6, 12, 24)),
    "b": (128, (2, 2, 18, 2), (4, 8, 16, 32)), "l": (192, (2, 2, 18, 2), (6, 12, 24, 48)),
}  # fmt: skip


class WindowAttention(nn.Module):
    def __init__(self, width: int, heads: int, window: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.bias = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))
        self.register_buffer("index", torch.zeros(window**2, window**2, dtype=torch.long))

    def forward(self, tokens: Tensor, mask: Tensor | None) -> Tensor:
        batch, length, width = tokens.shape
        shape = (batch, length, 3, self.heads, width // self.heads)
        query, key, value = self.qkv(tokens).reshape(*shape).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (query * (width // self.heads) ** -0.5) @ key.transpose(-2, -1)
        bias = self.bias[self.index.view(-1)].view(length, length, -1).permute(2, 0, 1).contiguous()
        scores = scores + bias.unsqueeze(0)
        if mask is not None:
            windows = mask.shape[0]
            scores = scores.view(batch // windows, windows, self.heads, length, length) + mask.unsqueeze(1).unsqueeze(0)
            scores = scores.view(-1, self.heads, length, length)
        mixed = torch.softmax(scores, -1) @ value
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class SwinBlock(nn.Module):
    def __init__(self, width: int, heads: int, window: int, *, shift: int, rate: float) -> None:
        super().__init__()
        self.window, self.shift = window, shift
        self.norm1, self.attention = nn.LayerNorm(width), WindowAttention(width, heads, window)
        self.norm2, self.mlp, self.drop = nn.LayerNorm(width), Mlp(width), DropPath(rate)

    def forward(self, tokens: Tensor, size: tuple[int, int]) -> Tensor:
        tokens = tokens + self.drop(self._attend(self.norm1(tokens), size))
        return tokens + self.drop(self.mlp(self.norm2(tokens)))

    def _attend(self, tokens: Tensor, size: tuple[int, int]) -> Tensor:
        batch, length, width = tokens.shape
        (height, wide), w = size, self.window
        image = F.pad(tokens.view(batch, height, wide, width), (0, 0, 0, -wide % w, 0, -height % w))
        tall, broad = height + -height % w, wide + -wide % w
        rows, columns = tall // w, broad // w
        mask = None
        if self.shift:
            image = torch.roll(image, (-self.shift, -self.shift), (1, 2))
            zones = torch.zeros(rows * columns, w * w, device=tokens.device)
            mask = zones.unsqueeze(1) - zones.unsqueeze(2)
            mask = mask.masked_fill(mask != 0, -100.0)
        windows = image.view(batch, rows, w, columns, w, width).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, w * w, width)
        mixed = self.attention(windows, mask).view(batch, rows, columns, w, w, width)
        image = mixed.permute(0, 1, 3, 2, 4, 5).contiguous().view(batch, tall, broad, width)
        if self.shift:
            image = torch.roll(image, (self.shift, self.shift), (1, 2))
        if (tall, broad) != size:
            image = image[:, :height, :wide, :].contiguous()
        return image.view(batch, length, width)


class Merging(nn.Module):
    """Four neighbours become one token of twice the width."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm, self.reduce = nn.LayerNorm(4 * width), nn.Linear(4 * width, 2 * width, bias=False)

    def forward(self, tokens: Tensor, size: tuple[int, int]) -> Tensor:
        image = tokens.view(tokens.shape[0], *size, -1).permute(0, 3, 1, 2)
        image = F.pad(image, (0, size[1] % 2, 0, size[0] % 2))
        return self.reduce(self.norm(F.unfold(image, 2, stride=2).transpose(1, 2)))


class Swin(Backbone):
    """`size` t, s, b, l; windows of 7 or 12."""

    def __init__(self, size: str = "t", *, window: int = 7, ins: int = 3) -> None:
        super().__init__()
        width, depths, heads = SIZES[size]
        self.channels = [width * 2**k for k in range(4)]
        self.patches, self.norm = nn.Conv2d(ins, width, 4, 4), nn.LayerNorm(width)
        drops = rates(0.3, depths)
        self.parts = nn.ModuleList(
            nn.ModuleList(
                SwinBlock(c, heads[k], window, shift=(j % 2) * (window // 2), rate=rate) for j, rate in enumerate(drops[k])
            )
            for k, c in enumerate(self.channels)
        )
        self.merge = nn.ModuleList(Merging(c) for c in self.channels[:-1])
        self.norms = nn.ModuleList(nn.LayerNorm(c) for c in self.channels)

    def stages(self) -> list[nn.Module]:
        return [nn.ModuleList([self.patches, self.norm]), *self.parts]

    def forward(self, image: Tensor) -> list[Tensor]:
        image = self.patches(image)
        size = (int(image.shape[2]), int(image.shape[3]))
        tokens = self.norm(image.flatten(2).transpose(1, 2))
        features = []
        for k, part in enumerate(self.parts):
            for block in part:
                tokens = block(tokens, size)
            out = self.norms[k](tokens).view(tokens.shape[0], *size, -1).permute(0, 3, 1, 2).contiguous()
            features.append(out)
            if k < len(self.merge):
                tokens = self.merge[k](tokens, size)
                size = ((size[0] + 1) // 2, (size[1] + 1) // 2)
        return features
