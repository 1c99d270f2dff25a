"""Networks by the names people use: "DeepLabV3+ R101", "upernet_swin-l", "segformer b5", "hrnet w48", "unet". No torch here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from knowledge.errors import InputError
from tools.phrases import Language, read_phrases, say

from .request import phrase_table

LONGEST_NAME = 200
BETWEEN = r"[\s_\-./]*"


@dataclass(frozen=True, slots=True)
class Network:
    """A method on a backbone, both ids of networks.toml; `stride` is the output stride of dilated backbones."""

    method: str
    backbone: str
    stride: int

    @property
    def name(self) -> str:
        """The short name that `find_network` reads back exactly."""
        return f"{self.method}/{self.backbone}/d{self.stride}"

    @property
    def title(self) -> str:
        """The name that answers show."""
        method, backbone = methods()[self.method], backbones()[self.backbone]
        dilated = f" (stride {self.stride})" if backbone["family"] in DILATED and self.stride != 32 else ""
        return f"{method['title']} {backbone['title']}".strip() + dilated


DILATED = frozenset({"resnet", "mobilenetv2"})

Table = Mapping[str, Mapping[str, object]]


@cache
def methods() -> Table:
    return read_phrases("tools.trace", "networks.toml")["methods"]  # type: ignore[return-value]


@cache
def backbones() -> Table:
    return read_phrases("tools.trace", "networks.toml")["backbones"]  # type: ignore[return-value]


def find_network(name: str, *, language: Language = "en") -> Network:
    """The network that a name means. InputError names the methods that are known."""
    text = unicodedata.normalize("NFKC", name).casefold().strip()[:LONGEST_NAME]
    exact = re.fullmatch(r"([a-z0-9-]+)/([a-z0-9-]+)/d(\d+)", text)
    if exact is not None and exact[1] in methods() and exact[2] in backbones():
        return Network(exact[1], exact[2], int(exact[3]))
    method, rest = _take(text, "methods")
    backbone, rest = _take(rest, "backbones")
    if method is None:
        method = backbone and _method_of(backbone)
    if method is None:
        known = ", ".join(str(row["title"]) for row in methods().values())
        raise InputError(say(phrase_table(), "unknown_network", language, name=repr(name[:60]), known=known))
    row = methods()[method]
    stride = re.search(r"(?<![a-z0-9])(?:d|os|stride)\s*=?\s*(8|16|32)(?!\d)", rest)
    return Network(method, backbone or str(row["backbone"]), int(stride[1]) if stride else int(str(row["stride"])))


def _method_of(backbone: str) -> str:
    """What a backbone named alone is taken for."""
    family = str(backbones()[backbone]["family"])
    own = {"hrnet": "fcn", "mit": "segformer", "mscan": "segnext"}.get(family, family)
    return own if own in methods() else "classifier"


def _take(text: str, kind: str) -> tuple[str | None, str]:
    """The id whose longest alias stands in the text, and the text without it."""
    found = max(
        ((match, entry) for pattern, entry in _patterns(kind) for match in pattern.finditer(text)),
        key=lambda pair: len(pair[0][0]), default=None,
    )  # fmt: skip
    if found is None:
        return None, text
    match, entry = found
    return entry, text[: match.start()] + " " + text[match.end() :]


@cache
def _patterns(kind: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    table = methods() if kind == "methods" else backbones()
    return tuple((_pattern(alias), entry) for entry, row in table.items() for alias in _aliases(row))


def _aliases(row: Mapping[str, object]) -> list[str]:
    aliases = row["aliases"]
    assert isinstance(aliases, list)
    return aliases


def _pattern(alias: str) -> re.Pattern[str]:
    """The parts of an alias with anything that joins words between them, letters and digits too."""
    parts = re.findall(r"[a-z]+|\d+|\+", alias)
    return re.compile(rf"(?<![a-z0-9]){BETWEEN.join(map(re.escape, parts))}(?![a-z0-9+])")
