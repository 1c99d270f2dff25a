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


class DecoderHead(nn.Module):
    """A U-Net decoder on any backbone: widths 256 to 16, each stage doubles the size and joins the encoder's feature.

    The widths are those of the widely used segmentation_models.pytorch. Features come finest first and may start at stride 4.
    """

    terms = ("cross_entropy",)

    def __init__(self, ins: list[int], classes: int, widths: tuple[int, ...] = (256, 128, 64, 32, 16)) -> None:
        super().__init__()
        skips = [*ins[-2::-1], 0, 0][: len(widths)]
        before = [ins[-1], *widths[:-1]]
        self.stages = nn.ModuleList(
            nn.Sequential(ConvNorm(a + b, c, 3), ConvNorm(c, c, 3)) for a, b, c in zip(before, skips, widths, strict=True)
        )
        self.last = nn.Conv2d(widths[-1], classes, 3, padding=1)

    def forward(self, features: list[Tensor]) -> Tensor:
        value, rest = features[-1], [*features[-2::-1]]
        for k, stage in enumerate(self.stages):
            value = nn.functional.interpolate(value, scale_factor=2, mode="nearest")
            value = stage(torch.cat([value, rest[k]], 1) if k < len(rest) else value)
        return self.last(value)


class WithEarly(Backbone):
    """A backbone that hands out its feature of stride 2 as well."""

    def __init__(self, body: Backbone) -> None:
        super().__init__()
        self.body = body
        self.channels = [body.early_channels, *body.channels]

    def stages(self) -> list[nn.Module]:
        return self.body.stages()

    def blocks(self) -> list[nn.Module]:
        return self.body.blocks()

    def forward(self, image: Tensor) -> list[Tensor]:
        return self.body.pyramid(image)
