"""Heads built on one block of self-attention between projected features: ANN, OCRNet, ISANet."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .heads import FCNHead, Head, gather
from .layers import ConvNorm


def project(ins: int, outs: int, *, convs: int = 1, normed: bool = True) -> nn.Module:
    """1 × 1 convolutions, with norm and ReLU or bare."""
    if not normed:
        return nn.Conv2d(ins, outs, 1)
    return nn.Sequential(*[ConvNorm(outs if k else ins, outs) for k in range(convs)])


class PooledPlaces(nn.Module):
    """The image averaged to several small grids, all their places in one row."""

    def __init__(self, scales: Sequence[int] = (1, 3, 6, 8)) -> None:
        super().__init__()
        self.scales = nn.ModuleList(nn.AdaptiveAvgPool2d(k) for k in scales)

    def forward(self, image: Tensor) -> Tensor:
        return torch.cat([pool(image).view(*image.shape[:2], -1) for pool in self.scales], 2)


class Relation(nn.Module):
    """Queries of one feature attend to keys and values of another; `shared` uses one projection for query and key."""

    def __init__(
        self, key_width: int, query_width: int, inner: int, outs: int, *, convs: int = 1, shared: bool = False,
        value_normed: bool = False, has_out: bool = True, pool: nn.Module | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.inner, self.pool = inner, pool
        self.key = project(key_width, inner, convs=convs)
        self.query = self.key if shared else project(query_width, inner, convs=convs)
        self.value = project(key_width, inner if has_out else outs, normed=value_normed)
        self.out = project(inner, outs, normed=value_normed) if has_out else None

    def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
        batch = queries.shape[0]
        query = self.query(queries).reshape(batch, self.inner, -1).permute(0, 2, 1).contiguous()
        key, value = self.key(keys), self.value(keys)
        if self.pool is not None:
            key, value = self.pool(key), self.pool(value)
        key = key.reshape(batch, self.inner, -1)
        value = value.reshape(*value.shape[:2], -1).permute(0, 2, 1).contiguous()
        scores = self.inner**-0.5 * torch.matmul(query, key)
        mixed = torch.matmul(torch.softmax(scores, -1), value).permute(0, 2, 1).contiguous()
        mixed = mixed.reshape(batch, -1, *queries.shape[2:])
        return mixed if self.out is None else self.out(mixed)


class ANNHead(Head):
    """Asymmetric non-local: high features attend to pooled low ones, then to pooled ones of their own."""

    def __init__(self, ins: Sequence[int], width: int, classes: int, *, inner: int = 256) -> None:
        super().__init__(width, classes)
        low, high = ins
        self.fuse = Relation(low, high, inner, high, pool=PooledPlaces())
        self.fused = ConvNorm(2 * high, high, act="")
        self.narrow = ConvNorm(high, width, 3)
        self.own = Relation(width, width, inner, width, shared=True, pool=PooledPlaces())
        self.joined = ConvNorm(2 * width, width)

    def forward(self, features: list[Tensor]) -> Tensor:
        low, high = features[-2:]
        context = torch.stack([self.fuse(high, low)], 0).sum(0)
        value = self.fused(torch.cat([context, high], 1))
        value = self.narrow(value if self.dropout is None else self.dropout(value))
        context = torch.stack([self.own(value, value)], 0).sum(0)
        return self.classify(self.joined(torch.cat([context, value], 1)))


class ObjectHead(Head):
    """OCRNet's second head: features attend to one vector per class, weighed by the first head's scores."""

    def __init__(self, ins: int, width: int, classes: int, *, inner: int = 256, gathers: bool = False) -> None:
        super().__init__(width, classes)
        self.gathers = gathers
        self.narrow = ConvNorm(ins, width, 3)
        self.relate = Relation(width, width, inner, width, convs=2, value_normed=True)
        self.join = ConvNorm(2 * width, width)

    def forward(self, features: list[Tensor], scores: Tensor) -> Tensor:
        value = self.narrow(gather(features) if self.gathers else features[self.index])
        batch, classes = scores.shape[:2]
        shares = torch.softmax(1 * scores.view(batch, classes, -1), 2)
        objects = torch.matmul(shares, value.view(batch, value.shape[1], -1).permute(0, 2, 1))
        objects = objects.permute(0, 2, 1).contiguous().unsqueeze(3)
        related = self.relate(value, objects)
        return self.classify(self.join(torch.cat([related, value], 1)))


class OCRHead(nn.Module):
    """A coarse FCN head and the object head after it; the coarse head runs twice, as the published code does."""

    terms = ("cross_entropy",)

    def __init__(self, coarse: FCNHead, fine: ObjectHead) -> None:
        super().__init__()
        self.coarse, self.fine = coarse, fine

    def forward(self, features: list[Tensor]) -> Sequence[Tensor] | Tensor:
        if not self.training:
            return self.fine(features, self.coarse(features))
        first = self.coarse(features)
        return self.fine(features, self.coarse(features)), first


class ISAHead(Head):
    """Interlaced sparse attention: among places far apart, then among neighbours."""

    def __init__(self, ins: int, width: int, classes: int, *, inner: int = 256, group: int = 8) -> None:
        super().__init__(width, classes)
        self.group = group
        self.narrow, self.join = ConvNorm(ins, width, 3), ConvNorm(2 * width, width)
        self.far, self.near = (Relation(width, width, inner, width, convs=2, has_out=False) for _ in range(2))
        self.far_out, self.near_out = ConvNorm(width, width), ConvNorm(width, width)

    def forward(self, features: list[Tensor]) -> Tensor:
        start = self.narrow(features[self.index])
        batch, width, height, wide = start.shape
        g = self.group
        down, right = -height % g, -wide % g
        value = F.pad(start, (right // 2, right - right // 2, down // 2, down - down // 2)) if down or right else start
        rows, columns = (height + down) // g, (wide + right) // g
        value = value.view(batch, width, rows, g, columns, g).permute(0, 3, 5, 1, 2, 4).reshape(-1, width, rows, columns)
        value = self.far_out(self.far(value, value))
        value = value.view(batch, g, g, width, rows, columns).permute(0, 4, 5, 3, 1, 2).reshape(-1, width, g, g)
        value = self.near_out(self.near(value, value))
        value = value.view(batch, rows, columns, width, g, g).permute(0, 3, 1, 4, 2, 5).reshape(batch, width, rows * g, columns * g)
        if down or right:
            value = value[:, :, down // 2 : down // 2 + height, right // 2 : right // 2 + wide]
        return self.classify(self.join(torch.cat([value, start], 1)))
