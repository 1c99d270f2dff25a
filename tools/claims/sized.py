"""Which memory sizes of a clause belong to which card or family by their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .cues import connected
from .mentions import Mention
from .sentences import Clause

ALSO = re.compile(r"s?\s*\)?\s*(?:和|及|与|或|、|and\b|or\b|plus\b|\+)")
PRECISION = re.compile(r"(?<![a-z0-9])(?:fp8|fp16|bf16|int8|int4|tf32)(?![a-z0-9])")
OF_CARD = re.compile(r" ?的?显存| ?(?:of )?(?:vram|(?:gpu|video|graphics) (?:memory|ram))(?![a-z])")
HOST = re.compile(r"\s?(?:of )?(?:system |host )?ram(?![a-z])|\s?的?(?:主机)?内存")
SIZE = re.compile(r"\d{1,3} ?(?:gib|gb|g)(?![a-z0-9])")
"""A size beside a name, of which it is only a part."""
LIST_GAP = re.compile(r"\s{0,2}(?:/|、|,|和|或|及|与|and|or|&)?\s{0,2}(?:nvidia|tesla)?\s?")


def listed_with(clause: Clause, item: Mention) -> list[Mention]:
    """The item and those of its kind in one list with it, right before it."""
    group = [item]
    for other in reversed(
        [part for part in clause.of("card", "family", "memory") if part.end <= item.start]
    ):
        if other.kind != item.kind or not LIST_GAP.fullmatch(clause.between(other, group[0])):
            break
        group.insert(0, other)
    return group


def sized(clause: Clause) -> Iterator[tuple[Mention, list[Mention]]]:
    """(card or family, its memory sizes): the sizes follow it, or one stands right before it."""
    items = clause.of("card", "family", "memory")
    taken: set[int] = set()
    for place, item in enumerate(items):
        if item.kind == "memory":
            continue
        amounts = _following(clause, items, place)
        if amounts and _owner_follows(clause, items, place, amounts):
            amounts.pop()
        if amounts:
            taken.update(amount.start for amount in amounts)
            yield item, amounts
            continue
        before = items[place - 1] if place else item
        if (
            before.kind == "memory"
            and before.start not in taken
            and _right_before(clause.between(before, item))
        ):
            yield item, [before]


def _following(clause: Clause, items: list[Mention], place: int) -> list[Mention]:
    amounts: list[Mention] = []
    for later in items[place + 1 :]:
        last = amounts[-1] if amounts else items[place]
        gap = clause.between(last, later)
        if later.kind != "memory" or not connected(PRECISION.sub("", gap)):
            break
        of_card = OF_CARD.match(clause.text, later.end - clause.start) is not None
        if (not amounts and ALSO.match(gap) and not of_card) or HOST.match(clause.text, later.end - clause.start):
            break
        amounts.append(later)
    return amounts


def _owner_follows(
    clause: Clause, items: list[Mention], place: int, amounts: list[Mention]
) -> bool:
    """ "gn7i 的 24GB A10": the size belongs to the name that stands right after it."""
    after = place + len(amounts) + 1
    if after >= len(items) or items[after].kind == "memory":
        return False
    if len(amounts) > 1 and ")" not in clause.between(amounts[-2], amounts[-1]):
        return False
    return _right_before(clause.between(amounts[-1], items[after]))


def _right_before(gap: str) -> bool:
    """The gap between a size and the name it belongs to: "80 GB A100", "24GB 显存的 A10"."""
    return re.search(
        r"[()\[\],、/;:|]|和|或|与|(?<![a-z])(?:and|or)(?![a-z])", gap
    ) is None and connected(gap, limit=16)
