"""ERFNet: residual blocks of 3 × 1 and 1 × 3 convolutions, and a decoder of transposed convolutions."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .layers import Backbone


class Down(nn.Module):
    """A strided convolution beside pooling, joined before the norm."""

    def __init__(self, ins: int, outs: int) -> None:
        super().__init__()
        self.conv, self.pool = nn.Conv2d(ins, outs - ins, 3, 2, 1), nn.MaxPool2d(2, 2)
        self.end = nn.Sequential(nn.BatchNorm2d(outs), nn.ReLU())

    def forward(self, value: Tensor) -> Tensor:
        return self.end(torch.cat([self.conv(value), self.pool(value)], 1))


class Factored(nn.Module):
    """Two pairs of one-dimensional convolutions; the second may be dilated."""

    def __init__(self, width: int, *, drop: float = 0.0, dilation: int = 1) -> None:
        super().__init__()
        d = dilation
        self.body = nn.Sequential(
            nn.Conv2d(width, width, (3, 1), padding=(1, 0)), nn.ReLU(), nn.Conv2d(width, width, (1, 3), padding=(0, 1)),
            nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, (3, 1), padding=(d, 0), dilation=(d, 1)),
            nn.ReLU(), nn.Conv2d(width, width, (1, 3), padding=(0, d), dilation=(1, d)), nn.BatchNorm2d(width), nn.Dropout(drop),
        )  # fmt: skip
        self.relu = nn.ReLU()

    def forward(self, value: Tensor) -> Tensor:
        return self.relu(self.body(value) + value)


def up(ins: int, outs: int) -> nn.Sequential:
    conv = nn.ConvTranspose2d(ins, outs, 3, 2, 1, output_padding=1)
    return nn.Sequential(conv, nn.BatchNorm2d(outs), nn.ReLU())


class ERFNet(Backbone):
    """One feature of stride 2 with 16 channels."""

    def __init__(self, *, ins: int = 3) -> None:
        super().__init__()
        self.channels = [16]
        dilated = [Factored(128, drop=0.1, dilation=d) for _ in range(2) for d in (2, 4, 8, 16)]
        self.stem = Down(ins, 16)
        self.encoder = nn.Sequential(Down(16, 64), *[Factored(64, drop=0.1) for _ in range(5)], Down(64, 128), *dilated)
        self.decoder = nn.Sequential(up(128, 64), Factored(64), Factored(64), up(64, 16), Factored(16), Factored(16))

    def stages(self) -> list[nn.Module]:
        return [self.stem, self.encoder, self.decoder]

    def forward(self, image: Tensor) -> list[Tensor]:
        return [self.decoder(self.encoder(self.stem(image)))]
