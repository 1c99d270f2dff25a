"""Names of vision networks in any text: "DeepLabV3+ ResNet101", "segformer-b5", "Swin-L UPerNet", "ResNet50 分类".

A text is squeezed: letters, digits and `+` stay, one or two separators between them vanish, anything else is a barrier.
Names are then looked up whole, the longest first, where they begin and end at a border of the text as typed. A method
takes the backbone that stands nearest to it.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from knowledge.vision_facts import vision_backbones, vision_methods, vision_networks

from .network import STRIDES, Network, join, network_of

SEPARATORS = " -_/()[]'\"·"
MOST_SEPARATORS = 3
BARRIER = "|"
REACH = 24
"""Characters between a method and its backbone at most, where a text names several networks."""
IN_FRONT = 4
"""Characters by which a backbone in front of its method counts as farther away."""
NECK = "semfpn"
"""The feature pyramid."""
LEAST_LIKENESS = 0.72
"""Share of matching letters from which a name is offered for a misspelt one."""
UNCOVERED_SIZES = ("n", "s", "m", "l", "x", "b", "h", "t", "c", "e")
"""One letter behind the name of a detector of which nothing but the name is known: YOLOv8x."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A network in a text, from `start` to `end` as typed."""

    start: int
    end: int
    text: str
    network: Network


@dataclass(frozen=True, slots=True)
class _Hit:
    start: int  # in the text as typed
    end: int
    kind: str  # method | backbone
    name: str


def find_network(text: str) -> Network | None:
    """The first network that a text names, None when it names none."""
    found = networks_in(text)
    return found[0].network if found else None


def named_whole(text: str) -> Network | None:
    """The method whose id or label is the whole text: names that are words or abbreviations of other things in a sentence,
    but not where a network is asked for (SAM, DINO).
    """
    plain = _squeezed(text.strip().casefold())
    same = (row.method for row in vision_methods().values() if row.task and plain in (_squeezed(row.method), _squeezed(row.label.casefold())))
    found = next(same, None)
    return join(found, None) if found else None


def nearest_names(text: str, *, most: int = 3) -> list[str]:
    """Labels of networks whose spelling is close to the text, the closest first; none where nothing is close."""
    plain = "".join(_squeeze(text)[0]).replace(BARRIER, "")
    labels: dict[str, None] = {}
    for spelling in get_close_matches(plain, _whole_names(), n=4 * most, cutoff=LEAST_LIKENESS):
        labels.setdefault(_whole_names()[spelling])
    return list(labels)[:most]


@cache
def _whole_names() -> dict[str, str]:
    """Labels of networks and of methods by squeezed spelling, sizes behind the name included."""
    found: dict[str, str] = {}
    for name in vision_networks():
        network = network_of(name)
        if network is not None:
            found.setdefault(_squeezed(network.label.casefold()), network.label)
    for method in vision_methods().values():
        for spelling in method.spellings:
            found.setdefault(_squeezed(spelling), method.label)
            for size, named in (pair.split("=", 1) for pair in method.sizes):
                found.setdefault(_squeezed(spelling + size), join(method.method, named).label)
    for backbone in vision_backbones().values():
        for spelling in backbone.spellings:
            found.setdefault(_squeezed(spelling), backbone.label)
    return found


def networks_in(text: str) -> list[Mention]:
    """All networks named, in the order of the text; names that are known but not covered included."""
    hits = _hits(text)
    methods = _telling([hit for hit in hits if hit.kind == "method"])
    backbones = [hit for hit in hits if hit.kind == "backbone"]
    mentions = []
    for method in methods:
        mate = _mate(method, methods, backbones)
        if mate is not None:
            backbones.remove(mate)
        elif vision_methods()[method.name].needs_backbone:
            continue
        mentions.append(_mention(text, method, mate))
    mentions += [_alone(text, backbone) for backbone in backbones]
    return sorted(mentions, key=lambda mention: mention.start)


def _telling(methods: list[_Hit]) -> list[_Hit]:
    """Without the FPN of a detector, which is its neck and not a network of its own."""
    detects = any(vision_methods()[hit.name].task == "detection" for hit in methods)
    return [hit for hit in methods if not (detects and hit.name == NECK)]


def _mate(method: _Hit, methods: list[_Hit], backbones: list[_Hit]) -> _Hit | None:
    """The nearest backbone with no other method between; one that follows is a little nearer than one in front."""
    reach = REACH if len(methods) > 1 else 10 * REACH
    near = [hit for hit in backbones if _distance(method, hit) <= reach and not _parted(method, hit, methods)]
    return min(near, key=lambda hit: _distance(method, hit) + (IN_FRONT if hit.start < method.start else 0), default=None)


def _parted(method: _Hit, backbone: _Hit, methods: list[_Hit]) -> bool:
    first, last = sorted((method.start, backbone.start))
    return any(first < other.start < last for other in methods)


def _distance(one: _Hit, other: _Hit) -> int:
    return other.start - one.end if other.start >= one.end else one.start - other.end


