"""Facts that an order needs: under which quota a family counts, and what holds for families when they are created."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .tables import read_csv


@dataclass(frozen=True, slots=True)
class QuotaRow:
    """One kind of quota. Its id is `quota`_`prepay|postpay|spot`_`suffix`: each way of billing has its own."""

    quota: str
    families: tuple[str, ...]
    counted: str  # cards | instances | vcpu
    suffix: str
    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OrderRule:
    """What holds for some families when instances of them are created."""

    rule: str  # low_latency_set | uefi_image
    families: tuple[str, ...]
    source_ids: tuple[str, ...]
    note: str


@cache
def quotas() -> dict[str, QuotaRow]:
    """Kinds of quota by family; a family that no official page assigns is missing."""
    return {family: row for row in read_csv(QuotaRow, "quotas.csv") for family in row.families}


@cache
def order_rules() -> dict[str, OrderRule]:
    """Rules by name."""
    return {row.rule: row for row in read_csv(OrderRule, "order_rules.csv")}
