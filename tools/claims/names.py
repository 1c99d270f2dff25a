"""What the tables know of a name: families, types, cards by the words people use."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from knowledge import facts
from knowledge.facts import gpu_names
from knowledge.kept import kept
from knowledge.rows import Family, Gpu, GpuNames, Instance, NotFamily

BARE = r"(?= ?(?:显卡|卡|gpu|cards?(?![a-z])))"
OFFERED = frozenset({"on_sale", "contact_sales", "invite_only", "phased_out", "overseas_only"})


@dataclass(frozen=True, slots=True)
class Card:
    """A card as people name it: one or more rows of gpus.csv (memory sizes)."""

    name: str
    gpu_ids: tuple[str, ...]
    sizes_gb: tuple[float, ...]
    other_gb: tuple[float, ...]
    families: tuple[str, ...]

    @property
    def offered(self) -> bool:
        """Whether a family of the public pages carries it."""
        return bool(self.families)

    def rows(self) -> list[Gpu]:
        return [facts.gpus()[gpu_id] for gpu_id in self.gpu_ids]


@cache
def read_table(name: str) -> dict[str, Any]:
    """A word table (TOML) of this folder."""
    return tomllib.loads(files("tools").joinpath("claims", name).read_text(encoding="utf-8"))


@kept
def cards() -> dict[str, Card]:
    """Cards by the name people use, such as "A100"; the rows of one name (sizes) are one card."""
    spare = read_table("words.toml")["market_sizes"]
    found = {}
    for name, rows in _rows_by_name().items():
        ids = tuple(row.gpu_id for row in rows if row.gpu_id)
        carrying = tuple(
            row.family
            for row in facts.families().values()
            if row.gpu_id in ids and row.status in OFFERED
        )
        sizes = tuple(sorted(facts.gpus()[gpu_id].memory_gb for gpu_id in ids))
        found[name] = Card(name, ids, sizes, tuple(spare.get(name, ())), carrying)
    return found


@cache
def _rows_by_name() -> dict[str, list[GpuNames]]:
    rows: dict[str, list[GpuNames]] = {}
    for row in gpu_names():
        if row.names:
            name = row.names[0].upper() if row.gpu_id else row.label_en
            rows.setdefault(name, []).append(row)
    return rows


@cache
def card_words() -> dict[str, str]:
    """Name of the card by every word for it, in lower case without spaces and dashes."""
    return {
        squeeze(word): name
        for name, rows in _rows_by_name().items()
        for row in rows
        for word in row.names
    }


def squeeze(word: str) -> str:
    return re.sub(r"[\s\-_]", "", word)


@cache
def card_pattern() -> re.Pattern[str]:
    """All words for cards, the longest first; a bare number (4090) only where it is called a card."""
    words = sorted({word for row in gpu_names() for word in row.names}, key=len, reverse=True)
    body = "|".join(
        r"[\s\-_]?".join(map(re.escape, re.split(r"[\s\-]", word)))
        + (BARE if word.isdigit() else "")
        for word in words
    )
    return re.compile(rf"(?:(?<![a-z0-9_.])|(?<=\d[x*×]))(?:{body})(?=s?(?![a-z0-9]|\.[0-9a-z]))")


def family(name: str) -> Family | None:
    return facts.families().get(name)


def not_family(name: str) -> NotFamily | None:
    """The row of a circulating name that is in no catalog, with or without `ecs.`."""
    rows = facts.not_families()
    return rows.get(name) or rows.get(f"ecs.{name}")


def instance(name: str) -> Instance | None:
    return facts.instances().get(name if name.startswith("ecs.") else f"ecs.{name}")


@kept
def types_of(name: str) -> tuple[Instance, ...]:
    """The types of a family, in the order of the table."""
    return tuple(row for row in facts.instances().values() if row.family == name)


def is_cpu(name: str) -> bool:
    """Whether the name is a CPU family: by the table, or a circulating g/c/r name that is none of a GPU family."""
    row = family(name)
    if row is not None:
        return row.kind == "cpu"
    return re.fullmatch(r"[cgr]\d{1,2}[a-z]{0,3}", name) is not None


def gpu_ids_of(name: str) -> frozenset[str]:
    """The cards of a family, by its row and its types."""
    row = family(name)
    ids = {item.gpu_id for item in types_of(name)} | ({row.gpu_id} if row else set())
    return frozenset(gpu_id for gpu_id in ids if gpu_id)


def card_name(gpu_id: str) -> str:
    """The short name of a card row, such as "A10"; the long name when people have none."""
    for card in cards().values():
        if gpu_id in card.gpu_ids:
            return card.name
    return facts.gpus()[gpu_id].name


@kept
def memory_of(name: str) -> frozenset[float]:
    """Memory per GPU (GB) of a family, slices of vGPU types included."""
    held = {row.gpu_memory_gb_each for row in types_of(name) if row.gpu_memory_gb_each}
    return frozenset(held) or frozenset(
        facts.gpus()[gpu_id].memory_gb for gpu_id in gpu_ids_of(name)
    )


@kept
def totals_of(name: str) -> frozenset[float]:
    """Total GPU memory (GB) of the types of a family."""
    return frozenset(row.gpu_memory_gb_total for row in types_of(name) if row.gpu_memory_gb_total)
