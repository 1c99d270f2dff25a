"""Vision networks of a question: names of the network table, and names only known as words, each as typed; and the task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from tools.vision.names import Mention, networks_in

from .lexicon import Hit

SHORTEST = 5
"""Letters from which a name of the network table is one by itself; "r50", "ann" and "vit" need a word of vision beside them."""
FRAMEWORK = "framework"
MOST, LONGEST = 12, 3000
"""Networks that are kept of one question, and characters in which they are looked for."""
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
    text = text[:LONGEST]
    named = [hit for hit in hits if hit.table == "networks" and hit.name != FRAMEWORK and hit.end <= LONGEST]
    words = [_with_suffix(text, hit) for hit in named[:MOST]]
    speaks_of_vision = names_network(hits) or any(hit.table == "jobs" and hit.name == "vision" for hit in hits)
    found = [one for one in _each_alone(text, words) if speaks_of_vision or len(re.sub(r"[^a-z0-9]", "", one.text.lower())) >= SHORTEST][:MOST]
    known = [NetworkMention(one.start, one.end, _name_of(one), one.network.task) for one in found]
    apart = [one for one in found if _is_apart(one)]
    words = [word for word in words if not _is_backbone_of(word, apart)]
    unique: dict[str, NetworkMention] = {}
    for mention in _merged(text, sorted([*known, *words], key=lambda mention: (mention.start, -mention.end))):
        unique.setdefault(mention.text.lower(), mention)
    return list(unique.values())


def names_network(hits: Iterable[Hit]) -> bool:
    """Whether a network is spoken of, be it by its framework alone (mmseg)."""
    return any(hit.table == "networks" for hit in hits)


@cache
def _list() -> re.Pattern[str]:
    """What parts the networks of a list: "MobileNet 和 SegFormer", "UNet or HRNet"."""
    return re.compile(r"\s?(?:和|与|跟|或者?|还是|、|/|对比|,|;|and|or|vs\.?|versus|against)\s?")


def _each_alone(text: str, words: Sequence[NetworkMention]) -> Iterable[Mention]:
    """The networks of the table; those of a list are none of another's backbone."""
    cuts = [0, *(then.start for one, then in pairwise(words) if _list().fullmatch(text.lower(), one.end, then.start)), len(text)]
    for start, end in pairwise(cuts):
        yield from (replace(found, start=found.start + start, end=found.end + start) for found in networks_in(text[start:end]))


def _with_suffix(text: str, hit: Hit) -> NetworkMention:
    suffix = _suffix().match(text.lower(), hit.end)
    end = suffix.end() if suffix else hit.end
    return NetworkMention(hit.start, end, text[hit.start : end].strip(), hit.name)


def _name_of(found: Mention) -> str:
    """As typed; with a backbone that stands elsewhere in the text ("以 ResNet-101 为骨干的 DeepLabV3+"), the full name."""
    return found.network.label if _is_apart(found) else found.text


def _is_apart(found: Mention) -> bool:
    """Whether the backbone is not in what was typed as the name."""
    alone = networks_in(found.text)
    return found.network.given and not (alone and alone[0].network == found.network)


def _is_backbone_of(word: NetworkMention, apart: Sequence[Mention]) -> bool:
    """Whether a word is the backbone of a network that stands elsewhere: the Swin-B of "UPerNet with Swin-B backbone"."""
    if not apart:
        return False
    alone = networks_in(word.text)
    backbone = alone[0].network.backbone if alone else ""
    return any(backbone and f"{one.network.backbone}-".startswith(f"{backbone}-") and word.start not in range(one.start, one.end) for one in apart)


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
