"""A vision network: a method on a backbone, as the tables know it."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.vision_facts import (
    VisionMethod,
    VisionPreset,
    vision_backbones,
    vision_methods,
    vision_networks,
    vision_parts,
    vision_presets,
)

STRIDES = ("d8", "d16", "d32")
"""Suffixes that say by how much a dilated backbone shrinks the picture."""


@dataclass(frozen=True, slots=True)
class Network:
    """One network. `backbone` is an id of the network table (segmentation, classification) or of the parts (detection).

    `covered` says whether its memory is known without torch; `given` whether the backbone was named.
    """

    method: VisionMethod
    backbone: str
    given: bool = True

    @property
    def id(self) -> str:
        return f"{self.method.method}/{self.backbone}"

    @property
    def task(self) -> str:
        return self.method.task

    @property
    def label(self) -> str:
        """As people write it: DeepLabV3+ ResNet-101."""
        own = self.backbone == self.method.method  # a network without a backbone to choose
        words = (self.method.label, "" if own else backbone_label(self.backbone))
        return " ".join(word for word in words if word)

    @property
    def covered(self) -> bool:
        return self.id in vision_networks() or self.framework is not None or self.preset is not None

    @property
    def preset(self) -> VisionPreset | None:
        """The published figure of a fixed preset (nnU-Net and what was compared with it)."""
        return vision_presets().get(self.method.method)

    @property
    def framework(self) -> str | None:
        """mmdet or detectron2, whichever has published rows of both the method and the backbone."""
        if self.task != "detection":
            return None
        return next((name for name in ("mmdet", "detectron2") if _has_parts(name, self)), None)


def network_of(name: str) -> Network | None:
    """The network of an id `method/backbone`."""
    row = vision_networks().get(name)
    if row is not None:
        return Network(vision_methods()[row.method], row.backbone)
    method, _, backbone = name.partition("/")
    found = vision_methods().get(method)
    network = Network(found, backbone) if found and backbone else None
    return network if network and network.covered else None


def join(method: str, backbone: str | None) -> Network:
    """The network of a method and a backbone as named; without one, the method's default.

    A combination that no table holds comes back as named, not `covered`.
    """
    row = vision_methods()[method]
    if backbone is None:
        return Network(row, default_backbone(method), given=False)
    known = [n.backbone for n in vision_networks().values() if n.method == method]
    exact = next((name for name in known if name == backbone), None)
    variant = next((name for name in known if name.startswith(f"{backbone}-")), None)
    return Network(row, exact or variant or backbone)


def default_backbone(method: str) -> str:
    """Of the first network of the table; ResNet-50 for a detector, empty where nothing is known."""
    first = next((n.backbone for n in vision_networks().values() if n.method == method), None)
    if first is not None:
        return first
    named = [size.partition("=")[2] for size in vision_methods()[method].sizes]
    candidates = ["r50", *named, *(name for _, kind, name in vision_parts() if kind == "backbone")]
    found = (name for name in candidates if _covers(method, name))
    return next(found, "")


def backbones_of(method: str) -> list[str]:
    """Labels of the backbones that are known of a method."""
    names = [n.backbone for n in vision_networks().values() if n.method == method]
    if vision_methods()[method].task == "detection":
        parts = dict.fromkeys(name for _, kind, name in vision_parts() if kind == "backbone")
        names = [name for name in parts if _covers(method, name)]
    return [backbone_label(name) for name in names]


def backbone_label(backbone: str) -> str:
    """ResNet-101 (stride 8) for r101-d8; the id in capitals where it has no name of its own."""
    rows = vision_backbones()
    if backbone in rows:
        return rows[backbone].label
    stem, _, rest = backbone.rpartition("-")
    if stem and rest in STRIDES:
        return f"{backbone_label(stem)} (stride {rest[1:]})"
    return backbone_label(stem) + f" {rest.upper()}" if stem else backbone.upper()


def _covers(method: str, backbone: str) -> bool:
    return Network(vision_methods()[method], backbone).framework is not None


def _has_parts(framework: str, network: Network) -> bool:
    parts = vision_parts()
    named = ((framework, "method", network.method.method), (framework, "backbone", network.backbone))
    return all(key in parts for key in named)
