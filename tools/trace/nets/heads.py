"""What decode heads share, and the plain convolutional ones."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .layers import ConvNorm, Separable, resize, size_of


class Head(nn.Module):
    """Ends in dropout of whole channels and a 1 × 1 convolution to the classes. `index` is the feature it looks at.

    `terms` names the losses of the head (losses.py) and `weight` marks no memory: every head costs the same.
    """

    terms: tuple[str, ...] = ("cross_entropy",)

    def __init__(self, width: int, classes: int, *, index: int = -1, dropout: float = 0.1) -> None:
        super().__init__()
        self.index, self.classes = index, classes
        self.last = nn.Conv2d(width, classes, 1)
        self.dropout = nn.Dropout2d(dropout) if dropout else None

    def classify(self, value: Tensor) -> Tensor:
        return self.last(value if self.dropout is None else self.dropout(value))


class FCNHead(Head):
    """`convs` convolutions; `joins` adds one over input and result. `gathers` takes all features at the finest size."""

    def __init__(
        self, ins: int, width: int, classes: int, *, convs: int = 2, joins: bool = True, kernel: int = 3, index: int = -1,
        dropout: float = 0.1, gathers: bool = False, separable: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(width, classes, index=index, dropout=dropout)
        make = Separable if separable else ConvNorm
        self.gathers = gathers
        self.convs = nn.Sequential(*[make(width if k else ins, width, kernel) for k in range(convs)])
        self.join = make(ins + width, width, kernel) if joins else None

    def features(self, features: list[Tensor]) -> Tensor:
        value = gather(features) if self.gathers else features[self.index]
        result: Tensor = self.convs(value)
        if self.join is not None:
            result = self.join(torch.cat([value, result], 1))
        return result

    def forward(self, features: list[Tensor]) -> Tensor:
        return self.classify(self.features(features))


def gather(features: Sequence[Tensor]) -> Tensor:
    """All features at the finest size, one after the other."""
    fine = size_of(features[0])
    return torch.cat([resize(feature, fine) for feature in features], 1)
