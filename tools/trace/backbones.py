"""Makes the backbone that a network names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .nets.bisenet import BiSeNetV2
from .nets.cgnet import CGNet
from .nets.convnext import ConvNeXt
from .nets.ddrnet import DDRNet
from .nets.efficientnet import EfficientNet
from .nets.erfnet import ERFNet
from .nets.fast_scnn import FastSCNN
from .nets.hrnet import HRNet
from .nets.layers import Backbone
from .nets.mit import MiT
from .nets.mobilenet import MobileNetV2, MobileNetV3
from .nets.mscan import MSCAN
from .nets.pidnet import PIDNet
from .nets.poolformer import PoolFormer
from .nets.resnet import ResNet
from .nets.stdc import STDC
from .nets.swin import Swin
from .nets.twins import Twins
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
        "dilations": (1, 1, 2, 4) if plan.option("dilated", False) else None,
        "grid": (1, 2, 4) if plan.option("multi_grid", False) else (), "contract": plan.option("contract", True),
    }  # fmt: skip
    return ResNet(row["depth"], ins=plan.request.channels, **(settings | changes))


def _vit(plan: Plan, changes: dict[str, Any]) -> Backbone:
    patch = plan.option("patch", 16)
    return ViT(plan.row["size"], ins=plan.request.channels, **({"grid": plan.grid(patch), "patch": patch} | changes))


def _beit(plan: Plan, changes: dict[str, Any]) -> Backbone:
    """BEiT and MAE hand out features one block later than ViT in the first half: 3, 5, 7 and 11 of 12."""
    depth = 12 if plan.row["size"] == "b" else 24
    taken = [depth // 3 - 1, depth // 2 - 1, 2 * depth // 3 - 1, depth - 1]
    return ViT(plan.row["size"], ins=plan.request.channels, grid=plan.grid(), taken=taken, biased=True, rate=0.1)


def _ddrnet(plan: Plan, changes: dict[str, Any]) -> Backbone:
    return DDRNet(width=plan.row["size"], ins=plan.request.channels)


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
    "mscan": _sized(MSCAN), "twins": _sized(Twins), "poolformer": _sized(PoolFormer), "efficientnet": _sized(EfficientNet),
    "pidnet": _sized(PIDNet), "stdc": _sized(STDC), "beit": _beit, "ddrnet": _ddrnet, "cgnet": _plain(CGNet), "erfnet": _plain(ERFNet),
    "unet": _plain(UNet), "bisenetv2": _plain(BiSeNetV2), "fast-scnn": _plain(FastSCNN),
}  # fmt: skip
