"""Vision networks of a question: names of the network table, and names only known as words, each as typed; and the task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from tools.vision.names import networks_in

from .lexicon import Hit

SHORTEST = 5
"""Letters from which a name of the network table is one by itself; "r50", "ann" and "vit" need a word of vision beside them."""
TASKS = ("segmentation", "detection", "classification")


@dataclass(frozen=True, slots=True)
class NetworkMention:
    """A network as typed, with its suffix and backbone, and its task: "SegFormer-B5", segmentation."""

    start: int
    end: int
    text: str
    task: str


@cache
def _suffix() -> re.Pattern[str]:
    part = r"(?:(?<! )v?\d{1,3}(?:\.\d)?[a-z]{0,3}|[bmslnxt]\d?|tiny|small|base|large|huge|nano|r-?\d{2,3}(?:-?d8)?|w\d{2}s?|3d|2d|fullres|lowres|seg|swin-?[tsbl]?|resnet-?\d{2,3}|convnext-?[tsbl]?|vit-?[bl]?|mask2former|deeplabv3|upernet|maskformer|fcn|ocr|mit-?b\d|d8)"
    return re.compile(rf"(?:[ _+\-/]?{part}(?![a-z0-9]|\s?[x×*]\s?\d)){{1,4}}\+?")


def find_networks(text: str, hits: Sequence[Hit]) -> list[NetworkMention]:
    """All networks named, in the order of the text, each once."""
    words = [_with_suffix(text, hit) for hit in hits if hit.table == "networks"]
    speaks_of_vision = bool(words) or any(hit.table == "jobs" and hit.name == "vision" for hit in hits)
    known = [
        NetworkMention(found.start, found.end, _name_of(found.text, found.network.label, backbone=found.network.given), found.network.task)
        for found in networks_in(text)
        if speaks_of_vision or len(re.sub(r"[^a-z0-9]", "", found.text.lower())) >= SHORTEST
    ]
    unique: dict[str, NetworkMention] = {}
    for mention in _merged(text, sorted([*words, *known], key=lambda mention: (mention.start, -mention.end))):
        unique.setdefault(mention.text.lower(), mention)
    return list(unique.values())


def _with_suffix(text: str, hit: Hit) -> NetworkMention:
    suffix = _suffix().match(text.lower(), hit.end)
    end = suffix.end() if suffix else hit.end
    return NetworkMention(hit.start, end, text[hit.start : end].strip(), hit.name)


def _name_of(typed: str, label: str, *, backbone: bool) -> str:
    """As typed; with a backbone that stands elsewhere in the text ("以 ResNet-101 为骨干的 DeepLabV3+"), the full name."""
    if not backbone:
        return typed
    alone = networks_in(typed)
    return typed if alone and alone[0].network.label == label else label


def _merged(text: str, mentions: Iterable[NetworkMention]) -> list[NetworkMention]:
    """Mentions that overlap are one: U-Net of "nnU-Net 3d_fullres", Mask2Former of "SeMask-Tiny Mask2Former"."""
    merged: list[NetworkMention] = []
    for mention in mentions:
        last = merged[-1] if merged else None
        if last is None or mention.start >= last.end:
            merged.append(mention)
            continue
        if mention.end > last.end:
            merged[-1] = NetworkMention(last.start, mention.end, text[last.start : mention.end].strip(), last.task)
    return merged


def find_task(hits: Iterable[Hit], networks: Sequence[NetworkMention]) -> str | None:
    """The task said in words, else that of the first network."""
    said = next((hit.name for hit in hits if hit.table == "tasks"), None)
    return said or next((network.task for network in networks if network.task in TASKS), None)
