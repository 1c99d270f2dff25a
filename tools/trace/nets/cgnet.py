"""CGNet: context-guided blocks, each feature seen locally and dilated."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .layers import Backbone


class GuidedBlock(nn.Module):
    """Local and dilated depthwise convolutions joined, then weighed by their mean; `down` halves the size."""

    def __init__(self, ins: int, outs: int, *, dilation: int, reduction: int, down: bool = False) -> None:
        super().__init__()
        width = outs if down else outs // 2
        kernel, stride = (3, 2) if down else (1, 1)
        self.enter = nn.Sequential(nn.Conv2d(ins, width, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(width), nn.PReLU(width))
        self.near = nn.Conv2d(width, width, 3, padding=1, groups=width, bias=False)
        self.far = nn.Conv2d(width, width, 3, padding=dilation, dilation=dilation, groups=width, bias=False)
        self.norm = nn.Sequential(nn.BatchNorm2d(2 * width), nn.PReLU(2 * width))
        self.narrow = nn.Conv2d(2 * width, outs, 1, bias=False) if down else nn.Identity()
        self.weigh = nn.Sequential(
            nn.Linear(outs, outs // reduction), nn.ReLU(inplace=True), nn.Linear(outs // reduction, outs), nn.Sigmoid()
        )
        self.adds = not down

    def forward(self, value: Tensor) -> Tensor:
        start = self.enter(value)
        result = self.narrow(self.norm(torch.cat([self.near(start), self.far(start)], 1)))
        weights = self.weigh(nn.functional.adaptive_avg_pool2d(result, 1).flatten(1))
        result = result * weights.unsqueeze(-1).unsqueeze(-1)
        return value + result if self.adds else result


class CGNet(Backbone):
    """M3N21: three blocks at stride 4, 21 at stride 8; features of strides 2, 4 and 8."""

    def __init__(self, *, ins: int = 3) -> None:
        super().__init__()
        self.channels = [32 + ins, 128 + ins, 256]
        rows = ((ins, 2), (32, 1), (32, 1))
        self.stem = nn.Sequential(
            *[nn.Sequential(nn.Conv2d(c, 32, 3, s, 1, bias=False), nn.BatchNorm2d(32), nn.PReLU(32)) for c, s in rows]
        )
        self.pool = nn.AvgPool2d(3, 2, 1)
        self.first = nn.ModuleList([
            GuidedBlock(32 + ins if k == 0 else 64, 64, dilation=2, reduction=8, down=k == 0) for k in range(3)
        ])  # fmt: skip
        self.second = nn.ModuleList([
            GuidedBlock(128 + ins if k == 0 else 128, 128, dilation=4, reduction=16, down=k == 0) for k in range(21)
        ])  # fmt: skip
        self.norms = nn.ModuleList(nn.Sequential(nn.BatchNorm2d(c), nn.PReLU(c)) for c in self.channels)

    def stages(self) -> list[nn.Module]:
        return [self.stem, self.first, self.second]

    def forward(self, image: Tensor) -> list[Tensor]:
        half, quarter = self.pool(image), self.pool(self.pool(image))
        features = [self.norms[0](torch.cat([self.stem(image), half], 1))]
        first, last = _run(self.first, features[0])
        features.append(self.norms[1](torch.cat([last, first, quarter], 1)))
        first, last = _run(self.second, features[1])
        features.append(self.norms[2](torch.cat([first, last], 1)))
        return features


def _run(blocks: nn.ModuleList, value: Tensor) -> tuple[Tensor, Tensor]:
    """The outputs of the first and of the last block."""
    value = first = blocks[0](value)
    for block in blocks[1:]:
        value = block(value)
    return first, value
