"""Mask2Former: a pixel decoder of deformable attention over three scales, and masked attention in nine layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layers import size_of
from .mask_decoder import (
    HEADS,
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
from .point_head import sample

LEVELS, POINTS, ENCODER_LAYERS, DECODER_LAYERS = 3, 4, 6, 9
SAMPLED, OVERSAMPLED, UNCERTAIN = 12_544, 3, 0.75
TARGETS = 20
"""Classes present in one picture, which the data decide: our assumption."""


class Deformable(torch.autograd.Function):
    """The CUDA operation of deformable attention: it keeps values, places and weights."""

    @staticmethod
    def forward(ctx: Any, value: Tensor, places: Tensor, weights: Tensor) -> Tensor:
        ctx.save_for_backward(value, places, weights)
        return value.new_zeros(value.shape[0], places.shape[1], WIDTH)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, ...]:
        return tuple(torch.zeros_like(saved) for saved in ctx.saved_tensors)


class EncoderLayer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        points = HEADS * LEVELS * POINTS
        self.value, self.places, self.weights = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2 * points), nn.Linear(WIDTH, points)
        self.out, self.norm1, self.norm2 = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.feed = nn.Sequential(nn.Linear(WIDTH, 1024), nn.ReLU(inplace=True), nn.Linear(1024, WIDTH))

    def forward(self, tokens: Tensor, place: Tensor) -> Tensor:
        batch, length, _ = tokens.shape
        query = tokens + place
        shape = (batch, length, HEADS, LEVELS, POINTS)
        offsets = self.places(query).view(*shape, 2)
        weights = self.weights(query).view(batch, length, HEADS, LEVELS * POINTS).softmax(-1).view(shape)
        grid = torch.zeros(1, length, 1, LEVELS, 1, 2, device=tokens.device)
        where = grid + offsets / torch.ones(1, 1, 1, LEVELS, 1, 2, device=tokens.device)
        mixed = Deformable.apply(self.value(tokens).view(batch, length, HEADS, -1), where, weights)
        tokens = self.norm1(tokens + self.out(mixed))
        return self.norm2(tokens + self.feed(tokens))


class PixelDecoder(nn.Module):
    """Features of strides 32, 16 and 8 encoded together; the mask feature of stride 4."""

    def __init__(self, ins: Sequence[int]) -> None:
        super().__init__()
        self.enter = nn.ModuleList(
            nn.Sequential(nn.Conv2d(c, WIDTH, 1), nn.GroupNorm(32, WIDTH)) for c in ins[:0:-1]
        )
        self.level = nn.Parameter(torch.zeros(LEVELS, WIDTH))
        self.layers = nn.ModuleList(EncoderLayer() for _ in range(ENCODER_LAYERS))
        self.side, self.out = grouped(ins[0], 1, act=False), grouped(WIDTH, 3, act=True)
        self.mask = nn.Conv2d(WIDTH, WIDTH, 1)

    def forward(self, features: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        entered = [enter(feature) for enter, feature in zip(self.enter, features[:0:-1], strict=True)]
        place = torch.cat([positions(feature) + self.level[k] for k, feature in enumerate(entered)], 1)
        tokens = torch.cat([tokens_of(feature) for feature in entered], 1)
        for layer in self.layers:
            tokens = layer(tokens, place)
        lengths = [feature.shape[2] * feature.shape[3] for feature in entered]
        parts = torch.split(tokens, lengths, 1)
        levels = [part.permute(0, 2, 1).reshape(feature.shape) for part, feature in zip(parts, entered, strict=True)]
        fine = self.side(features[0])
        fine = self.out(fine + F.interpolate(levels[-1], size=size_of(fine), mode="bilinear"))
        return self.mask(fine), levels


class Mask2FormerHead(nn.Module):
    terms = ("mask",)

    def __init__(self, ins: Sequence[int], classes: int) -> None:
        super().__init__()
        self.pixels, self.predict = PixelDecoder(ins), MaskPredictor(classes)
        self.query, self.place, self.level = nn.Embedding(QUERIES, WIDTH), nn.Embedding(QUERIES, WIDTH), nn.Embedding(LEVELS, WIDTH)
        self.layers = nn.ModuleList(DecoderLayer(image_first=True) for _ in range(DECODER_LAYERS))

    def stages(self, features: list[Tensor]) -> list[tuple[Tensor, Tensor]]:
        """Classes and masks of the first queries and after every layer."""
        feature, levels = self.pixels(features)
        batch = feature.shape[0]
        memories = [tokens_of(level) + self.level.weight[k].view(1, 1, -1) for k, level in enumerate(levels)]
        places = [positions(level) for level in levels]
        query = self.query.weight.unsqueeze(0).repeat(batch, 1, 1)
        place = self.place.weight.unsqueeze(0).repeat(batch, 1, 1)
        found = [self.predict(query, feature)]
        for k, layer in enumerate(self.layers):
            at = k % LEVELS
            query = layer(query, place, memories[at], places[at], self._hidden(found[-1][1], size_of(levels[at])))
            found.append(self.predict(query, feature))
        return found

    def _hidden(self, masks: Tensor, size: tuple[int, int]) -> Tensor:
        """Places outside the masks, which attention skips."""
        masks = F.interpolate(masks, size=size, mode="bilinear").flatten(2).unsqueeze(1).repeat(1, HEADS, 1, 1).flatten(0, 1)
        return (masks.sigmoid() < 0.5).detach()

    def forward(self, features: list[Tensor]) -> Tensor:
        kinds, masks = self.stages(features)[-1]
        return semantic_scores(kinds, masks, size_of(features[0]))

    def loss(self, features: list[Tensor], labels: Tensor) -> Tensor:
        truth = torch.zeros(labels.shape[0] * TARGETS, *labels.shape[1:], dtype=torch.long, device=labels.device)
        losses = [self._stage_loss(kinds, masks, truth) for kinds, masks in self.stages(features)]
        return sum(losses[1:], losses[0])

    def _stage_loss(self, kinds: Tensor, masks: Tensor, truth: Tensor) -> Tensor:
        with torch.no_grad():
            self._assign(masks, truth)
        chosen = matched(masks, TARGETS).unsqueeze(1)
        with torch.no_grad():
            points = self._points(chosen)
            targets = sample(truth.unsqueeze(1).float(), points).squeeze(1)
        scores = sample(chosen, points).squeeze(1)
        mask = F.binary_cross_entropy_with_logits(scores.reshape(-1), targets.reshape(-1))
        return class_loss(kinds) + mask + dice_loss(scores, targets)

    def _assign(self, masks: Tensor, truth: Tensor) -> None:
        """Costs of all pairs of queries and targets at sampled points, picture by picture."""
        for picture in masks:
            points = torch.rand(1, SAMPLED, 2, device=masks.device)
            found = sample(picture.unsqueeze(1), points.repeat(QUERIES, 1, 1)).squeeze(1)
            wanted = sample(truth[:TARGETS].unsqueeze(1).float(), points.repeat(TARGETS, 1, 1)).squeeze(1)
            torch.einsum("nc,mc->nm", F.softplus(found), wanted) + torch.einsum("nc,mc->nm", found.sigmoid(), wanted)

    def _points(self, masks: Tensor) -> Tensor:
        count = masks.shape[0]
        points = torch.rand(count, SAMPLED * OVERSAMPLED, 2, device=masks.device)
        doubt = -sample(masks, points).abs()
        kept = int(UNCERTAIN * SAMPLED)
        chosen = torch.topk(doubt[:, 0], k=kept, dim=1)[1]
        near = points.view(-1, 2)[chosen.view(-1)].view(count, kept, 2)
        return torch.cat([near, torch.rand(count, SAMPLED - kept, 2, device=masks.device)], 1)
