"""Makes the backbone that a network names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .nets.bisenet import BiSeNetV2
from .nets.convnext import ConvNeXt
from .nets.fast_scnn import FastSCNN
from .nets.hrnet import HRNet
from .nets.layers import Backbone
from .nets.mit import MiT
from .nets.mobilenet import MobileNetV2, MobileNetV3
from .nets.resnet import ResNet
from .nets.swin import Swin
from .nets.unet import UNet
from .nets.vit import ViT
from .networks import Network, backbones
from .request import Option, TraceRequest


@dataclass(frozen=True, slots=True)
class Plan:
    """What a builder looks at: the network, and the request with its options."""

    network: Network
    request: TraceRequest

    @property
    def row(self) -> dict[str, Any]:
        """The backbone's row of networks.toml."""
        return dict(backbones()[self.network.backbone])

    @property
    def family(self) -> str:
        return str(self.row["family"])

    @property
    def classes(self) -> int:
        return self.request.classes

    @property
    def thin(self) -> bool:
        """ResNet-18 and 34 end in 512 channels; published configurations give them narrower heads."""
        return self.family == "resnet" and int(self.row["depth"]) < 50

    def option(self, name: str, default: Option) -> Any:
        return self.request.options.get(name, default)

    def grid(self, patch: int = 16) -> tuple[int, int]:
        """Patches of the image in height and width."""
        return self.request.height // patch, self.request.width // patch


def make_backbone(plan: Plan, **changes: Any) -> Backbone:
    """The plan's backbone; `changes` are settings that its method prescribes."""
    return FAMILIES[plan.family](plan, changes)


def _resnet(plan: Plan, changes: dict[str, Any]) -> Backbone:
    row = plan.row
    settings = {
        "stride": plan.network.stride, "deep_stem": plan.option("deep_stem", True), "kind": row.get("kind", "plain"),
        "grid": (1, 2, 4) if plan.option("multi_grid", False) else (), "contract": plan.option("contract", True),
    }  # fmt: skip
    return ResNet(row["depth"], ins=plan.request.channels, **(settings | changes))


def _vit(plan: Plan, changes: dict[str, Any]) -> Backbone:
    return ViT(plan.row["size"], ins=plan.request.channels, **({"grid": plan.grid()} | changes))


def _swin(plan: Plan, changes: dict[str, Any]) -> Backbone:
    return Swin(plan.row["size"], window=plan.option("window", 7), ins=plan.request.channels, **changes)


def _sized(make: Callable[..., Backbone]) -> Callable[[Plan, dict[str, Any]], Backbone]:
    return lambda plan, changes: make(plan.row["size"], ins=plan.request.channels, **changes)


def _plain(make: Callable[..., Backbone]) -> Callable[[Plan, dict[str, Any]], Backbone]:
    return lambda plan, changes: make(ins=plan.request.channels, **changes)


def _hrnet(plan: Plan, changes: dict[str, Any]) -> Backbone:
    return HRNet(plan.row["width"], small=plan.row.get("small", False), ins=plan.request.channels, **changes)


def _mobilenetv2(plan: Plan, changes: dict[str, Any]) -> Backbone:
    return MobileNetV2(stride=plan.network.stride, ins=plan.request.channels, **changes)


FAMILIES: dict[str, Callable[[Plan, dict[str, Any]], Backbone]] = {
    "resnet": _resnet, "vit": _vit, "swin": _swin, "hrnet": _hrnet, "mobilenetv2": _mobilenetv2,
    "mit": _sized(MiT), "convnext": _sized(ConvNeXt), "mobilenetv3": _sized(MobileNetV3),
    "unet": _plain(UNet), "bisenetv2": _plain(BiSeNetV2), "fast-scnn": _plain(FastSCNN),
}  # fmt: skip
