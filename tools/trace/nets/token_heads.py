"""Heads on Vision Transformers: SETR (naive, PUP, MLA), Segmenter, DPT."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .heads import Head
from .layers import ConvNorm, resize, size_of
from .mit import ReducedAttention
from .vit import ViTBlock


def normed(norm: nn.Module, image: Tensor) -> Tensor:
    """Layer norm over the channels of an image, by way of tokens."""
    batch, width, height, wide = image.shape
    tokens = norm(image.reshape(batch, width, -1).transpose(2, 1))
    return tokens.transpose(1, 2).reshape(batch, width, height, wide)


class UpHead(Head):
    """SETR's naive and progressive heads: `convs` convolutions, each followed by upsampling."""

    def __init__(
        self, ins: int, width: int, classes: int, *, convs: int = 1, scale: int = 4, kernel: int = 3, index: int = -1
    ) -> None:
        super().__init__(width, classes, index=index, dropout=0)
        self.norm = nn.LayerNorm(ins)
        self.ups = nn.Sequential(*[
            nn.Sequential(
                ConvNorm(width if k else ins, width, kernel),
                nn.Upsample(scale_factor=scale, mode="bilinear", align_corners=False),
            )
            for k in range(convs)
        ])  # fmt: skip

    def forward(self, features: list[Tensor]) -> Tensor:
        return self.classify(self.ups(normed(self.norm, features[self.index])))


class MLANeck(nn.Module):
    """Norms, projections and top-down sums of four features."""

    def __init__(self, width: int, outs: int = 256) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(4))
        self.sides, self.outs = (nn.ModuleList(ConvNorm(c, outs, k) for _ in range(4)) for c, k in ((width, 1), (outs, 3)))
        self.channels = [outs] * 4

    def forward(self, features: list[Tensor]) -> list[Tensor]:
        values = [normed(norm, feature) for norm, feature in zip(self.norms, features, strict=True)]
        sides = [side(value) for side, value in zip(self.sides, values, strict=True)][::-1]
        sums = [sides[0]]
        for side in sides[1:]:
            sums.append(sums[-1] + side)
        return [out(value) for out, value in zip(self.outs, sums, strict=True)]


class MLAHead(Head):
    """Two convolutions and upsampling for each of four features, then all joined."""

    def __init__(self, ins: Sequence[int], width: int, classes: int) -> None:
        super().__init__(len(ins) * width, classes, dropout=0)
        self.ups = nn.ModuleList(
            nn.Sequential(
                ConvNorm(c, width, 3), ConvNorm(width, width, 3), nn.Upsample(scale_factor=4, mode="bilinear", align_corners=False)
            )
            for c in ins
        )  # fmt: skip

    def forward(self, features: list[Tensor]) -> Tensor:
        return self.classify(torch.cat([up(value) for up, value in zip(self.ups, features, strict=True)], 1))


class SegmenterHead(Head):
    """Two transformer blocks over patches and one token per class; scores are their products."""

    def __init__(self, width: int, heads: int, classes: int, *, layers: int = 2) -> None:
        super().__init__(width, classes, dropout=0)
        self.layers = nn.ModuleList(ViTBlock(width, ReducedAttention(width, heads), rate=0.1 * k) for k in range(layers))
        self.enter, self.tokens = nn.Linear(width, width), nn.Parameter(torch.zeros(1, classes, width))
        self.patch, self.kind = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.norm, self.mask_norm = nn.LayerNorm(width), nn.LayerNorm(classes)

    def forward(self, features: list[Tensor]) -> Tensor:
        image = features[self.index]
        batch, width, height, wide = image.shape
        tokens = self.enter(image.permute(0, 2, 3, 1).contiguous().view(batch, -1, width))
        tokens = torch.cat([tokens, self.tokens.expand(batch, -1, -1)], 1)
        for layer in self.layers:
            tokens = layer(tokens, (height, wide))
        tokens = self.norm(tokens)
        patches, kinds = self.patch(tokens[:, : -self.classes]), self.kind(tokens[:, -self.classes :])
        patches = patches / patches.norm(dim=-1, keepdim=True)
        kinds = kinds / kinds.norm(dim=-1, keepdim=True)
        masks = self.mask_norm(patches @ kinds.transpose(1, 2))
        return masks.permute(0, 2, 1).contiguous().view(batch, -1, height, wide)


class ResidualUnit(nn.Module):
    """ReLU, convolution and norm twice, and the input added."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(*[
            nn.Sequential(nn.ReLU(), nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)) for _ in range(2)
        ])  # fmt: skip

    def forward(self, value: Tensor) -> Tensor:
        return self.body(value.clone()) + value


class DPTHead(Head):
    """Features of one stride, each joined with the start token, brought to four strides, then fused from coarse to fine."""

    def __init__(self, ins: int, classes: int, *, width: int = 256, outs: Sequence[int] = (96, 192, 384, 768)) -> None:
        super().__init__(width, classes)
        self.reads = nn.ModuleList(nn.Sequential(nn.Linear(2 * ins, ins), nn.GELU()) for _ in outs)
        self.sides = nn.ModuleList(nn.Conv2d(ins, c, 1) for c in outs)
        self.sizes = nn.ModuleList([
            nn.ConvTranspose2d(outs[0], outs[0], 4, 4), nn.ConvTranspose2d(outs[1], outs[1], 2, 2), nn.Identity(),
            nn.Conv2d(outs[3], outs[3], 3, 2, 1),
        ])  # fmt: skip
        self.convs = nn.ModuleList(nn.Conv2d(c, width, 3, 1, 1, bias=False) for c in outs)
        self.firsts = nn.ModuleList(ResidualUnit(width) for _ in range(3))
        self.seconds = nn.ModuleList(ResidualUnit(width) for _ in range(4))
        self.projects = nn.ModuleList(nn.Conv2d(width, width, 1) for _ in range(4))
        self.project = ConvNorm(width, width, 3)

    def forward(self, features: list[Tensor]) -> Tensor:
        features = [self._read(read, feature) for read, feature in zip(self.reads, features, strict=True)]
        sized = [size(side(feature)) for side, size, feature in zip(self.sides, self.sizes, features, strict=True)]
        levels = [conv(value) for conv, value in zip(self.convs, sized, strict=True)][::-1]
        value = levels[0]
        for k, level in enumerate(levels):
            if k:
                value = value + self.firsts[k - 1](resize(level, size_of(value)) if size_of(level) != size_of(value) else level)
            value = self.seconds[k](value)
            value = self.projects[k](resize(value, [2 * side for side in size_of(value)]))
        return self.classify(self.project(value))

    def _read(self, read: nn.Module, image: Tensor) -> Tensor:
        """Every token joined with the start token, for which one token stands here: only its size matters."""
        tokens = image.flatten(2).permute(0, 2, 1)
        start = tokens[:, :1].expand_as(tokens)
        return read(torch.cat([tokens, start], -1)).permute(0, 2, 1).reshape(image.shape)
