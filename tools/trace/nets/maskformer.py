"""MaskFormer: a feature pyramid for masks, and a transformer decoder of six layers on the coarsest feature."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layers import size_of
from .mask2former import TARGETS
from .mask_decoder import (
    QUERIES,
    WIDTH,
    DecoderLayer,
    MaskPredictor,
    class_loss,
    dice_loss,
    grouped,
    matched,
    positions,
    semantic_scores,
    tokens_of,
)  # fmt: skip

LAYERS = 6


class Pyramid(nn.Module):
    """Top-down sums with nearest upsampling; the mask feature of stride 4."""

    def __init__(self, ins: Sequence[int]) -> None:
        super().__init__()
        self.top, self.mask = grouped(ins[-1], 3, act=True), nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.sides = nn.ModuleList(grouped(c, 1, act=False) for c in ins[-2::-1])
        self.outs = nn.ModuleList(grouped(WIDTH, 3, act=True) for _ in ins[1:])

    def forward(self, features: list[Tensor]) -> Tensor:
        value = self.top(features[-1])
        for side, out, feature in zip(self.sides, self.outs, features[-2::-1], strict=True):
            fine = side(feature)
            value = out(fine + F.interpolate(value, size=size_of(fine), mode="nearest"))
        return self.mask(value)


class MaskFormerHead(nn.Module):
    terms = ("mask",)

    def __init__(self, ins: Sequence[int], classes: int) -> None:
        super().__init__()
        self.pixels, self.predict = Pyramid(ins), MaskPredictor(classes)
        self.enter, self.place = nn.Conv2d(ins[-1], WIDTH, 1), nn.Embedding(QUERIES, WIDTH)
        self.layers = nn.ModuleList(DecoderLayer(drop=0.1) for _ in range(LAYERS))

    def stages(self, features: list[Tensor]) -> list[tuple[Tensor, Tensor]]:
        feature, coarse = self.pixels(features), self.enter(features[-1])
        memory, where = tokens_of(coarse), positions(coarse)
        place = self.place.weight.unsqueeze(0).repeat(feature.shape[0], 1, 1)
        query, found = torch.zeros_like(place), []
        for layer in self.layers:
            query = layer(query, place, memory, where)
            found.append(self.predict(query, feature))
        return found

    def forward(self, features: list[Tensor]) -> Tensor:
        kinds, masks = self.stages(features)[-1]
        return semantic_scores(kinds, masks, size_of(features[0]))

    def loss(self, features: list[Tensor], labels: Tensor) -> Tensor:
        truth = torch.zeros(labels.shape[0] * TARGETS, *labels.shape[1:], dtype=torch.long, device=labels.device)
        losses = [self._stage_loss(kinds, masks, truth) for kinds, masks in self.stages(features)]
        return sum(losses[1:], losses[0])

    def _stage_loss(self, kinds: Tensor, masks: Tensor, truth: Tensor) -> Tensor:
        scores = matched(masks, TARGETS)
        scores = F.interpolate(scores.unsqueeze(1), size=tuple(truth.shape[1:]), mode="bilinear").squeeze(1)
        focal = F.binary_cross_entropy_with_logits(scores.reshape(-1), truth.reshape(-1).float())
        return class_loss(kinds) + focal + dice_loss(scores, truth)
