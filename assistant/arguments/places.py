"""Whether two names mean the same place to run on: a card at a count, a family, an instance type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from knowledge import facts
from tools.cards import resolve_card
from tools.nearest import plain_name

_TIMES = re.compile(r"^(?P<before>\d{1,3})\s?(?:[x×*]|张|块|卡|个)\s?(?P<name>\S.*)$|^(?P<of>.*?[^\s×*])\s?[x×*]\s?(?P<after>\d{1,3})$", re.I)
NEAR_MISS = 0.8
"""Likeness of two long names from which one is taken for the other misspelt."""
_MEMORY = re.compile(r"(?<!\d)(\d{2,3})\s?gi?b?$")


@dataclass(frozen=True, slots=True)
class Spot:
    """What a name means; one of type, family and cards, or nothing but the name itself."""

    name: str
    count: int | None = None
    instance: str = ""
    family: str = ""
    cards: frozenset[str] = frozenset()


def spot_of(name: str) -> Spot:
    """The place of a name: "A10", "2 x A10", "nvidia-a10x2", "gn7i", "ecs.gn7i-c8g1.2xlarge"."""
    plain = plain_name(name)
    if f"ecs.{plain}" in facts.instances():
        row = facts.instances()[f"ecs.{plain}"]
        return Spot(plain, row.gpu_count or None, f"ecs.{plain}", row.family, frozenset({row.gpu_id} if row.gpu_id else ()))
    if plain in facts.families():
        return Spot(plain, None, "", plain, frozenset({facts.families()[plain].gpu_id or ""}) - {""})
    found, count = _counted(name.strip())
    return Spot(plain_name(found), count, "", "", frozenset(_cards(found)))


def _cards(name: str) -> list[str]:
    """The cards that a name may mean: of one with a memory size, those of that size."""
    size = _MEMORY.search(plain_name(name))
    return [gpu.gpu_id for gpu in resolve_card(name) if size is None or gpu.memory_gb == float(size[1])]


def _counted(name: str) -> tuple[str, int | None]:
    """A card's name and its count."""
    if resolve_card(name) and name.lower() in facts.gpus():
        return name, None
    match = _TIMES.match(name)
    if match is None:
        return name, None
    return (match["name"], int(match["before"])) if match["before"] else (match["of"], int(match["after"]))


def means(given: str, wanted: str, *, counted: int | None = None) -> bool:
    """Whether `given` is the place that the user calls `wanted`, or one within it: a type of its family, a family of its card.

    `counted`: how many cards the call asks for beside the name.
    """
    found, meant = spot_of(given), spot_of(wanted)
    if not _within(found, meant):
        return False
    if found.instance:
        return meant.count is None or bool(meant.instance) or (found.count or 0) <= meant.count
    if meant.instance:
        return True
    if found.count is None and meant.count == 1:
        return True  # a card without a count is tried from one on
    return found.count == meant.count or (found.count is None and counted is not None and meant.count == counted)


def _within(found: Spot, meant: Spot) -> bool:
    if meant.instance:
        return found.instance == meant.instance
    if meant.family:
        return found.family == meant.family
    if meant.cards:
        return bool(found.cards & meant.cards)
    return found.name == meant.name


def is_near_miss(given: str, wanted: str) -> bool:
    """Whether one is the other with a digit off: A100 for A10, gn7e for gn7i, 4xlarge for 2xlarge."""
    found, meant = spot_of(given), spot_of(wanted)
    kinds = [(bool(spot.instance), bool(spot.family and not spot.instance)) for spot in (found, meant)]
    if found.cards and found.cards == meant.cards and kinds[0] != kinds[1]:
        return False
    left, right = (_bare(spot.name) for spot in (found, meant))
    if left == right or not left or not right:
        return False
    letters = [re.sub(r"[\d.]+", "0", name) for name in (left, right)]
    return letters[0] == letters[1] or _differs_by_one(left, right) or SequenceMatcher(None, left, right).ratio() >= NEAR_MISS


def _bare(name: str) -> str:
    """A card without its maker and its memory, which people leave out."""
    return re.sub(r"^nvidia-|-?\d+gb$", "", name)


def _differs_by_one(left: str, right: str) -> bool:
    """One letter or digit put in another's place, added or left out."""
    short, long = sorted((left, right), key=len)
    if len(long) - len(short) > 1:
        return False
    start = next((at for at, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    return short[start + (len(short) == len(long)) :] == long[start + 1 :]
