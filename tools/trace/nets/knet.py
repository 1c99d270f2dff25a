"""K-Net: the scores of a first head refined in three rounds by kernels that attend to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layers import ConvNorm
from .mit import ReducedAttention


class KernelUpdate(nn.Module):
    """Gathers features under each class's mask, updates its kernel with them and makes new masks."""

    def __init__(self, width: int, *, inner: int = 256) -> None:
        super().__init__()
        self.inner = inner
        self.transform = ConvNorm(width, width, act="", norm=False)
        self.dynamic, self.kernel = nn.Linear(inner, 2 * inner), nn.Linear(inner, 2 * inner)
        self.gate_in, self.gate_out, self.leave = nn.Linear(inner, inner), nn.Linear(inner, inner), nn.Linear(inner, inner)
        self.norms = nn.ModuleList(nn.LayerNorm(inner) for _ in range(5))
        self.attention, self.attention_norm = ReducedAttention(width, 8), nn.LayerNorm(width)
        self.feed = nn.Sequential(nn.Linear(width, 2048), nn.ReLU(inplace=True), nn.Linear(2048, width))
        self.feed_norm = nn.LayerNorm(width)
        self.mask = nn.Sequential(nn.Linear(width, width, bias=False), nn.LayerNorm(width), nn.ReLU(inplace=True), nn.Linear(width, width))

    def forward(self, image: Tensor, kernels: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        image = self.transform(image)
        batch, count, width = kernels.shape
        gathered = torch.einsum("bnhw,bchw->bnc", scores.softmax(1), image)
        kernels = self._mix(gathered, kernels).reshape(batch, count, width)
        kernels = self.attention_norm(kernels + self.attention(kernels, (1, count)))
        kernels = self.feed_norm(kernels + self.feed(kernels))
        filters = self.mask(kernels).reshape(batch, count, width, 1, 1)
        masks = torch.cat([F.conv2d(image[k : k + 1], filters[k]) for k in range(batch)], 0)
        return masks, kernels

    def _mix(self, gathered: Tensor, kernels: Tensor) -> Tensor:
        into, out = self.dynamic(gathered.reshape(-1, self.inner)).chunk(2, -1)
        kernel_in, kernel_out = self.kernel(kernels.reshape(-1, self.inner)).chunk(2, -1)
        gate = kernel_in * into
        first = self.norms[0](self.gate_in(gate)).sigmoid() * self.norms[1](kernel_out)
        second = self.norms[2](self.gate_out(gate)).sigmoid() * self.norms[3](out)
        return F.relu(self.norms[4](self.leave(first + second)), inplace=True)


class KNetHead(nn.Module):
    """`first` is any head with `features` and a last convolution; its weights are the first kernels."""

    terms = ("cross_entropy",)

    def __init__(self, first: Any, width: int, *, rounds: int = 3) -> None:
        super().__init__()
        self.first = first
        self.rounds = nn.ModuleList(KernelUpdate(width) for _ in range(rounds))

    def forward(self, features: list[Tensor]) -> Tensor | Sequence[Tensor]:
        image = self.first.features(features)
        scores = [self.first.classify(image)]
        kernels = self.first.last.weight.clone().flatten(1)[None].expand(image.shape[0], -1, -1)
        for update in self.rounds:
            masks, kernels = update(image, kernels, scores[-1])
            scores.append(masks)
        return scores if self.training else scores[-1]
