"""Mix Transformer (MiT-B0 to B5), SegFormer's backbone."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .layers import Backbone, DropPath, rates

WIDTHS = (32, 64, 64, 64, 64, 64)
DEPTHS = ((2, 2, 2, 2), (2, 2, 2, 2), (3, 4, 6, 3), (3, 4, 18, 3), (3, 8, 27, 3), (3, 6, 40, 3))
HEADS = (1, 2, 5, 8)
REDUCTIONS = (8, 4, 2, 1)


class ReducedAttention(nn.Module):
    """Attention over keys and values of a coarser grid, with an explicit softmax as in nn.MultiheadAttention before 2.0."""

    def __init__(self, width: int, heads: int, reduction: int = 1) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.reduce = nn.Conv2d(width, width, reduction, reduction) if reduction > 1 else None
        self.norm = nn.LayerNorm(width) if reduction > 1 else None

    def forward(self, tokens: Tensor, size: tuple[int, int]) -> Tensor:
        batch, _, width = tokens.shape
        source = tokens
        if self.reduce is not None and self.norm is not None:
            image = tokens.transpose(1, 2).reshape(batch, width, *size).contiguous()
            source = self.norm(self.reduce(image).flatten(2).transpose(1, 2).contiguous())
        query = self._split(self.query(tokens) * (width // self.heads) ** -0.5)
        key, value = self._split(self.key(source)), self._split(self.value(source))
        shares = torch.softmax(torch.bmm(query, key.transpose(1, 2)), -1)
        mixed = torch.bmm(shares, value)
        # nn.MultiheadAttention returns the mean over heads as well; it lives for a moment.
        shares.view(batch, self.heads, *shares.shape[1:]).sum(1) / self.heads
        joined = mixed.transpose(0, 1).contiguous().view(tokens.shape[1], batch, width)
        return self.out(joined).transpose(0, 1)

    def _split(self, tokens: Tensor) -> Tensor:
        batch, length, width = tokens.shape
        split = tokens.transpose(0, 1).contiguous().view(length, batch * self.heads, width // self.heads)
        return split.transpose(0, 1)


class MixMlp(nn.Module):
    """Feed-forward with a depthwise 3 × 3 convolution inside."""

    def __init__(self, width: int, ratio: int = 4) -> None:
        super().__init__()
        inner = width * ratio
        self.widen, self.depthwise = nn.Conv2d(width, inner, 1), nn.Conv2d(inner, inner, 3, 1, 1, groups=inner)
        self.act, self.narrow = nn.GELU(), nn.Conv2d(inner, width, 1)

    def forward(self, tokens: Tensor, size: tuple[int, int]) -> Tensor:
        image = tokens.transpose(1, 2).reshape(tokens.shape[0], -1, *size).contiguous()
        image = self.narrow(self.act(self.depthwise(self.widen(image))))
        return image.flatten(2).transpose(1, 2).contiguous()


class MiTBlock(nn.Module):
    def __init__(self, width: int, heads: int, reduction: int, rate: float) -> None:
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), ReducedAttention(width, heads, reduction)
        self.norm2, self.mlp, self.drop = nn.LayerNorm(width), MixMlp(width), DropPath(rate)

    def forward(self, tokens: Tensor, size: tuple[int, int]) -> Tensor:
        tokens = tokens + self.drop(self.attention(self.norm1(tokens), size))
        return tokens + self.drop(self.mlp(self.norm2(tokens), size))


class MiTStage(nn.Module):
    """Overlapping patches, blocks, norm: an image in, an image out."""

    def __init__(self, ins: int, width: int, heads: int, reduction: int, drops: list[float], *, first: bool) -> None:
        super().__init__()
        kernel, stride = (7, 4) if first else (3, 2)
        self.patches, self.norm = nn.Conv2d(ins, width, kernel, stride, kernel // 2), nn.LayerNorm(width)
        self.blocks = nn.ModuleList(MiTBlock(width, heads, reduction, rate) for rate in drops)
        self.last = nn.LayerNorm(width)

    def forward(self, image: Tensor) -> Tensor:
        image = self.patches(image)
        batch, width, height, wide = image.shape
        tokens = self.norm(image.flatten(2).transpose(1, 2))
        for block in self.blocks:
            tokens = block(tokens, (height, wide))
        return self.last(tokens).transpose(1, 2).reshape(batch, width, height, wide).contiguous()


class MiT(Backbone):
    """`size` 0 to 5 for B0 to B5."""

    def __init__(self, size: int = 0, *, ins: int = 3) -> None:
        super().__init__()
        self.channels = [WIDTHS[size] * heads for heads in HEADS]
        drops = rates(0.1, DEPTHS[size])
        before = [ins, *self.channels[:-1]]
        self.parts = nn.ModuleList(
            MiTStage(before[k], self.channels[k], HEADS[k], REDUCTIONS[k], drops[k], first=k == 0) for k in range(4)
        )

    def stages(self) -> list[nn.Module]:
        return [nn.Identity(), *self.parts]

    def blocks(self) -> list[nn.Module]:
        return [block for part in self.parts for block in part.blocks]

    def forward(self, image: Tensor) -> list[Tensor]:
        features = []
        for part in self.parts:
            image = part(image)
            features.append(image)
        return features
