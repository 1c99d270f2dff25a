"""PIDNet S, M and L: branches for detail, context and boundaries."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .heads import Head
from .layers import Backbone, ConvNorm, resize, size_of
from .losses import LOSSES, count_right
from .two_paths import Block, NormFirst, PixelAttention, PyramidPooling, layer, stem

SIZES = {"s": (32, 96, 2, 3, 128), "m": (64, 96, 2, 3, 128), "l": (64, 112, 3, 4, 256)}
"""Width, pooling width, blocks of the stem, of the branches, channels of the head."""


class PIDNet(Backbone):
    """Features: detail, fused, boundary, all of stride 8."""

    def __init__(self, size: str = "s", *, ins: int = 3) -> None:
        super().__init__()
        w, pool, stem_blocks, blocks, self.head_width = SIZES[size]
        small = stem_blocks == 2
        self.channels = [2 * w, 4 * w, 2 * w]
        self.stem, self.relu = stem(ins, w, stem_blocks), nn.ReLU()
        self.context = nn.ModuleList([
            layer(2 * w, 4 * w, blocks, stride=2), layer(4 * w, 8 * w, blocks, stride=2), layer(8 * w, 8 * w, 2, stride=2, wide=True)
        ])  # fmt: skip
        self.detail = nn.ModuleList(
            [layer(2 * w, 2 * w, stem_blocks), layer(2 * w, 2 * w, stem_blocks), layer(2 * w, 2 * w, 1, wide=True)]
        )
        edge = w if small else 2 * w
        second = layer(w, w, 1, wide=True) if small else Block(2 * w, 2 * w, acts=False)
        self.edge = nn.ModuleList([Block(2 * w, edge, acts=False), second, layer(2 * w, 2 * w, 1, wide=True)])
        self.up1, self.up2 = ConvNorm(4 * w, 2 * w, act=""), ConvNorm(8 * w, 2 * w, act="")
        self.attend1, self.attend2 = PixelAttention(2 * w, w), PixelAttention(2 * w, w)
        self.difference1, self.difference2 = ConvNorm(4 * w, edge, 3, act=""), ConvNorm(8 * w, 2 * w, 3, act="")
        self.pool = PyramidPooling(16 * w, pool, 4 * w, chained=not small)
        self.light = small
        self.fuse = nn.ModuleList([ConvNorm(4 * w, 4 * w, act=""), ConvNorm(4 * w, 4 * w, act="")] if small else [NormFirst(4 * w, 4 * w, 3)])

    def stages(self) -> list[nn.Module]:
        return [self.stem, *self.context]

    def forward(self, image: Tensor) -> list[Tensor]:
        size = (image.shape[2] // 8, image.shape[3] // 8)
        start = self.stem(image)
        context = self.relu(self.context[0](start))
        detail, edge = self.attend1(self.detail[0](start), self.up1(context)), self.edge[0](start)
        edge += F.interpolate(self.difference1(context), size=size, mode="bilinear")
        early = detail.clone()
        context = self.relu(self.context[1](context))
        detail, edge = self.detail[1](self.relu(detail)), self.edge[1](self.relu(edge))
        detail = self.attend2(detail, self.up2(context))
        edge += F.interpolate(self.difference2(context), size=size, mode="bilinear")
        boundary = edge.clone()
        context = self.context[2](context)
        detail, edge = self.detail[2](self.relu(detail)), self.edge[2](self.relu(edge))
        context = resize(self.pool(context), size)
        return [early, self._fuse(detail, context, edge), boundary]

    def _fuse(self, detail: Tensor, context: Tensor, edge: Tensor) -> Tensor:
        share = torch.sigmoid(edge)
        if self.light:
            return self.fuse[0]((1 - share) * context + detail) + self.fuse[1](context + share * detail)
        return self.fuse[0](share * detail + (1 - share) * context)


class PIDHead(Head):
    """Scores from detail, from the fused feature and of boundaries; four losses."""

    def __init__(self, backbone: PIDNet, classes: int) -> None:
        early, fused, boundary = backbone.channels
        width = backbone.head_width
        super().__init__(width, classes)
        self.fused, self.early, self.edge = _enter(fused, width), _enter(early, width), _enter(boundary, fused // 4)
        self.early_last, self.edge_last = nn.Conv2d(width, classes, 1), nn.Conv2d(fused // 4, 1, 1)

    def forward(self, features: list[Tensor]) -> Tensor:
        return self.classify(self.fused(features[1]))

    def loss(self, features: list[Tensor], labels: Tensor) -> Tensor:
        size = size_of(labels.unsqueeze(1))
        early = self.early_last(self.early(features[0]))
        fused, edge = self(features), self.edge_last(self.edge(features[2]))
        early, fused, edge = (resize(value, size) for value in (early, fused, edge))
        total = LOSSES["cross_entropy"](early, labels) + LOSSES["ohem"](fused, labels)
        flat = edge.permute(0, 2, 3, 1).contiguous().view(1, -1)
        total = total + F.binary_cross_entropy_with_logits(flat, torch.zeros_like(flat), torch.zeros_like(flat))
        chosen = torch.where(torch.sigmoid(edge[:, 0]) > 0.8, labels, torch.ones_like(labels) * 255)
        total = total + LOSSES["ohem"](fused, chosen)
        count_right(fused, labels)
        return total


def _enter(ins: int, width: int) -> nn.Sequential:
    return nn.Sequential(NormFirst(ins, width, 3), nn.BatchNorm2d(width), nn.ReLU(inplace=True))
