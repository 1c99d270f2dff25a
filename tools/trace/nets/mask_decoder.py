"""Mask classification: queries that each give a class and a mask. MaskFormer and Mask2Former share the decoder here."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

QUERIES = 100
WIDTH = 256
HEADS = 8


class QueryAttention(nn.Module):
    """Multi-head attention with an explicit softmax, for queries of their own and keys of another set."""

    def __init__(self, drop: float = 0.0) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.drop = nn.Dropout(drop)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q, k, v = self._split(self.query(query)), self._split(self.key(key)), self._split(self.value(value))
        scores = torch.bmm(q * (WIDTH // HEADS) ** -0.5, k.transpose(1, 2))
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        shares = torch.softmax(scores, -1)
        mixed = torch.bmm(self.drop(shares), v)
        batch, length, _ = query.shape
        joined = mixed.view(batch, HEADS, length, -1).transpose(1, 2).reshape(batch, length, WIDTH)
        return self.drop(self.out(joined))

    def _split(self, tokens: Tensor) -> Tensor:
        batch, length, _ = tokens.shape
        split = tokens.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)
        return split.reshape(batch * HEADS, length, WIDTH // HEADS)


class DecoderLayer(nn.Module):
    """Attention among queries, attention to the image, feed-forward; `image_first` turns the first two round."""

    def __init__(self, *, drop: float = 0.0, image_first: bool = False) -> None:
        super().__init__()
        self.image_first = image_first
        self.own, self.image = QueryAttention(drop), QueryAttention(drop)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.feed = nn.Sequential(
            nn.Linear(WIDTH, 2048), nn.ReLU(inplace=True), nn.Dropout(drop), nn.Linear(2048, WIDTH), nn.Dropout(drop)
        )

    def forward(self, query: Tensor, place: Tensor, memory: Tensor, memory_place: Tensor, mask: Tensor | None = None) -> Tensor:
        for norm, image in zip(self.norms, (self.image_first, not self.image_first), strict=False):
            start = query + place
            mixed = self.image(start, memory + memory_place, memory, mask) if image else self.own(start, start, query)
            query = norm(query + mixed)
        return self.norms[2](query + self.feed(query))


class MaskPredictor(nn.Module):
    """Classes and masks of queries: a linear layer, and a product of an embedding with the mask feature."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.norm, self.kinds = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, classes + 1)
        self.embed = nn.Sequential(
            nn.Linear(WIDTH, WIDTH), nn.ReLU(inplace=True), nn.Linear(WIDTH, WIDTH), nn.ReLU(inplace=True), nn.Linear(WIDTH, WIDTH)
        )

    def forward(self, query: Tensor, feature: Tensor) -> tuple[Tensor, Tensor]:
        query = self.norm(query)
        return self.kinds(query), torch.einsum("bqc,bchw->bqhw", self.embed(query), feature)


def grouped(ins: int, kernel: int, *, act: bool) -> nn.Sequential:
    """Convolution, group norm and perhaps ReLU, to the common width."""
    conv = nn.Conv2d(ins, WIDTH, kernel, padding=kernel // 2, bias=False)
    return nn.Sequential(conv, nn.GroupNorm(32, WIDTH), *([nn.ReLU(inplace=True)] if act else []))


def tokens_of(feature: Tensor) -> Tensor:
    return feature.flatten(2).permute(0, 2, 1)


def positions(feature: Tensor) -> Tensor:
    """Sine positions of an image, one per place; they need no gradients."""
    return torch.zeros(feature.shape[0], feature.shape[2] * feature.shape[3], WIDTH, device=feature.device)


def semantic_scores(kinds: Tensor, masks: Tensor, size: Sequence[int]) -> Tensor:
    """Scores per class from queries, as inference makes them."""
    masks = F.interpolate(masks, size=tuple(size), mode="bilinear").sigmoid()
    return torch.einsum("bqc,bqhw->bchw", F.softmax(kinds, -1)[..., :-1], masks)


def matched(masks: Tensor, count: int) -> Tensor:
    """Masks of the queries that an assignment found for `count` targets an image: picked by index."""
    chosen = torch.zeros(masks.shape[0] * count, dtype=torch.long, device=masks.device)
    return masks.flatten(0, 1)[chosen]


def class_loss(kinds: Tensor) -> Tensor:
    truth = torch.zeros(kinds.shape[0] * kinds.shape[1], dtype=torch.long, device=kinds.device)
    return F.cross_entropy(kinds.flatten(0, 1), truth)


def dice_loss(scores: Tensor, truth: Tensor) -> Tensor:
    shares = scores.sigmoid().flatten(1)
    overlap = torch.sum(shares * truth.flatten(1), 1)
    return (1 - (2 * overlap + 1) / (torch.sum(shares, 1) + torch.sum(truth.flatten(1), 1) + 1)).mean()
