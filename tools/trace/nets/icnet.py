"""ICNet: three resolutions of the image, fused in cascade."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layers import Backbone, ConvNorm, resize, size_of
from .pyramid import Pooling
from .resnet import ResNet


class ICNet(Backbone):
    """Features from full, half and quarter resolution."""

    def __init__(self, depth: int = 50, *, ins: int = 3) -> None:
        super().__init__()
        self.channels = [64, 256, 256]
        self.body = ResNet(depth, stride=8, ins=ins)
        width = self.body.channels[-1]
        self.pool, self.join = Pooling(width, 512), ConvNorm(width + 4 * 512, 512, 3)
        self.full = nn.Sequential(ConvNorm(ins, 32, 3, 2), ConvNorm(32, 32, 3, 2), ConvNorm(32, 64, 3, 2))
        self.middle, self.coarse = ConvNorm(self.body.channels[1], 256), ConvNorm(512, 256)

    def stages(self) -> list[nn.Module]:
        return self.body.stages()

    def forward(self, image: Tensor) -> list[Tensor]:
        full = self.full(image)
        layers = self.body.layers
        value = layers[1](layers[0](self.body.stem(_halve(image))))
        half = self.middle(value)
        value = layers[3](layers[2](_halve(value)))
        value = self.join(torch.cat([*self.pool(value), value], 1))
        return [full, half, self.coarse(value)]


def _halve(image: Tensor) -> Tensor:
    return F.interpolate(image, scale_factor=0.5, mode="bilinear")


class Fusion(nn.Module):
    """A coarse feature, upsampled and convolved, added to a fine one."""

    def __init__(self, coarse: int, fine: int, width: int) -> None:
        super().__init__()
        self.coarse, self.fine = ConvNorm(coarse, width, 3, dilation=2), ConvNorm(fine, width)

    def forward(self, coarse: Tensor, fine: Tensor) -> tuple[Tensor, Tensor]:
        moved = self.coarse(resize(coarse, size_of(fine)))
        return F.relu(moved + self.fine(fine)), moved


class ICNeck(nn.Module):
    def __init__(self, width: int = 128) -> None:
        super().__init__()
        self.first, self.second = Fusion(256, 256, width), Fusion(width, 64, width)
        self.channels = [width] * 3

    def forward(self, features: list[Tensor]) -> list[Tensor]:
        full, half, quarter = features
        joined, first = self.first(quarter, half)
        last, second = self.second(joined, full)
        return [first, second, last]