def _mention(text: str, method: _Hit, backbone: _Hit | None) -> Mention:
    network = join(method.name, backbone.name if backbone else None)
    near = backbone is not None and _distance(method, backbone) <= MOST_SEPARATORS
    start = min(method.start, backbone.start) if backbone and near else method.start
    end = max(method.end, backbone.end) if backbone and near else method.end
    return Mention(start, end, text[start:end], network)


def _alone(text: str, hit: _Hit) -> Mention:
    method = vision_backbones()[_plain(hit.name)].alone
    return Mention(hit.start, hit.end, text[hit.start : hit.end], join(method, hit.name))


def _plain(backbone: str) -> str:
    """Without the stride: r101-d8 → r101."""
    stem, _, stride = backbone.rpartition("-")
    return stem if stem and stride in STRIDES else backbone


def _hits(text: str) -> list[_Hit]:
    squeezed, places = _squeeze(text)
    found: list[_Hit] = []
    at = 0
    while at < len(squeezed):
        hit, after = _hit_at(squeezed, places, at, text, found)
        if hit is not None:
            found.append(hit)
        at = after
    return found


def _hit_at(squeezed: str, places: list[int], at: int, text: str, found: list[_Hit]) -> tuple[_Hit | None, int]:
    """The longest name that begins here, and where to go on."""
    if not _is_border(squeezed, places, at, text):
        return None, at + 1
    names, longest = _names()
    sizes = _sizes_of(found[-1]) if found and _follows(found[-1], places, at) else {}
    for end in range(min(len(squeezed), at + longest), at, -1):
        word = squeezed[at:end]
        entry = ("backbone", sizes[word]) if word in sizes else names.get(word)
        if entry is not None and _is_border(squeezed, places, end, text):
            return _with_stride(squeezed, places, text, at, end, entry)
    return None, at + 1


def _with_stride(
    squeezed: str, places: list[int], text: str, at: int, end: int, entry: tuple[str, str]
) -> tuple[_Hit, int]:
    kind, name = entry
    if kind == "backbone":
        for stride in STRIDES:
            if squeezed.startswith(stride, end) and _is_border(squeezed, places, end + len(stride), text):
                name, end = f"{name}-{stride}", end + len(stride)
                break
    elif _is_size(squeezed, places, text, end, name):
        end += 1
    return _Hit(places[at], places[end - 1] + 1, kind, name), end


def _is_size(squeezed: str, places: list[int], text: str, end: int, method: str) -> bool:
    """Whether one letter of a size follows a name of which nothing but the name is known."""
    if vision_methods()[method].framework not in ("", "ultralytics"):
        return False
    return squeezed[end : end + 1] in UNCOVERED_SIZES and _is_border(squeezed, places, end + 1, text)


def _sizes_of(hit: _Hit) -> dict[str, str]:
    if hit.kind != "method":
        return {}
    return dict(size.split("=", 1) for size in vision_methods()[hit.name].sizes)


def _follows(hit: _Hit, places: list[int], at: int) -> bool:
    return 0 <= places[at] - hit.end <= 1


def _is_border(squeezed: str, places: list[int], at: int, text: str) -> bool:
    """Whether a name may begin or end between the characters before and at `at`."""
    if at <= 0 or at >= len(squeezed) or places[at] != places[at - 1] + 1:
        return True
    before, after = squeezed[at - 1], squeezed[at]
    if not (before.isalnum() and after.isalnum()):
        return after != "+"
    camel = text[places[at - 1]].islower() and text[places[at]].isupper()
    return before.isdigit() != after.isdigit() or camel


def _squeeze(text: str) -> tuple[str, list[int]]:
    """Lower-case letters, digits and `+`, and where each stands in the text as typed."""
    out: list[str] = []
    places: list[int] = []
    skipped = 0
    for place, raw in enumerate(text):
        char = raw.lower() if raw.isascii() else unicodedata.normalize("NFKC", raw).lower()[:1]
        if char and (char in "+." or (char.isascii() and char.isalnum())):
            out.append(char)
            places.append(place)
            skipped = 0
            continue
        skipped += 1
        if (char not in SEPARATORS or skipped > MOST_SEPARATORS) and out and out[-1] != BARRIER:
            out.append(BARRIER)
            places.append(place)
    return "".join(out), places


@cache
def _names() -> tuple[dict[str, tuple[str, str]], int]:
    """Kind and id by squeezed spelling, and the length of the longest."""
    names: dict[str, tuple[str, str]] = {}
    for backbone in _all_backbones():
        names.update({_squeezed(spelling): ("backbone", backbone[0]) for spelling in backbone[1]})
    for method in vision_methods().values():
        names.update({_squeezed(spelling): ("method", method.method) for spelling in method.spellings})
    return names, max(map(len, names))


def _all_backbones() -> list[tuple[str, tuple[str, ...]]]:
    return [(row.backbone, row.spellings) for row in vision_backbones().values()]


def _squeezed(spelling: str) -> str:
    """As `_squeeze` has it; spellings of the tables are plain lower case."""
    return spelling.translate(_NO_SEPARATORS)


_NO_SEPARATORS = dict.fromkeys(map(ord, SEPARATORS))
