"""Where a page says that its workload runs, as cards of our tables, and the smaller card that arithmetic rules out."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from knowledge import facts
from knowledge.errors import InputError
from knowledge.rows import Gpu
from tools.cards import find_cards
from tools.offers import card_of
from tools.places import Place
from tools.usable import usable_gib

from .rows import Row, number, text, whole

LADDER = (
    "nvidia-t4", "nvidia-a10", "nvidia-v100-32gb", "nvidia-a100-40gb", "nvidia-l20", "nvidia-a100-80gb", "nvidia-h20-96gb",
)  # fmt: skip
"""One card of each class of memory that Alibaba Cloud has: what a page means by "a 48 GB card", and the way down."""
SMALLEST = "nvidia-p4"
"""8 GB: only to be ruled out; nothing is taken to mean it."""

SLICE_BELOW = 0.9
"""A page that gives less than this share of the card's memory means a slice (Function Compute) or a smaller board."""


@dataclass(frozen=True)
class PaiCard:
    """A name that PAI or Function Compute uses for a card."""

    code: str
    gpu_id: str
    memory_gb: float | None
    basis: str
    note: str


@cache
def pai_cards() -> tuple[PaiCard, ...]:
    """Code names of cards on PAI, EAS and Function Compute; `basis`: stated on the page, or inferred."""
    lines = files("evals").joinpath("accuracy", "pai_cards.csv").read_text(encoding="utf-8").splitlines()
    return tuple(
        PaiCard(row["code"], row["gpu_id"], float(row["memory_gb"]) if row["memory_gb"] else None, row["basis"], row["note"])
        for row in csv.DictReader(lines)
    )


def place_of(row: Row) -> Place:
    """The place that the row names. Raises InputError when it names neither card nor memory, or no count."""
    count, nodes = whole(row, "gpu_count"), whole(row, "nodes") or 1
    if not count:
        raise InputError("missing: gpu_count")
    gpu = _sized(_card(row), number(row, "gpu_mem_gb_each"))
    return Place(gpu.name, gpu, count * nodes)


def smaller_place(place: Place, weights_gib: float) -> Place | None:
    """The same number of the largest smaller card that cannot even hold the weights; None when each can, or none is known."""
    for gpu_id in reversed((SMALLEST, *LADDER)):
        gpu = facts.gpus()[gpu_id]
        if gpu.memory_gb < place.gpu.memory_gb and weights_gib > place.gpus * usable_gib(gpu):
            return Place(gpu.name, gpu, place.gpus)
    return None


def on_name(place: Place) -> str:
    """The place as `--on` takes it."""
    return f"{place.gpu.gpu_id}x{place.gpus}"


def is_slice(place: Place) -> bool:
    """Whether it is no whole card of the table."""
    return place.gpu != facts.gpus()[place.gpu.gpu_id]


def _card(row: Row) -> Gpu:
    """Of the cards that the row names the one of the stated memory; then a card of that class; then one to take a slice of."""
    memory, named = number(row, "gpu_mem_gb_each"), list(_named(row))
    if memory is None:
        if not named:
            raise InputError(f"unknown card: {text(row, 'gpu') or 'not stated'}")
        return named[0]
    ladder = [facts.gpus()[gpu_id] for gpu_id in LADDER]
    fitting = [gpu for gpu in named if gpu.memory_gb == memory] or [gpu for gpu in ladder if gpu.memory_gb == memory]
    larger = [gpu for gpu in (*named, *ladder) if gpu.memory_gb > memory]
    return next(iter([*_newest(fitting), *larger, ladder[-1]]))


def _named(row: Row) -> Iterator[Gpu]:
    """Cards of the row: those of its types, code names, names as people write them."""
    types = row.get("instance_types")
    for name in types if isinstance(types, list) else ():
        instance = facts.instances().get(str(name))
        if instance and instance.gpu_id in facts.gpus():
            yield card_of(instance)
    words = text(row, "gpu") or ""
    codes = re.findall(r"[a-z0-9.]+", words.lower())
    for card in pai_cards():
        if card.code in codes:
            yield facts.gpus()[card.gpu_id]
    yield from find_cards(words)


def _newest(gpus: list[Gpu]) -> list[Gpu]:
    """Of several cards of one size the one that can do most."""
    return sorted(gpus, key=lambda gpu: -(gpu.compute_capability or 0))


def _sized(gpu: Gpu, memory_gb: float | None) -> Gpu:
    """The card, or a slice of it with that memory."""
    if memory_gb is None or memory_gb >= SLICE_BELOW * gpu.memory_gb:
        return gpu
    return replace(gpu, memory_gb=memory_gb, usable_mib=None)
