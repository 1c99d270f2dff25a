"""BiSeNet V1 and V2: a wide shallow path for detail beside a deep one for context."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .layers import Backbone, ConvNorm, resize, size_of
from .resnet import ResNet


class Refinement(nn.Module):
    """A convolution whose channels are weighed by their mean."""

    def __init__(self, ins: int, outs: int) -> None:
        super().__init__()
        self.conv = ConvNorm(ins, outs, 3)
        self.weigh = nn.Sequential(nn.AdaptiveAvgPool2d(1), ConvNorm(outs, outs, act="sigmoid"))

    def forward(self, value: Tensor) -> Tensor:
        value = self.conv(value)
        return value * self.weigh(value)


class BiSeNetV1(Backbone):
    """Features: fused, and the context at strides 8 and 16, all of stride 8."""

    def __init__(self, depth: int = 18, *, ins: int = 3) -> None:
        super().__init__()
        self.context = ResNet(depth, stride=32, deep_stem=False, contract=False, ins=ins)
        wide, width = (64, 128) if depth < 50 else (256, 512)
        self.channels = [2 * width, width, width]
        coarse = self.context.channels
        self.spatial = nn.Sequential(
            ConvNorm(ins, wide, 7, 2), ConvNorm(wide, wide, 3, 2), ConvNorm(wide, wide, 3, 2), ConvNorm(wide, width)
        )
        self.refine16, self.refine32 = Refinement(coarse[2], width), Refinement(coarse[3], width)
        self.head16, self.head32 = ConvNorm(width, width, 3), ConvNorm(width, width, 3)
        self.whole = nn.Sequential(nn.AdaptiveAvgPool2d(1), ConvNorm(coarse[3], width))
        self.fuse = ConvNorm(2 * width, 2 * width)
        self.weigh = nn.Sequential(nn.AdaptiveAvgPool2d(1), ConvNorm(2 * width, 2 * width, act="sigmoid"))

    def stages(self) -> list[nn.Module]:
        return self.context.stages()

    def forward(self, image: Tensor) -> list[Tensor]:
        features = self.context(image)
        whole = self.whole(features[3])
        low = self.refine32(features[3])
        low = self.head32(resize(low + resize(whole, size_of(low)), size_of(features[2])))
        high = self.head16(resize(self.refine16(features[2]) + low, size_of(features[1])))
        fused = self.fuse(torch.cat([self.spatial(image), high], 1))
        return [fused * self.weigh(fused) + fused, high, low]


class Gather(nn.Module):
    """Gather-and-expansion layer."""

    def __init__(self, ins: int, outs: int, stride: int, widening: int = 6) -> None:
        super().__init__()
        inner = ins * widening
        self.conv = ConvNorm(ins, ins, 3)
        self.short: nn.Module | None = None
        if stride == 1:
            self.depthwise: nn.Module = ConvNorm(ins, inner, 3, groups=ins)
        else:
            self.depthwise = nn.Sequential(
                ConvNorm(ins, inner, 3, stride, groups=ins, act=""), ConvNorm(inner, inner, 3, groups=inner)
            )
            self.short = nn.Sequential(ConvNorm(ins, ins, 3, stride, groups=ins, act=""), ConvNorm(ins, outs, act=""))
        self.narrow, self.relu = ConvNorm(inner, outs, act=""), nn.ReLU()

    def forward(self, value: Tensor) -> Tensor:
        result = self.narrow(self.depthwise(self.conv(value)))
        return self.relu(result + (value if self.short is None else self.short(value)))


class BiSeNetV2(Backbone):
    """Features: fused at stride 8, and four of the semantic branch."""

    def __init__(self, *, ins: int = 3) -> None:
        super().__init__()
        self.channels = [128, 16, 32, 64, 128]
        rows = ((ins, 64, 2), (64, 64, 1), (64, 64, 2), (64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 128, 1))
        self.detail = nn.Sequential(*[ConvNorm(a, b, 3, stride) for a, b, stride in rows])
        self.stem, self.left = ConvNorm(ins, 16, 3, 2), nn.Sequential(ConvNorm(16, 8), ConvNorm(8, 16, 3, 2))
        self.right, self.join = nn.MaxPool2d(3, 2, 1), ConvNorm(32, 16, 3)
        self.semantic = nn.ModuleList([
            nn.Sequential(Gather(16, 32, 2), Gather(32, 32, 1)), nn.Sequential(Gather(32, 64, 2), Gather(64, 64, 1)),
            nn.Sequential(Gather(64, 128, 2), *[Gather(128, 128, 1) for _ in range(3)]),
        ])  # fmt: skip
        self.whole, self.mix1, self.mix2 = nn.BatchNorm2d(128), ConvNorm(128, 128), ConvNorm(128, 128, 3)
        self.detail_keep = nn.Sequential(ConvNorm(128, 128, 3, groups=128, act=""), nn.Conv2d(128, 128, 1))
        self.detail_down = nn.Sequential(ConvNorm(128, 128, 3, 2, act=""), nn.AvgPool2d(3, 2, 1))
        self.semantic_keep = nn.Sequential(ConvNorm(128, 128, 3, groups=128, act=""), nn.Conv2d(128, 128, 1))
        self.semantic_up, self.out = ConvNorm(128, 128, 3, act=""), ConvNorm(128, 128, 3)

    def stages(self) -> list[nn.Module]:
        return [self.stem, self.detail, *self.semantic]

    def forward(self, image: Tensor) -> list[Tensor]:
        detail, start = self.detail(image), self.stem(image)
        features = [self.join(torch.cat([self.left(start), self.right(start)], 1))]
        for stage in self.semantic:
            features.append(stage(features[-1]))
        whole = self.whole(F.adaptive_avg_pool2d(features[-1], 1))
        context = self.mix2(self.mix1(whole) + features[-1])
        keep, down = self.detail_keep(detail), self.detail_down(detail)
        inner = torch.sigmoid(self.semantic_keep(context))
        outer = torch.sigmoid(resize(self.semantic_up(context), size_of(keep)))
        fused = self.out(keep * outer + resize(down * inner, size_of(keep)))
        return [fused, *features]
