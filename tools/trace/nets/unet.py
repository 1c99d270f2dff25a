"""U-Net: an encoder of five stages and a decoder that upsamples bilinearly and joins the encoder's features."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .layers import Backbone, ConvNorm


def double(ins: int, outs: int) -> nn.Sequential:
    return nn.Sequential(ConvNorm(ins, outs, 3), ConvNorm(outs, outs, 3))


class UNet(Backbone):
    """Features from the bottom of the U up to full resolution: `channels` fall, strides 16 to 1."""

    def __init__(self, base: int = 64, *, stages: int = 5, ins: int = 3) -> None:
        super().__init__()
        widths = [base * 2**k for k in range(stages)]
        self.encoder = nn.ModuleList(double(ins if k == 0 else widths[k - 1], w) for k, w in enumerate(widths))
        self.pool = nn.MaxPool2d(2)
        pairs = list(zip(widths[:0:-1], widths[-2::-1], strict=True))
        self.ups = nn.ModuleList(
            nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False), ConvNorm(low, high))
            for low, high in pairs
        )
        self.decoder = nn.ModuleList(double(2 * high, high) for _, high in pairs)
        self.channels = widths[::-1]

    def stages(self) -> list[nn.Module]:
        return [self.encoder[0], self.encoder[1:], self.decoder]

    def forward(self, value: Tensor) -> list[Tensor]:
        encoded = []
        for k, stage in enumerate(self.encoder):
            value = stage(self.pool(value) if k else value)
            encoded.append(value)
        features = [value]
        for k, (up, join) in enumerate(zip(self.ups, self.decoder, strict=True)):
            value = join(torch.cat([encoded[-2 - k], up(value)], 1))
            features.append(value)
        return features
