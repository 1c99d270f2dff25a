"""What a sentence speaks of: the machine or card named before a word of it, or the ones named last."""

from __future__ import annotations

import re
from functools import lru_cache

from .draft_text import DraftText
from .name_shapes import Name, names_within
from .said import Said, sentences_of

PART = re.compile(r"[,;、。!?()（）:]|(?<![a-z])(?:but|while|whereas|and)(?![a-z])|但|而")
PRONOUN = re.compile(r"它|他(?=[有是也比])|(?:这|该|此|那)(?:款|台|个|张|种|块)?(?:实例|机型|机器|显卡|卡|规格|型号|服务器)?(?=[^们])|(?<![a-z])(?:it|its|it's|(?:this|that|the) (?:instance|machine|card|type|gpu|server|box|one))(?![a-z])", re.I)
PREDICATE = re.compile(r"^\W{0,4}(?:也|还|同样|并且?|且|而且)?(?:支持|自带|带|有|具备|是|属于|为|比|便宜|贵|快|慢|更|(?:also )?(?:supports?|has|have|with|is|are|comes)(?![a-z]))", re.I)
BEHIND = re.compile(r"(?:的|款|型)?(?:服务器|实例|机型|机器|规格|卡|显卡|card|type|instance|machine|server)?s?\s?(?:是|为|:|is|are)?[\s`*\"“(]*$", re.I)
"""What may stand between a word and the name that it describes: 已停售的 gn5, the cheapest type is `ecs…`."""


def names_of(draft: DraftText, said: Said) -> list[Name]:
    """Machines and cards of the catalog in a sentence; places count from its start."""
    return [name for name in names_within(draft.folded, said.start, said.end) if name.kind in ("type", "family", "card") and (name.known or name.cards)]


@lru_cache(maxsize=256)
def named_before(draft: DraftText, said: Said) -> tuple[Name, ...]:
    """The machines and cards of the last sentence before this one that names any; a type brings its card and family along."""
    for earlier in reversed([item for item in sentences_of(draft) if item.end <= said.start]):
        names = names_of(draft, earlier)
        if names:
            types = tuple(name for name in names if name.kind == "type")
            return types or tuple(names)
    return ()


def subjects_of(draft: DraftText, said: Said, start: int, end: int) -> tuple[Name, ...]:
    """What a word at [start, end) of a sentence is said of; several where the sentence before leaves it open, empty where nothing tells."""
    names = names_of(draft, said)
    behind = next((name for name in names if name.start >= end), None)
    if behind and BEHIND.match(said.text[end : behind.start]):
        return (behind,)
    before = [name for name in names if name.end <= start]
    part = max((m.end() for m in PART.finditer(said.text, 0, start)), default=0)
    inside = [name for name in before if name.start >= part]
    if inside or (before and (PRONOUN.search(said.text, part, start) or PREDICATE.match(said.text[part:]))):
        near = inside or before
        types = [name for name in near if name.kind == "type"]  # the card beside a type is that type's
        return ((types or near)[-1],)
    if not names and (PRONOUN.search(said.text, 0, start + 1) or PREDICATE.match(said.text)):
        return named_before(draft, said)
    return ()


def called(name: Name) -> str:
    """The name as the catalog has it."""
    return name.known or name.text
