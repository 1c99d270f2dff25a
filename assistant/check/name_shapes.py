"""Finds what a draft names: instance types, families and cards of the catalog, and what only looks like one.

A model may invent any name, so that the patterns take the shape of a name, not only the catalog's list. Look-alike letters
are read as the Latin ones they stand for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from assistant.read.lexicon import read_table
from knowledge import facts
from knowledge.kept import kept
from knowledge.other_facts import cpu_families
from knowledge.rows import Gpu
from tools.cards import find_mentions

from .patterns import URL

Kind = Literal["type", "family", "card", "other"]

LOOKALIKE = str.maketrans("аеорсухіјѕһԁԛԝνοαікТАВЕНКМОРСХ‐‑‒–—−﹣", "aeopcyxijshdqwvoaik" + "TABEHKMOPCX" + "-------")
"""Cyrillic and Greek letters and odd dashes, each one character, to what they look like."""
HIDDEN = "[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"
ODD_LETTER = re.compile(rf"(?:{HIDDEN}|[\u0370-\u03ff\u0400-\u04ff])")
ODD_NAME = re.compile(rf"(?<![A-Za-z0-9])(?=[A-Za-z0-9.-]*(?:{HIDDEN}|[\u0370-\u03ff\u0400-\u04ff]))(?:[A-Za-z0-9.-]|{HIDDEN}|[\u0370-\u03ff\u0400-\u04ff]){{2,60}}")
"""A word in which an invisible character or a letter of another script hides."""
EDGE = r"(?<![A-Za-z0-9_.])"
SIZE = r"\.(?:\d{1,3}x)?(?:x?large\d{0,3}|medium|small|metal)(?:\.\d{1,3})?"
MACHINE = re.compile(
    EDGE + r"(?:(?:ecs|ml|eci|eais|pai)\.[a-z0-9][a-z0-9.-]{1,60}"
    rf"|(?=[a-z]{{0,9}}\d)[a-z0-9]{{2,14}}(?:-[a-z0-9]{{1,10}}){{0,3}}{SIZE}"
    r"|[a-z]{0,4}g[nai]\d{1,3}[a-z0-9.-]{0,40}"
    r"|standard_[a-z0-9_]{3,40}|[acgnm]\d-(?:high|mega|ultra|edge)gpu-\d{1,2}g|p[345](?:d|de|e|en)|g6e|trn[12]"
    r"|(?:hf)?[cgr]\d{1,2}(?:i|y|a|ae|se|ne|nex|e|t|h|re|ie)(?:-[a-z0-9]{1,6}){0,2}"
    r")(?![A-Za-z0-9_])",
    re.I,
)
GENERATION = re.compile(EDGE + r"[cgr]\d{1,2}(?=(?: ?(?:规格族|系列|族|实例)| (?:family|series|instances?)))", re.I)
LONE_CARD = r"(?<![A-Za-z0-9_.])(?<![A-Za-z0-9]-)"
BESIDE = r"(?= ?(?:显卡|卡|GPU|加速卡|×|x ?\d|\(|上|\d{2,3} ?GB))"
COUNTED = r"(?:(?<=[×x*张块] )|(?<=[×x*张块片])|(?<=NVIDIA )|(?<=Tesla )|(?<=英伟达)|(?<=英伟达 ))"
CARD = re.compile(
    LONE_CARD + r"(?:(?:RTX|GTX|Quadro) ?(?:PRO ?)?[A-Z]?\d{3,4}(?: ?(?:Ti|D|SUPER|Ada))?|PRO ?\d{4}|[1-6]0[5-9]0 ?(?:D|Ti)|GB\d{3}|MI\d{2,3}[XA]?|(?<![A-Za-z])[SP]\d000|PPU ?\d{3}[A-Z]?"
    r"|(?!H26[45]|P(?:50|75|9\d)(?!\d)|K8s|[AM]\d00?[MBKm])(?:[ABHLMVT]\d{2,4}|[PK]\d{2,3})[GSX]?"
    r"|[abhlv]\d{3}[gsx]?)(?![A-Za-z0-9_]|\.\d)"
    rf"|{LONE_CARD}{COUNTED}[ABHLMTVPK]\d[A-Za-z]?(?![A-Za-z0-9_.])"
    rf"|{LONE_CARD}[AHLTPB]\d{BESIDE}"
    r"|(?:昇腾|Ascend|昆仑芯?|寒武纪|MLU|海光|Gaudi|TPU) ?-?v?[A-Z]?\d{1,3}[A-Za-z]?(?![A-Za-z0-9_])"
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name at [start, end) of a text. `known` is the catalog's spelling, empty for a name that it lacks; a card brings its rows,
    and `wrong_gb`, a size beside it that no such card has."""

    kind: Kind
    start: int
    end: int
    text: str
    known: str = ""
    cards: tuple[Gpu, ...] = ()
    wrong_gb: int | None = None


