"""The cards, counts, families and instance types that a user names as places to run on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from knowledge import facts
from knowledge.kept import kept
from knowledge.rows import Gpu, Instance

from .cards import resolve_card
from .demand import Wish
from .nearest import plain_name
from .offers import card_of

COUNT_FIRST = re.compile(r"(?P<count>\d{1,3})\s*[x×*张块]\s*(?P<name>\D.*)")
COUNT_LAST = re.compile(r"(?P<name>.+?)\s*[x×*]\s*(?P<count>\d{1,3})")
CARD_TIMES = re.compile(r"^(?P<gpu>[a-z0-9.-]+?)x(?P<count>\d{1,3})$")


@dataclass(frozen=True)
class Place:
    """A card at a count, and what to call it. The memory of the card is that of its slice on a vGPU type."""

    label: str
    gpu: Gpu
    gpus: int
    instance_type: str | None = None
    vgpu: bool = False


def places(name: str) -> Iterator[Place]:
    """Places of a gpu id, `GPUxN`, a family, a type, or a card as people call it (A10, 4 × L20), the smallest first; none for an unknown name."""
    gpus, plain = facts.gpus(), plain_name(name)
    times = CARD_TIMES.match(name)
    if f"ecs.{plain}" in facts.instances():
        yield from _instance_places([facts.instances()[f"ecs.{plain}"]])
    elif plain in facts.families():
        yield from _instance_places(i for i in facts.instances().values() if i.family == plain)
    elif name in gpus:
        for count in catalog_counts(name) or (1,):
            yield Place(gpus[name].name, gpus[name], count)
    elif times and times["gpu"] in gpus:
        yield Place(gpus[times["gpu"]].name, gpus[times["gpu"]], int(times["count"]))
    else:
        for gpu_id in _called(name):
            yield from places(gpu_id)


def _called(name: str) -> list[str]:
    """Ids of the cards that people mean by a name, with their count: "A10", "4×L20", "A100" in both sizes."""
    folded = unicodedata.normalize("NFKC", name).strip()
    counted = COUNT_FIRST.fullmatch(folded) or COUNT_LAST.fullmatch(folded)
    cards = resolve_card(counted["name"] if counted else folded)
    count = int(counted["count"]) if counted else 0
    return [f"{card.gpu_id}x{count}" if count else card.gpu_id for card in cards]


def _instance_places(instances: Iterable[Instance]) -> Iterator[Place]:
    """One place per count and, of vGPU types, per slice; the smallest first."""
    seen: set[tuple[int, float]] = set()
    rows = [(i, card_of(i)) for i in instances if i.gpu_count and i.gpu_id in facts.gpus()]
    for row, gpu in sorted(rows, key=lambda pair: (pair[0].gpu_count, pair[1].memory_gb, pair[0].vcpu)):
        if (row.gpu_count, gpu.memory_gb) not in seen:
            seen.add((row.gpu_count, gpu.memory_gb))
            yield Place(row.instance_type, gpu, row.gpu_count, row.instance_type, row.vgpu)


@kept
def catalog_counts(gpu_id: str) -> tuple[int, ...]:
    """Counts of cards of the types that are or were sold."""
    rows = (i for i in facts.instances().values() if i.gpu_id == gpu_id and not i.vgpu)
    return tuple(sorted({i.gpu_count for i in rows if i.gpu_count and i.status != "name_only"}))


def vgpu_names(names: Iterable[str]) -> frozenset[str]:
    """Types and families of vGPU slices among the names."""
    found: set[str] = set()
    for name in names:
        plain = plain_name(name)
        rows = [i for i in facts.instances().values() if i.vgpu and plain in (i.family, i.instance_type.removeprefix("ecs."))]
        found.update(i.family if plain == i.family else i.instance_type for i in rows)
    return frozenset(found)


def named_wish(wish: Wish, names: Iterable[str]) -> Wish:
    """The wish for just the cards, families and types of the names."""
    found = [place for name in names for place in places(name)]
    types = frozenset(place.instance_type for place in found if place.instance_type)
    cards = frozenset(place.gpu.gpu_id for place in found if not place.instance_type)
    return replace(wish, instance_types=types, gpu_ids=cards, vgpu_names=vgpu_names(names))


def around(count: int, counts: Sequence[int]) -> list[int]:
    """The next smaller and the next larger of the counts that there are."""
    below, above = [c for c in counts if c < count], [c for c in counts if c > count]
    return [*below[-1:], *above[:1]]
