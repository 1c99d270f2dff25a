"""PointRend: a coarse head, and a small network on sampled points."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .heads import Head
from .losses import cross_entropy
from .segmentor import score

POINTS, OVERSAMPLED, UNCERTAIN = 2048, 3, 0.75


def sample(image: Tensor, points: Tensor) -> Tensor:
    """Values of the image at points in [0, 1]²: [batch, channels, points]."""
    return F.grid_sample(image, (2.0 * points - 1.0).unsqueeze(2), align_corners=False).squeeze(3)


class PointHead(nn.Module):
    """The coarse `head` and three layers on the finest feature (`fine` channels) and the coarse scores at the points."""

    terms = ("cross_entropy",)

    def __init__(self, head: Head, fine: int, classes: int, *, width: int = 256, layers: int = 3) -> None:
        super().__init__()
        self.head = head
        widths = [fine + classes, *[width + classes] * layers]
        self.layers = nn.ModuleList(nn.Sequential(nn.Conv1d(c, width, 1), nn.ReLU()) for c in widths[:-1])
        self.last = nn.Conv1d(widths[-1], classes, 1)

    def forward(self, features: list[Tensor]) -> Tensor | Sequence[Tensor]:
        return self.head(features)

    def loss(self, features: list[Tensor], labels: Tensor) -> Tensor:
        coarse_loss = score(self.head, self.head(features), labels)
        coarse = self.head(features)
        with torch.no_grad():
            points = self._choose(coarse)
        truth = sample(labels.unsqueeze(1).float(), points).squeeze(1).long()
        return coarse_loss + cross_entropy(self._classify(sample(features[0], points), sample(coarse, points)), truth)

    def _classify(self, fine: Tensor, coarse: Tensor) -> Tensor:
        value = torch.cat([fine, coarse], 1)
        for layer in self.layers:
            value = torch.cat([layer(value), coarse], 1)
        return self.last(value)

    def _choose(self, scores: Tensor) -> Tensor:
        batch = scores.shape[0]
        points = torch.rand(batch, POINTS * OVERSAMPLED, 2, device=scores.device)
        two = torch.topk(sample(scores, points), k=2, dim=1)[0]
        count = int(UNCERTAIN * POINTS)
        chosen = torch.topk(two[:, 1] - two[:, 0], k=count, dim=1)[1]
        kept = points.view(-1, 2)[chosen.view(-1)].view(batch, count, 2)
        return torch.cat([kept, torch.rand(batch, POINTS - count, 2, device=scores.device)], 1)
