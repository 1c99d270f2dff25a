"""A segmentation network: backbone, neck, decode head, auxiliary heads, and the losses at the size of the labels."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from .heads import Head
from .layers import Backbone, resize
from .losses import LOSSES, count_right


class Segmentor(nn.Module):
    def __init__(self, backbone: Backbone, heads: Sequence[nn.Module], *, neck: nn.Module | None = None) -> None:
        super().__init__()
        self.backbone, self.neck, self.heads = backbone, neck, nn.ModuleList(heads)

    def features(self, image: Tensor) -> list[Tensor]:
        features = self.backbone(image)
        return features if self.neck is None else self.neck(features)

    def forward(self, image: Tensor) -> Tensor:
        """Class scores at the size of the image, as inference makes them."""
        scores = self.heads[0](self.features(image))
        return resize(scores[0] if isinstance(scores, (list, tuple)) else scores, image.shape[2:])

    def loss(self, image: Tensor, labels: Tensor) -> Tensor:
        """Sum over heads; a head with a loss of its own has a method `loss(features, labels)`."""
        features = self.features(image)
        total = None
        for head in self.heads:
            own = getattr(head, "loss", None)
            value = own(features, labels) if own is not None else score(head, head(features), labels)
            total = value if total is None else total + value
        assert total is not None
        return total


def score(head: Head, scores: Tensor | Sequence[Tensor], labels: Tensor) -> Tensor:
    """The losses of one head on scores brought to the size of the labels, and the accuracy that is logged.

    A head that gives several scores (of its stages or branches) has the losses on each.
    """
    if isinstance(scores, (list, tuple)):
        losses = [score(head, each, labels) for each in scores]
        return sum(losses[1:], losses[0])
    scores = resize(scores, labels.shape[1:])
    total = None
    for term in head.terms:
        value = LOSSES[term](scores, labels)
        total = value if total is None else total + value
    count_right(scores, labels)
    assert total is not None
    return total


class Classifier(nn.Module):
    """Image classification: the last feature averaged, one linear layer, cross entropy."""

    def __init__(self, backbone: Backbone, classes: int) -> None:
        super().__init__()
        self.backbone, self.last = backbone, nn.Linear(backbone.channels[-1], classes)

    def forward(self, image: Tensor) -> Tensor:
        return self.last(self.backbone(image)[-1].mean((2, 3)))

    def loss(self, image: Tensor, labels: Tensor) -> Tensor:
        return LOSSES["cross_entropy"](self(image), labels)
