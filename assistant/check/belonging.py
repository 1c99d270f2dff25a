"""A type or family and the card beside it must belong together: "ecs.gn6i-… (4 × A10)" is wrong, gn6i has T4."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.read.normalise import parse_number
from knowledge import facts
from tools.claims.names import gpu_ids_of

from .name_shapes import Name
from .problem import Problem
from .rejecting import words_pattern
from .said import Said

LONGEST_GAP = 70
NEAR = 24
"""Characters around a pair in which a word may call it wrong."""
COUNT = r"(?:\d{1,2}|[一二两四八]|one|two|four|eight)\s?(?:×|x(?![a-z])|\*|张|块|卡|个|片|gpus?|(?=nvidia|tesla))\s?的?"
HAS = (
    r"[\s`*\"“”:：()]|规格族?|实例|机型|系列|每台|each|per machine|(?:which )?(?:with|has|have|uses|carries|comes with|is|are)(?![a-z])|(?:an?|the|of|its)(?![a-z])"
    r"|搭载的?(?:是|了)?|配备?的?(?:是|了)?|带|用的?是?|采用|基于|装的?是|有|是|为|即|的|nvidia|tesla|英伟达|geforce|\d{1,2}\s?gb|hopper(?:-class)?|blackwell|lovelace|架构"
    r"|cards?(?![a-z])|gpus?(?![a-z])|卡|显卡|按规格应?(?:为|是)?|单卡|单张"
)
OF_IT = re.compile(COUNT.replace("(?:", "(?P<count>", 1), re.I)
TO_CARD = re.compile(rf"(?:{COUNT}|{HAS}|\|)*+", re.I)
TO_CARD_OF_TYPE = re.compile(rf"(?:,\s?(?={COUNT}))?(?:{COUNT}|{HAS}|\|)*+", re.I)
TO_NAME = re.compile(r"(?:[\s`*\"“”:]|\(|\||的|实例|机型|系列|规格族?|在|属于|是|即|(?:in|on|of|family|instance|types?|is|comes in|card)(?![a-z]))*+", re.I)
LISTED = re.compile(r"[\s`*]*(?:[、,/]|和|及|与|or|and)[\s`*]*")
OF_FAMILY = re.compile(r"[\s`*]*(?:\(|属于|of(?: the)?|is in)\s?[`*]*")
COUNTED = re.compile(r"(?P<together>共|合计|一共|总共|total of |in all |in total )?\s?(?P<count>\d{1,2}|[一二两四八])\s?(?:×|x|\*|张|块|卡)\s?(?:的|nvidia |tesla |英伟达)?\s?$", re.I)


def belongs(card: Name, machine: Name) -> bool:
    """Whether the machine has this card."""
    return bool(machine.known) and machine.kind in ("type", "family") and bool(_cards_of(machine) & {row.gpu_id for row in card.cards})


def bad_pairs(names: list[Name], text: str, said: Said) -> Iterator[Problem]:
    """Neighbours of a sentence that do not belong together, and types with a number of cards that is not theirs."""
    listed: Name | None = None  # the card that heads a list of families: "A10（gn7i、ebmgn7i）"
    for first, second in zip(names, names[1:], strict=False):
        gap = text[first.end : second.start]
        going_on = listed if LISTED.fullmatch(gap) else None
        listed = None
        if len(gap) > LONGEST_GAP or not (first.known and second.known) or _is_rejected(text, first, second):
            continue
        if first.kind in ("type", "family") and second.kind == "card":
            if (TO_CARD_OF_TYPE if first.kind == "type" else TO_CARD).fullmatch(gap):
                counted = OF_IT.search(gap)
                yield from _pair(first, second, _number(counted["count"]) if counted else None, said)
        elif first.kind == "card" and second.kind in ("type", "family") and TO_NAME.fullmatch(gap):
            listed = first
            yield from _pair(second, first, _counted(text, first, gap), said)
        elif going_on and second.kind in ("type", "family"):
            listed = going_on
            if not belongs(going_on, second):
                yield _problem(second, said, f"it stands in a list of what has {going_on.text.upper()}")
        elif first.kind == "type" and second.kind == "family" and OF_FAMILY.fullmatch(gap):
            yield from _family(first, second, said)
    yield from _row(names, said)


def _counted(text: str, card: Name, gap: str) -> int | None:
    """How many of the card are said before it, where a machine follows in brackets."""
    counted = COUNTED.search(text[max(0, card.start - 20) : card.start])
    return _number(counted["count"]) if counted and not counted["together"] and "(" in gap else None


def _row(names: list[Name], said: Said) -> Iterator[Problem]:
    """Families and types of a table row that names one card: its machines have this card."""
    cards = [name for name in names if name.kind == "card" and name.cards]
    if said.kind != "row" or len({name.cards for name in cards}) != 1 or words_pattern("rejects", "wrong").search(said.text.lower()):
        return
    for name in names:
        if name.kind in ("type", "family") and name.known and not belongs(cards[0], name):
            yield _problem(name, said, f"the row is of {cards[0].text.upper()}")


def _family(machine: Name, family: Name, said: Said) -> Iterator[Problem]:
    if facts.instances()[machine.known].family != family.known:
        yield _problem(family, said, f"{machine.known} is of the family {facts.instances()[machine.known].family}")


def _is_rejected(text: str, first: Name, second: Name) -> bool:
    """Whether the words around a pair call it wrong: "说 gn7i 有 L4，不对"."""
    return words_pattern("rejects", "wrong").search(text[max(0, first.start - NEAR) : second.end + NEAR].lower()) is not None


def _pair(machine: Name, card: Name, count: int | None, said: Said) -> Iterator[Problem]:
    ids = _cards_of(machine)
    if not ids & {row.gpu_id for row in card.cards}:
        yield _problem(card, said, f"{machine.known} has {_labels(ids)}" if ids else f"which card {machine.known} has is not on record")
        return
    row = facts.instances().get(machine.known)
    if row is not None and count is not None and row.gpu_count and not row.vgpu and count != row.gpu_count:
        yield _problem(card, said, f"{machine.known} has {row.gpu_count} of it, not {count}")


def _cards_of(machine: Name) -> frozenset[str]:
    row = facts.instances().get(machine.known)
    if row is not None and row.gpu_id:
        return frozenset([row.gpu_id])
    return gpu_ids_of(machine.known)


def _labels(ids: frozenset[str]) -> str:
    return ", ".join(sorted(facts.gpus()[gpu_id].name for gpu_id in ids))


def _number(text: str | None) -> int | None:
    small = {"one": 1, "two": 2, "four": 4, "eight": 8}
    value = small.get(text.lower()) or parse_number(text) if text else None
    return int(value) if value else None


def _problem(name: Name, said: Said, fact: str) -> Problem:
    text = said.text[name.start : name.end]
    return Problem("name", text, said.start + name.start, f"“{text}” does not belong to the name beside it ({fact}): take both from one tool result.")
