"""DDRNet-23, slim and full."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from .heads import Head
from .layers import Backbone, ConvNorm, resize
from .losses import LOSSES, count_right
from .two_paths import NormFirst, PyramidPooling, layer, stem


class DDRNet(Backbone):
    """`width` 32 (slim) or 64. Features: an early one for the auxiliary head and the last, both of stride 8."""

    def __init__(self, *, width: int = 32, pool: int = 128, ins: int = 3) -> None:
        super().__init__()
        w = width
        self.channels = [2 * w, 4 * w]
        self.stem, self.relu = stem(ins, w, 2), nn.ReLU()
        self.context = nn.ModuleList([
            layer(2 * w, 4 * w, 2, stride=2), layer(4 * w, 8 * w, 2, stride=2), layer(8 * w, 8 * w, 1, stride=2, wide=True)
        ])  # fmt: skip
        self.spatial = nn.ModuleList([layer(2 * w, 2 * w, 2), layer(2 * w, 2 * w, 2), layer(2 * w, 2 * w, 1, wide=True)])
        self.up1, self.up2 = ConvNorm(4 * w, 2 * w, act=""), ConvNorm(8 * w, 2 * w, act="")
        self.down1 = ConvNorm(2 * w, 4 * w, 3, 2, act="")
        self.down2 = nn.Sequential(ConvNorm(2 * w, 4 * w, 3, 2), ConvNorm(4 * w, 8 * w, 3, 2, act=""))
        self.pool = PyramidPooling(16 * w, pool, 4 * w, chained=True)

    def stages(self) -> list[nn.Module]:
        return [self.stem, *self.context]

    def forward(self, image: Tensor) -> list[Tensor]:
        size = (image.shape[2] // 8, image.shape[3] // 8)
        image = self.stem(image)
        context, spatial = self.context[0](image), self.spatial[0](image)
        context, spatial = self._exchange(context, spatial, self.up1, self.down1, size)
        early = spatial.clone()
        context, spatial = self.context[1](self.relu(context)), self.spatial[1](self.relu(spatial))
        context, spatial = self._exchange(context, spatial, self.up2, self.down2, size)
        spatial, context = self.spatial[2](self.relu(spatial)), self.context[2](self.relu(context))
        return [early, spatial + resize(self.pool(context), size)]

    def _exchange(self, context: Tensor, spatial: Tensor, up: nn.Module, down: nn.Module, size: Sequence[int]) -> tuple[Tensor, Tensor]:
        upward = up(self.relu(context))
        context += down(self.relu(spatial))
        spatial += resize(upward, size)
        return context, spatial


class DDRHead(Head):
    """Norm-first convolutions on both features, both with losses of hard pixels."""

    def __init__(self, ins: Sequence[int], width: int, classes: int) -> None:
        super().__init__(width, classes)
        self.enter, self.early = (nn.Sequential(NormFirst(c, width, 3), nn.BatchNorm2d(width), nn.ReLU(inplace=True)) for c in (ins[1], ins[0]))
        self.early_last = nn.Conv2d(width, classes, 1)

    def forward(self, features: list[Tensor]) -> Tensor:
        return self.classify(self.enter(features[1]))

    def loss(self, features: list[Tensor], labels: Tensor) -> Tensor:
        early, scores = self.early_last(self.early(features[0])), self(features)
        early, scores = (resize(value, labels.shape[1:]) for value in (early, scores))
        total = LOSSES["ohem"](scores, labels) + LOSSES["ohem"](early, labels)
        count_right(scores, labels)
        return total
