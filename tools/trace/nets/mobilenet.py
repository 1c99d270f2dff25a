"""MobileNetV2 and V3."""

from __future__ import annotations

from collections.abc import Sequence

import torch.nn.functional as F
from torch import Tensor, nn

from .layers import Backbone, ConvNorm

V2 = ((1, 16, 1), (6, 24, 2), (6, 32, 3), (6, 64, 4), (6, 96, 3), (6, 160, 3), (6, 320, 1))
"""Widening, channels, blocks of each stage."""
V3 = {
    "large": (
        (3, 16, 16, False, "relu", 1), (3, 64, 24, False, "relu", 2), (3, 72, 24, False, "relu", 1), (5, 72, 40, True, "relu", 2),
        (5, 120, 40, True, "relu", 1), (5, 120, 40, True, "relu", 1), (3, 240, 80, False, "hardswish", 2),
        (3, 200, 80, False, "hardswish", 1), (3, 184, 80, False, "hardswish", 1), (3, 184, 80, False, "hardswish", 1),
        (3, 480, 112, True, "hardswish", 1), (3, 672, 112, True, "hardswish", 1), (5, 672, 160, True, "hardswish", 2),
        (5, 672, 160, True, "hardswish", 1), (5, 960, 160, True, "hardswish", 1),
    ),
    "small": (
        (3, 16, 16, True, "relu", 2), (3, 72, 24, False, "relu", 2), (3, 88, 24, False, "relu", 1), (5, 96, 40, True, "hardswish", 2),
        (5, 240, 40, True, "hardswish", 1), (5, 240, 40, True, "hardswish", 1), (5, 120, 48, True, "hardswish", 1),
        (5, 144, 48, True, "hardswish", 1), (5, 288, 96, True, "hardswish", 2), (5, 576, 96, True, "hardswish", 1),
        (5, 576, 96, True, "hardswish", 1),
    ),
}  # fmt: skip
"""Kernel, inner channels, channels, squeeze-and-excite, activation, stride of each block."""


class Inverted(nn.Module):
    """Widen, depthwise, narrow; the input is added where shapes agree."""

    def __init__(self, ins: int, outs: int, stride: int, widening: int, *, act: str = "relu6", dilation: int = 1) -> None:
        super().__init__()
        inner = ins * widening
        widen = [ConvNorm(ins, inner, act=act)] if widening != 1 else []
        depthwise = ConvNorm(inner, inner, 3, stride, dilation=dilation, groups=inner, act=act)
        self.body = nn.Sequential(*widen, depthwise, ConvNorm(inner, outs, act=""))
        self.adds = stride == 1 and ins == outs

    def forward(self, value: Tensor) -> Tensor:
        result = self.body(value)
        return value + result if self.adds else result


class MobileNetV2(Backbone):
    """Features of the stages 1, 2, 4 and 6; output stride 8 by dilation, or 32."""

    def __init__(self, *, stride: int = 8, ins: int = 3) -> None:
        super().__init__()
        strides = {8: (1, 2, 2, 1, 1, 1, 1), 16: (1, 2, 2, 2, 1, 1, 1), 32: (1, 2, 2, 2, 1, 2, 1)}[stride]
        dilations = {8: (1, 1, 1, 2, 2, 4, 4), 16: (1, 1, 1, 1, 1, 2, 2), 32: (1,) * 7}[stride]
        self.channels = [24, 32, 96, 320]
        self.stem, self.parts, before = ConvNorm(ins, 32, 3, 2, act="relu6"), nn.ModuleList(), 32
        for (widening, outs, count), step, dilation in zip(V2, strides, dilations, strict=True):
            blocks = []
            for j in range(count):
                blocks.append(Inverted(before, outs, 1 if j else step, widening, dilation=dilation))
                before = outs
            self.parts.append(nn.Sequential(*blocks))

    def stages(self) -> list[nn.Module]:
        return [self.stem, *self.parts]

    def forward(self, value: Tensor) -> list[Tensor]:
        value = self.stem(value)
        features = []
        for k, part in enumerate(self.parts):
            value = part(value)
            if k in (1, 2, 4, 6):
                features.append(value)
        return features


class SqueezeExcite(nn.Module):
    """Weighs channels by their mean: `first` and `last` are the activations of the two layers."""

    def __init__(self, width: int, inner: int, *, first: str = "relu", last: str = "hardsigmoid") -> None:
        super().__init__()
        self.squeeze, self.excite = ConvNorm(width, inner, act=first, norm=False), ConvNorm(inner, width, act=last, norm=False)

    def forward(self, value: Tensor) -> Tensor:
        return value * self.excite(self.squeeze(F.adaptive_avg_pool2d(value, 1)))


class V3Block(nn.Module):
    def __init__(self, ins: int, row: Sequence[object], *, stride: int, dilation: int) -> None:
        super().__init__()
        kernel, inner, outs, excite, act, _ = row
        assert isinstance(kernel, int) and isinstance(inner, int) and isinstance(outs, int) and isinstance(act, str)
        widen = [ConvNorm(ins, inner, act=act)] if inner != ins else []
        weigh = [SqueezeExcite(inner, max(8, (inner // 4 + 4) // 8 * 8))] if excite else []
        depthwise = ConvNorm(inner, inner, kernel, stride, dilation=dilation, groups=inner, act=act)
        self.body = nn.Sequential(*widen, depthwise, *weigh, ConvNorm(inner, outs, act=""))
        self.adds = stride == 1 and ins == outs

    def forward(self, value: Tensor) -> Tensor:
        result = self.body(value)
        return value + result if self.adds else result


class MobileNetV3(Backbone):
    """`size` large or small with output stride 8: features of stride 2, stride 4 and of the last layer."""

    def __init__(self, size: str = "large", *, ins: int = 3) -> None:
        super().__init__()
        rows = V3[size]
        dilated = {"large": ((6, 2), (12, 4)), "small": ((3, 2), (8, 4))}[size]
        self.taken = (0, 2) if size == "large" else (0,)
        self.takes_stem = size == "small"
        self.stem, self.parts, before = ConvNorm(ins, 16, 3, 2, act="hardswish"), nn.ModuleList(), 16
        for k, row in enumerate(rows):
            dilation = max([1, *[factor for start, factor in dilated if k >= start]])
            stride = 1 if dilation > 1 else row[5]
            self.parts.append(V3Block(before, row, stride=stride, dilation=dilation))
            before = row[2]
        self.last = ConvNorm(before, 960 if size == "large" else 576, act="hardswish")
        self.channels = [*([16] if self.takes_stem else []), *[rows[k][2] for k in self.taken], 960 if size == "large" else 576]

    def stages(self) -> list[nn.Module]:
        return [self.stem, self.parts]

    def forward(self, value: Tensor) -> list[Tensor]:
        value = self.stem(value)
        features = [value] if self.takes_stem else []
        for k, part in enumerate(self.parts):
            value = part(value)
            if k in self.taken:
                features.append(value)
        return [*features, self.last(value)]
