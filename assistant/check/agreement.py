"""Whether a figure of a draft and a fact of equal value may be one: unit, rate, label and subject must not contradict."""

from __future__ import annotations

from typing import NamedTuple

from .figures import Figure
from .labels import asides
from .records import Fact
from .subjects import Subject

BARE = ""
"""The dimension of a number without a unit."""
PRICED = frozenset({"hour", "month", "year"})
PARTS = frozenset({"weights", "kv", "activations", "engine", "optimizer", "gradients", "adapters", "logits", "allocator", "text_encoder", "vae"})
"""Parts of a sum of memory: one is no other, whatever else both are called."""
CARD, MOST = frozenset({"card_size", "card_memory"}), frozenset({"limit", "usable"})


class Match(NamedTuple):
    """How a fact meets a figure: all three, and whether label and subject are shared rather than merely not opposed."""

    fact: Fact
    label: bool
    subject: bool


def agree(figure: Figure, fact: Fact) -> Match | None:
    """The match of a figure and a fact of equal value; None where currency, rate, label or subject differ."""
    item = figure.quantity
    if item.dim.startswith("money_") and fact.dim.startswith("money_") and item.dim != fact.dim:
        return None
    if item.per and fact.per and item.per != fact.per:
        return None
    if fact.bound and not figure.ranged:
        return None
    if _is_price_of_other(figure, fact):
        return None
    shared = _share_label(figure, fact)
    if shared is None:
        return None
    if not _of_one_thing(figure, fact):
        return None
    return Match(fact, shared or not fact.labels - asides() - CARD, figure.subject.shares(fact.subject))


def _is_price_of_other(figure: Figure, fact: Fact) -> bool:
    """Whether a figure is said to be the price of a type and the fact is that of a card or of another type; or that of a family or a
    card, and the fact is that of a type of another one, which a heading may name."""
    if not (fact.dim.startswith("money_") and fact.per in PRICED and figure.subject.named and not figure.carried and fact.subject.named):
        return False
    if not figure.subject.types:
        mine, theirs = (figure.subject.families, fact.subject.families) if figure.subject.families else (figure.subject.gpus, fact.subject.gpus)
        return bool(fact.subject.types and mine and theirs and not mine & theirs)
    return not figure.subject.types & fact.subject.types and bool(fact.carried or fact.subject.types)


def _share_label(figure: Figure, fact: Fact) -> bool | None:
    """Whether they share a label; None where what they are called forbids that they are one."""
    mine, theirs = figure.labels - asides(), fact.labels - asides()
    if "limit" in mine:
        mine -= {"usable"}  # the usable limit is a limit
    shared = bool(mine & theirs) or bool(not mine and figure.labels & fact.labels)
    if "card_size" in mine:
        return True if fact.labels & CARD else None
    if not figure.soft and not fact.soft and mine & PARTS and theirs & PARTS and not mine & theirs & PARTS:
        return None
    if _forbidden(figure, fact, shared=shared):
        return None
    if fact.dim == BARE != figure.quantity.dim:
        return bool(figure.labels & fact.labels)
    if shared or ("usable" in mine and "limit" in theirs):
        return True
    if mine and (theirs or fact.labels & CARD) and not (figure.soft or (theirs and fact.soft)):
        return None
    if figure.quantity.dim == BARE and figure.labels and not figure.soft and (fact.dim == BARE or theirs):
        return None
    return False


def _forbidden(figure: Figure, fact: Fact, *, shared: bool) -> bool:
    """Pairs that are never one: main memory and that of a card, a link between cards and the memory's bandwidth, a size and what of it is
    usable, a bare number of a table that nothing ties to the figure."""
    item, mine, theirs = figure.quantity, figure.labels - asides(), fact.labels - asides()
    if item.dim == "bandwidth" and figure.labels and fact.labels:
        return ("nvlink" in figure.labels) != ("nvlink" in fact.labels)
    if fact.dim == BARE != item.dim:
        if item.dim == "memory" and not item.whole and all((value / item.plain) % 1024 for value in item.strict if item.plain):
            return True  # what an answer prints without a unit is in GiB
        tied = item.dim == "memory" and not figure.labels and not figure.carried and figure.subject.shares(fact.subject)
        return not (figure.labels & fact.labels or tied)
    if item.dim != "memory" or shared:
        return False
    if ("card_memory" in figure.labels or not figure.labels) and theirs & {"ram", "disk"}:
        return True
    if mine:
        return "card_size" in theirs and not (figure.soft and not figure.carried and figure.subject.shares(fact.subject))
    return bool(theirs & MOST and item.whole and figure.labels and not figure.carried)


def _of_one_thing(figure: Figure, fact: Fact) -> bool:
    if figure.subject.agrees(fact.subject):
        return True
    if not (figure.carried or fact.carried):
        return False
    regions = figure.subject.regions & fact.subject.regions or not (figure.subject.regions and fact.subject.regions)
    own: Subject = figure.subject if fact.carried else fact.subject
    other: Subject = fact.subject if fact.carried else figure.subject
    counts = bool(own.types or other.types) or not (own.counts and other.counts) or bool(own.counts & other.counts)
    return bool(regions) and counts


def is_called(figure: Figure, fact: Fact) -> bool:
    """Whether a figure is called what the field of a record is; figures with a unit of their own need no word."""
    if "card_total" in fact.labels:
        return bool("card_total" in figure.labels or figure.subject.types or figure.subject.counts)
    if not figure.quantity.dim:
        return bool(figure.labels & fact.labels)
    if figure.labels & fact.labels or ("card_size" in fact.labels and (figure.soft or not figure.labels) and figure.subject.named):
        return True
    needs_no_word = fact.dim.startswith("money_") or fact.dim not in ("memory", BARE, "tokens", "users")
    return needs_no_word or (not fact.labels - asides() and figure.quantity.dim == fact.dim)
