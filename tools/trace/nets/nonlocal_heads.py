"""Heads between two convolutions of an FCN head: non-local, disentangled non-local, global context, criss-cross attention."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .heads import FCNHead
from .layers import ConvNorm


class MiddleHead(FCNHead):
    """An FCN head with a block between its two convolutions, `times` in a row."""

    def __init__(self, ins: int, width: int, classes: int, block: nn.Module, *, times: int = 1) -> None:
        super().__init__(ins, width, classes)
        self.block, self.times = block, times

    def features(self, features: list[Tensor]) -> Tensor:
        value = features[self.index]
        result = self.convs[0](value)
        for _ in range(self.times):
            result = self.block(result)
        result = self.convs[1](result)
        assert self.join is not None
        return self.join(torch.cat([value, result], 1))


class NonLocal(nn.Module):
    """Every place attends to every place. `disentangled` subtracts means and adds one map for all places."""

    def __init__(self, width: int, *, reduction: int = 2, disentangled: bool = False) -> None:
        super().__init__()
        self.inner = width // reduction
        self.value, self.query, self.key = (nn.Conv2d(width, self.inner, 1) for _ in range(3))
        self.out = ConvNorm(self.inner, width, act="")
        self.mask = nn.Conv2d(width, 1, 1) if disentangled else None

    def forward(self, image: Tensor) -> Tensor:
        batch, _, height, wide = image.shape
        value = self.value(image).view(batch, self.inner, -1).permute(0, 2, 1)
        query = self.query(image).view(batch, self.inner, -1).permute(0, 2, 1)
        key = self.key(image).view(batch, self.inner, -1)
        if self.mask is not None:
            query -= query.mean(dim=-2, keepdim=True)
            key -= key.mean(dim=-1, keepdim=True)
        scores = torch.matmul(query, key)
        scores /= self.inner**0.5
        if self.mask is not None:
            scores /= 0.05
        mixed = torch.matmul(scores.softmax(dim=-1), value)
        result = image + self.out(mixed.permute(0, 2, 1).contiguous().reshape(batch, self.inner, height, wide))
        return result if self.mask is None else result + self._everywhere(self.mask, image, value)

    def _everywhere(self, mask: nn.Module, image: Tensor, value: Tensor) -> Tensor:
        shares = mask(image).view(image.shape[0], 1, -1).softmax(dim=-1)
        mixed = torch.matmul(shares, value).permute(0, 2, 1).contiguous()
        return self.out(mixed.reshape(image.shape[0], self.inner, 1, 1))


class GlobalContext(nn.Module):
    """One attention map for all places; what it gathers is added everywhere."""

    def __init__(self, width: int, ratio: int = 4) -> None:
        super().__init__()
        inner = width // ratio
        self.mask = nn.Conv2d(width, 1, 1)
        self.add = nn.Sequential(
            nn.Conv2d(width, inner, 1), nn.LayerNorm([inner, 1, 1]), nn.ReLU(inplace=True), nn.Conv2d(inner, width, 1)
        )

    def forward(self, image: Tensor) -> Tensor:
        batch, width, _, _ = image.shape
        shares = torch.softmax(self.mask(image).view(batch, 1, -1), 2).unsqueeze(-1)
        context = torch.matmul(image.view(batch, width, -1).unsqueeze(1), shares).view(batch, width, 1, 1)
        return image + self.add(context)


class CrissCross(nn.Module):
    """Every place attends to its row and its column."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key, self.value = nn.Conv2d(width, width // 8, 1), nn.Conv2d(width, width // 8, 1), nn.Conv2d(width, width, 1)
        self.scale = nn.Parameter(torch.zeros(1))

    def forward(self, image: Tensor) -> Tensor:
        height = image.shape[2]
        query, key, value = self.query(image), self.key(image), self.value(image)
        columns = torch.einsum("bchw,bciw->bwhi", query, key) + torch.zeros(height, height, device=image.device)
        rows = torch.einsum("bchw,bchj->bhwj", query, key)
        shares = torch.softmax(torch.cat([columns.transpose(1, 2), rows], -1), -1)
        mixed = torch.einsum("bciw,bhwi->bchw", value, shares[..., :height])
        mixed += torch.einsum("bchj,bhwj->bchw", value, shares[..., height:])
        return self.scale * mixed + image


class DAHead(FCNHead):
    """Dual attention: over places and over channels, each with scores of its own beside those of their sum."""

    def __init__(self, ins: int, width: int, classes: int, *, inner: int = 64) -> None:
        super().__init__(ins, width, classes, convs=0, joins=False)
        self.place_in, self.place_out = ConvNorm(ins, width, 3), ConvNorm(width, width, 3)
        self.channel_in, self.channel_out = ConvNorm(ins, width, 3), ConvNorm(width, width, 3)
        self.query, self.key, self.value = nn.Conv2d(width, inner, 1), nn.Conv2d(width, inner, 1), nn.Conv2d(width, width, 1)
        self.place_scale, self.channel_scale = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
        self.place_last, self.channel_last = nn.Conv2d(width, classes, 1), nn.Conv2d(width, classes, 1)

    def forward(self, features: list[Tensor]) -> Sequence[Tensor]:
        value = features[self.index]
        places = self.place_out(self._attend_places(self.place_in(value)))
        by_place = self.place_last(self._drop(places))
        channels = self.channel_out(self._attend_channels(self.channel_in(value)))
        by_channel = self.channel_last(self._drop(channels))
        return self.classify(places + channels), by_place, by_channel

    def _drop(self, value: Tensor) -> Tensor:
        return value if self.dropout is None else self.dropout(value)

    def _attend_places(self, image: Tensor) -> Tensor:
        batch, width, height, wide = image.shape
        query = self.query(image).reshape(batch, -1, height * wide).permute(0, 2, 1).contiguous()
        key = self.key(image).reshape(batch, -1, height * wide)
        value = self.value(image).reshape(batch, width, -1).permute(0, 2, 1).contiguous()
        mixed = torch.matmul(torch.softmax(torch.matmul(query, key), -1), value)
        return self.place_scale * mixed.permute(0, 2, 1).contiguous().reshape(batch, -1, height, wide) + image

    def _attend_channels(self, image: Tensor) -> Tensor:
        batch, width, height, wide = image.shape
        flat = image.view(batch, width, -1)
        energy = torch.bmm(flat, flat.permute(0, 2, 1))
        shares = torch.softmax(torch.max(energy, -1, keepdim=True)[0].expand_as(energy) - energy, -1)
        return self.channel_scale * torch.bmm(shares, flat).view(batch, width, height, wide) + image
