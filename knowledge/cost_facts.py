"""Facts about costs, loaded once each: shares of a card's peak that training reaches, and products beside ECS."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .tables import read_csv


@dataclass(frozen=True, slots=True)
class TrainingShare:
    """Published training speeds as shares of the cards' dense 16-bit peak, recomputation counted.

    `kind`: float (full training, or adapters on a 16-bit base) | quantised (adapters on a base of few bits) | sharded
    (adapters whose base is gathered from several cards) | moe (mixtures of experts) | other_card (what a card of another
    kind reached of the share). `from_tokens`: tokens of one forward pass from which the row holds.
    """

    kind: str
    from_tokens: int
    gpu_ids: tuple[str, ...]
    low: float
    high: float
    n: int
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class CloudProduct:
    """A product other than ECS, and the billing facts that tell of it."""

    product: str
    name_zh: str
    name_en: str
    aliases: tuple[str, ...]
    fact_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FunctionCard:
    """A card of Function Compute: its largest memory, and under which name the official and the unofficial factors stand."""

    card: str
    name: str
    most_gb: int
    official: str
    unofficial: str
    aliases: tuple[str, ...]
    source_ids: tuple[str, ...]
    note: str


@cache
def training_shares() -> tuple[TrainingShare, ...]:
    """All rows, in the table's order."""
    return read_csv(TrainingShare, "training_utilization.csv")


@cache
def cloud_products() -> dict[str, CloudProduct]:
    """Products by short name."""
    return {row.product: row for row in read_csv(CloudProduct, "cloud_products.csv")}


@cache
def function_cards() -> dict[str, FunctionCard]:
    """Cards of Function Compute by short name."""
    return {row.card: row for row in read_csv(FunctionCard, "function_cards.csv")}
