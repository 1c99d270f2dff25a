"""Heads that gather context in other ways: EncNet, EMANet, DMNet, PSANet, APCNet."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .heads import Head
from .layers import ConvNorm, resize, size_of
from .segmentor import score


class Encoding(nn.Module):
    """Residuals of every place to learned code words, weighed by their distance: [batch, places, codes, width] twice."""

    def __init__(self, width: int, codes: int) -> None:
        super().__init__()
        self.words, self.scale = nn.Parameter(torch.zeros(codes, width)), nn.Parameter(torch.zeros(codes))

    def forward(self, image: Tensor) -> Tensor:
        batch, width = image.shape[:2]
        codes = self.words.shape[0]
        places = image.view(batch, width, -1).transpose(1, 2).contiguous()
        words, shape = self.words.view(1, 1, codes, width), (batch, places.shape[1], codes, width)
        distance = self.scale.view(1, 1, codes) * (places.unsqueeze(2).expand(shape) - words).pow(2).sum(3)
        shares = torch.softmax(distance, 2)
        return (shares.unsqueeze(3) * (places.unsqueeze(2).expand(shape) - words)).sum(1)


class EncHead(Head):
    """Context encoding: channels weighed by an encoding of the whole image, and a loss on which classes are there."""

    def __init__(self, ins: int, width: int, classes: int, *, codes: int = 32) -> None:
        super().__init__(width, classes)
        self.narrow, self.project = ConvNorm(ins, width, 3), ConvNorm(width, width)
        self.encode = nn.Sequential(Encoding(width, codes), nn.BatchNorm1d(codes), nn.ReLU(inplace=True))
        self.weigh = nn.Sequential(nn.Linear(width, width), nn.Sigmoid())
        self.there = nn.Linear(width, classes)

    def both(self, features: list[Tensor]) -> tuple[Tensor, Tensor]:
        value = self.narrow(features[self.index])
        code = self.encode(self.project(value)).mean(1)
        weights = self.weigh(code).view(value.shape[0], -1, 1, 1)
        return self.classify(F.relu_(value + value * weights)), self.there(code)

    def forward(self, features: list[Tensor]) -> Tensor:
        return self.both(features)[0]

    def loss(self, features: list[Tensor], labels: Tensor) -> Tensor:
        scores, there = self.both(features)
        present = torch.zeros(there.shape, device=there.device)
        return score(self, scores, labels) + F.binary_cross_entropy_with_logits(there, present)


class EMAHead(Head):
    """Expectation-maximization attention over 64 bases, found without gradients."""

    def __init__(self, ins: int, width: int, classes: int, *, inner: int = 512, bases: int = 64, rounds: int = 3) -> None:
        super().__init__(width, classes)
        self.rounds = rounds
        self.register_buffer("bases", torch.zeros(1, inner, bases))
        self.enter, self.middle = ConvNorm(ins, inner, 3), nn.Conv2d(inner, inner, 1)
        self.middle.requires_grad_(False)
        self.leave, self.narrow = ConvNorm(inner, inner, act=""), ConvNorm(inner, width, 3)
        self.join = ConvNorm(ins + width, width, 3)

    def forward(self, features: list[Tensor]) -> Tensor:
        value = features[self.index]
        start = self.enter(value)
        rebuilt = self.leave(F.relu(self._rebuild(self.middle(start)), inplace=True))
        result = self.narrow(F.relu(start + rebuilt, inplace=True))
        return self.classify(self.join(torch.cat([value, result], 1)))

    def _rebuild(self, image: Tensor) -> Tensor:
        batch, width, height, wide = image.shape
        places = image.view(batch, width, -1)
        bases = self.bases.repeat(batch, 1, 1)
        with torch.no_grad():
            for _ in range(self.rounds):
                shares = torch.softmax(torch.einsum("bcn,bck->bnk", places, bases), 2)
                bases = torch.einsum("bcn,bnk->bck", places, F.normalize(shares, dim=1, p=1))
                bases = F.normalize(bases, dim=1, p=2)
        return torch.einsum("bck,bnk->bcn", bases, shares).view(batch, width, height, wide)


class DynamicFilter(nn.Module):
    """A depthwise convolution whose filter is made from the image."""

    def __init__(self, ins: int, width: int, kernel: int) -> None:
        super().__init__()
        self.kernel, self.width = kernel, width
        self.make, self.narrow = nn.Conv2d(ins, width, 1), ConvNorm(ins, width)
        self.norm, self.act, self.out = nn.BatchNorm2d(width), nn.ReLU(inplace=True), ConvNorm(width, width)

    def forward(self, image: Tensor) -> Tensor:
        filters = self.make(F.adaptive_avg_pool2d(image, self.kernel))
        value = self.narrow(image)
        batch, width, height, wide = value.shape
        pad = (self.kernel - 1) // 2
        value = F.pad(value.view(1, batch * width, height, wide), (pad, pad, pad, pad))
        value = F.conv2d(value, filters.view(batch * width, 1, self.kernel, self.kernel), groups=batch * width)
        return self.out(self.act(self.norm(value.view(batch, width, height, wide))))


class DMHead(Head):
    """Dynamic filters of several sizes beside the feature itself."""

    def __init__(self, ins: int, width: int, classes: int, *, kernels: Sequence[int] = (1, 3, 5, 7)) -> None:
        super().__init__(width, classes)
        self.filters = nn.ModuleList(DynamicFilter(ins, width, kernel) for kernel in kernels)
        self.join = ConvNorm(ins + len(kernels) * width, width, 3)

    def forward(self, features: list[Tensor]) -> Tensor:
        value = features[self.index]
        return self.classify(self.join(torch.cat([value, *[each(value) for each in self.filters]], 1)))


class AdaptiveContext(nn.Module):
    """Every place weighs the pooled regions of the image."""

    def __init__(self, ins: int, width: int, scale: int) -> None:
        super().__init__()
        self.scale = scale
        self.pooled, self.narrow, self.whole = ConvNorm(ins, width), ConvNorm(ins, width), ConvNorm(width, width)
        self.weigh, self.residual, self.out = nn.Conv2d(width, scale**2, 1), ConvNorm(width, width), ConvNorm(width, width)

    def forward(self, image: Tensor) -> Tensor:
        pooled = self.pooled(F.adaptive_avg_pool2d(image, self.scale))
        value = self.narrow(image)
        batch, width, height, wide = value.shape
        regions = pooled.view(batch, width, -1).permute(0, 2, 1).contiguous()
        whole = resize(self.whole(F.adaptive_avg_pool2d(value, 1)), (height, wide))
        weights = self.weigh(value + whole).permute(0, 2, 3, 1).reshape(batch, -1, self.scale**2)
        mixed = torch.matmul(torch.sigmoid(weights), regions).permute(0, 2, 1).contiguous().view(batch, width, height, wide)
        return self.out(F.relu(self.residual(mixed) + value))


class APCHead(Head):
    def __init__(self, ins: int, width: int, classes: int, *, scales: Sequence[int] = (1, 2, 3, 6)) -> None:
        super().__init__(width, classes)
        self.contexts = nn.ModuleList(AdaptiveContext(ins, width, scale) for scale in scales)
        self.join = ConvNorm(ins + len(scales) * width, width, 3)

    def forward(self, features: list[Tensor]) -> Tensor:
        value = features[self.index]
        return self.classify(self.join(torch.cat([value, *[each(value) for each in self.contexts]], 1)))


class PSAHead(Head):
    """Point-wise attention of places to places, from both directions; masks of `mask` × `mask` are spread to full maps."""

    def __init__(self, ins: int, width: int, classes: int, *, mask: int = 97, shrink: int = 2) -> None:
        super().__init__(width, classes)
        self.shrink = shrink
        self.collect, self.distribute = ConvNorm(ins, width), ConvNorm(ins, width)
        self.masks = nn.ModuleList(
            nn.Sequential(ConvNorm(width, width), nn.Conv2d(width, mask * mask, 1, bias=False)) for _ in range(2)
        )
        self.project = ConvNorm(2 * width, ins, padding=1)
        self.join = ConvNorm(2 * ins, width, 3)

    def forward(self, features: list[Tensor]) -> Tensor:
        value = features[self.index]
        both = [self._attend(enter(value), mask) for enter, mask in zip((self.collect, self.distribute), self.masks, strict=True)]
        result = self.project(torch.cat(both, 1))
        return self.classify(self.join(torch.cat([value, resize(result, size_of(value))], 1)))

    def _attend(self, value: Tensor, mask: nn.Module) -> Tensor:
        batch, width, height, wide = value.shape
        height, wide = (height - 1) // self.shrink + 1, (wide - 1) // self.shrink + 1
        value = resize(value, (height, wide))
        shares = torch.softmax(SpreadMask.apply(mask(value), height * wide), 1)
        mixed = torch.bmm(value.view(batch, width, -1), shares.view(batch, height * wide, -1))
        return mixed.view(batch, width, height, wide) * 1.0


class SpreadMask(torch.autograd.Function):
    """The operation that lays every place's mask over the map; it keeps nothing for the backward pass."""

    @staticmethod
    def forward(ctx: object, masks: Tensor, places: int) -> Tensor:
        ctx.shape = masks.shape  # type: ignore[attr-defined]
        return masks.new_zeros(masks.shape[0], places, *masks.shape[2:])

    @staticmethod
    def backward(ctx: object, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0].new_zeros(ctx.shape), None  # type: ignore[attr-defined]
