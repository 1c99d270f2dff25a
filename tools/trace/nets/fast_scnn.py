"""Fast-SCNN: learning to downsample, a global feature extractor, and their fusion."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .layers import Backbone, ConvNorm, Separable, resize, size_of
from .mobilenet import Inverted
from .pyramid import Pooling


class FastSCNN(Backbone):
    """Features: of stride 8, of stride 32, fused at stride 8."""

    def __init__(self, *, ins: int = 3) -> None:
        super().__init__()
        self.channels = [64, 128, 128]
        self.down = nn.Sequential(ConvNorm(ins, 32, 3, 2), Separable(32, 48, stride=2), Separable(48, 64, stride=2))
        self.extract = nn.Sequential(_stage(64, 64, 2), _stage(64, 96, 2), _stage(96, 128, 1))
        self.pool, self.out = Pooling(128, 32), ConvNorm(256, 128, 3)
        self.depthwise, self.low = ConvNorm(128, 128, 3, groups=128), ConvNorm(128, 128, act="")
        self.high, self.relu = ConvNorm(64, 128, act=""), nn.ReLU(inplace=True)

    def stages(self) -> list[nn.Module]:
        return [self.down, *self.extract]

    def forward(self, image: Tensor) -> list[Tensor]:
        fine = self.down(image)
        coarse = self.extract(fine)
        coarse = self.out(torch.cat([coarse, *self.pool(coarse)], 1))
        low = self.low(self.depthwise(resize(coarse, size_of(fine))))
        return [fine, coarse, self.relu(self.high(fine) + low)]


def _stage(ins: int, outs: int, stride: int) -> nn.Sequential:
    return nn.Sequential(*[Inverted(outs if k else ins, outs, 1 if k else stride, 6, act="relu") for k in range(3)])