def uniform(text: str) -> str:
    """The text, same length, with look-alike letters and odd dashes as plain ones."""
    return text if text.isascii() else text.translate(LOOKALIKE)


def find_names(text: str) -> list[Name]:
    """Names of a uniform text in order, never overlapping."""
    found: list[Name] = []
    for pattern in (MACHINE, GENERATION):
        for match in pattern.finditer(text):
            found += _machine(match.group().rstrip(".-"), match.start())
    for link in _accelerators().finditer(text):
        found.append(Name("card", link.start(), link.end(), link.group().strip()))
    for mention in find_mentions(text):
        if text[mention.start : mention.end].lower() == mention.text:  # a letter that grows when folded would shift the places
            found.append(Name("card", mention.start, mention.end, mention.text, mention.text if mention.cards else "", mention.cards, mention.wrong_gb))
    found += [Name("card", match.start(), match.end(), match.group()) for match in CARD.finditer(text)]
    return _apart(found)


@lru_cache(maxsize=8)
def names_of(text: str) -> tuple[list[Name], list[int]]:
    """The names of a whole folded text, addresses left out, and where each starts."""
    plain = uniform(text)
    if "://" in plain:
        plain = URL.sub(lambda match: " " * len(match.group()), plain)
    found = find_names(plain)
    return found, [name.start for name in found]


def names_within(text: str, start: int, end: int) -> list[Name]:
    """The names of [start, end) of a whole folded text; places count from `start`."""
    found, starts = names_of(text)
    inside = found[bisect_left(starts, start) : bisect_left(starts, end)]
    return [replace(name, start=name.start - start, end=min(name.end, end) - start) for name in inside]


def _machine(name: str, start: int) -> list[Name]:
    lower = name.lower()
    short = lower.removeprefix("ecs.")
    if f"ecs.{short}" in facts.instances():
        return [Name("type", start, start + len(name), name, f"ecs.{short}")]
    if short in facts.families() or short in cpu_families():
        return [Name("family", start, start + len(name), name, short)]
    parts = lower.split("-")
    if len(parts) > 1 and all(part in facts.families() for part in parts):  # a range or a pair: gn6i-gn7i
        found = []
        for part in parts:
            found.append(Name("family", start, start + len(part), part, part))
            start += len(part) + 1
        return found
    is_type = "." in short or lower.startswith("ecs.")
    alibaba = re.match(r"(?:ecs\.|ml\.|eci\.)|[a-z]{0,4}g[nai]\d|hf[cgr]\d|[cgr]\d{1,2}[a-z]{0,3}(?!\.\d{0,3}x?large)", lower)
    kind: Kind = "other" if not alibaba else "type" if is_type else "family"
    return [Name(kind, start, start + len(name), name)]


def _apart(found: list[Name]) -> list[Name]:
    """In order of their place; of two that overlap a machine or one with facts, then the longer one, stays."""
    kept_names: list[Name] = []
    for name in sorted(found, key=lambda item: (not item.known and item.kind not in ("type", "other"), item.start - item.end)):
        if all(name.end <= other.start or name.start >= other.end for other in kept_names):
            kept_names.append(name)
    return sorted(kept_names, key=lambda item: item.start)


@kept
def _accelerators() -> re.Pattern[str]:
    patterns = [pattern for pattern in read_table("accelerators")["patterns"] if not pattern.startswith(("gb", "apple", "(?:amd"))]
    return re.compile(rf"(?<![A-Za-z0-9.\-])(?:{'|'.join(patterns)})(?![A-Za-z0-9])", re.I)
