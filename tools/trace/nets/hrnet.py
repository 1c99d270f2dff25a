"""HRNet: branches of four resolutions, exchanged after every module."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from .layers import Backbone, ConvNorm, resize, size_of
from .resnet import basic, bottleneck


class Exchange(nn.Module):
    """Blocks on every branch, then each branch gets the sum of all, brought to its resolution."""

    def __init__(self, widths: Sequence[int], blocks: int) -> None:
        super().__init__()
        self.branches = nn.ModuleList(nn.Sequential(*[basic(w, w) for _ in range(blocks)]) for w in widths)
        self.paths = nn.ModuleList(
            nn.ModuleList(_path(widths, source, target) for source in range(len(widths))) for target in range(len(widths))
        )
        self.relu = nn.ReLU()

    def forward(self, values: list[Tensor]) -> list[Tensor]:
        values = [branch(value) for branch, value in zip(self.branches, values, strict=True)]
        results = []
        for target, paths in enumerate(self.paths):
            total: Tensor | int = 0
            for source, path in enumerate(paths):
                moved = path(values[source])
                if source > target:
                    moved = resize(moved, size_of(values[target]))
                total = total + moved
            results.append(self.relu(total))
        return results


def _path(widths: Sequence[int], source: int, target: int) -> nn.Module:
    if source == target:
        return nn.Identity()
    if source > target:
        return ConvNorm(widths[source], widths[target], act="")
    steps = target - source
    keep = widths[source]
    down = [ConvNorm(keep, keep, 3, 2) for _ in range(steps - 1)]
    return nn.Sequential(*down, ConvNorm(keep, widths[target], 3, 2, act=""))


class HRNet(Backbone):
    """`width` of the finest branch (18, 32, 40, 48); `small` halves blocks and modules (W18s)."""

    def __init__(self, width: int = 18, *, small: bool = False, ins: int = 3) -> None:
        super().__init__()
        blocks, modules = (2, (1, 3, 2)) if small else (4, (1, 4, 3))
        self.channels = [width * 2**k for k in range(4)]
        self.stem = nn.Sequential(ConvNorm(ins, 64, 3, 2), ConvNorm(64, 64, 3, 2))
        first = bottleneck(64, 64, short=ConvNorm(64, 256, act=""))
        self.first = nn.Sequential(first, *[bottleneck(256, 64) for _ in range(blocks - 1)])
        c = self.channels
        self.enter = nn.ModuleList([ConvNorm(256, c[0], 3), ConvNorm(256, c[1], 3, 2)])
        self.third, self.fourth = ConvNorm(c[1], c[2], 3, 2), ConvNorm(c[2], c[3], 3, 2)
        self.parts = nn.ModuleList(
            nn.Sequential(*[Exchange(c[: k + 2], blocks) for _ in range(count)]) for k, count in enumerate(modules)
        )

    def stages(self) -> list[nn.Module]:
        return [self.stem, self.first, *self.parts]

    def forward(self, value: Tensor) -> list[Tensor]:
        value = self.first(self.stem(value))
        values = self.parts[0]([enter(value) for enter in self.enter])
        values = self.parts[1]([*values, self.third(values[-1])])
        return self.parts[2]([*values, self.fourth(values[-1])])
