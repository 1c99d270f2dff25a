"""EfficientNet B0 to B7 and L2."""

from __future__ import annotations

import math

from torch import Tensor, nn

from .layers import Backbone, ConvNorm, DropPath
from .mobilenet import SqueezeExcite

ROWS = ((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3))
"""Widening, channels, blocks, stride, kernel of B0's stages."""
SCALES = {
    "b0": (1.0, 1.0), "b1": (1.0, 1.1), "b2": (1.1, 1.2), "b3": (1.2, 1.4), "b4": (1.4, 1.8), "b5": (1.6, 2.2), "b6": (1.8, 2.6),
    "b7": (2.0, 3.1), "l2": (4.3, 5.3),
}  # fmt: skip
"""Factors of width and depth."""


def round_width(width: int, factor: float) -> int:
    """To a multiple of 8, never more than 10 % down."""
    scaled = width * factor
    rounded = max(8, int(scaled + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * scaled else rounded


class MBConv(nn.Module):
    def __init__(self, ins: int, outs: int, *, widening: int, kernel: int, stride: int, rate: float) -> None:
        super().__init__()
        inner = ins * widening
        widen = [ConvNorm(ins, inner, act="silu")] if widening != 1 else []
        depthwise = ConvNorm(inner, inner, kernel, stride, groups=inner, act="silu")
        weigh = SqueezeExcite(inner, max(1, ins // 4), first="silu", last="sigmoid")
        self.body = nn.Sequential(*widen, depthwise, weigh, ConvNorm(inner, outs, act=""))
        self.drop = DropPath(rate) if stride == 1 and ins == outs else None

    def forward(self, value: Tensor) -> Tensor:
        result = self.body(value)
        return result if self.drop is None else self.drop(result) + value


class EfficientNet(Backbone):
    """`size` b0 to b7 or l2; features of strides 4, 8, 16 and 32, `early_channels` of stride 2."""

    def __init__(self, size: str = "b0", *, ins: int = 3) -> None:
        super().__init__()
        width, depth = SCALES[size]
        before = round_width(32, width)
        self.stem, self.parts, self.channels = ConvNorm(ins, before, 3, 2, act="silu"), nn.ModuleList(), []
        counts = [math.ceil(row[2] * depth) for row in ROWS]
        done = 0
        for (widening, channels, _, stride, kernel), count in zip(ROWS, counts, strict=True):
            outs, blocks = round_width(channels, width), []
            for j in range(count):
                rate = 0.2 * done / sum(counts)
                step = stride if j == 0 else 1
                blocks.append(MBConv(before, outs, widening=widening, kernel=kernel, stride=step, rate=rate))
                before, done = outs, done + 1
            self.parts.append(nn.Sequential(*blocks))
        self.channels = [self._outs(k) for k in (1, 2, 4, 6)]
        self.early_channels = self._outs(0)

    def _outs(self, part: int) -> int:
        return int(self.parts[part][-1].body[-1][0].out_channels)

    def stages(self) -> list[nn.Module]:
        return [self.stem, *self.parts]

    def forward(self, value: Tensor) -> list[Tensor]:
        return self._run_parts(value, (1, 2, 4, 6))

    def pyramid(self, value: Tensor) -> list[Tensor]:
        """The feature of stride 2 as well."""
        return self._run_parts(value, (0, 1, 2, 4, 6))

    def _run_parts(self, value: Tensor, taken: tuple[int, ...]) -> list[Tensor]:
        value = self.stem(value)
        features = []
        for k, part in enumerate(self.parts):
            value = part(value)
            if k in taken:
                features.append(value)
        return features
