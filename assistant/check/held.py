"""Whether a name stands in what a draft may rest on: evidence, question, thread, composed answer."""

from __future__ import annotations

import re
from functools import lru_cache

from knowledge.facts import gpu_names
from knowledge.kept import kept

from .name_shapes import Name
from .support import Support

WORD = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")


def stands(word: str, text: str) -> bool:
    """Whether the lower-case word stands in the text as a whole: gn8i does not in "gn8is", nor gn8v in "gn8v-tee"."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        before, after, beyond = text[at - 1 : at] if at else "", text[end : end + 1], text[end + 1 : end + 2]
        inside = before in WORD if before else False
        inside = inside or (before == "." and text[max(0, at - 4) : at] not in ("ecs.",) and text[at - 2 : at - 1] in WORD)
        inside = inside or after in WORD if after else inside
        inside = inside or (after in ("-", ".") and beyond in WORD if beyond else False)
        if not inside:
            return True
        at = text.find(word, at + 1)
    return False


def is_held(name: Name, support: Support) -> bool:
    """Whether evidence, question, thread or composed answer hold the name, whatever its spelling."""
    if name.cards:
        return any(card.gpu_id in support.lower for card in name.cards) or any(_card_stands(word, support.lower) for word in words_of_card(name))
    if name.kind == "family" and name.known:
        return stands(name.known, support.lower) or any(f"ecs.{name.known}{sign}" in support.lower for sign in "-.")
    word = (name.known or name.text).lower()
    short = word.removeprefix("ecs.")
    return stands(word, support.lower) or stands(short, support.lower) or _loosely(short, name, support)


def _loosely(short: str, name: Name, support: Support) -> bool:
    """Spaces and dashes of a card that the table lacks may differ: 昇腾 910B, 昇腾910b."""
    if name.kind != "card":
        return False
    squeezed = _squeeze(short)
    pattern = r"[\s_-]?".join(map(re.escape, squeezed))
    return re.search(rf"(?<![a-z0-9]){pattern}(?![a-z0-9])", support.lower) is not None


def words_of_card(name: Name) -> tuple[str, ...]:
    """What people call the cards of a name, in lower case."""
    return tuple(word for card in name.cards for word in _words_by_id()[card.gpu_id])


def _card_stands(word: str, text: str) -> bool:
    """Like `stands`, but a dash or point behind a card starts something new: "a100-80g"."""
    return _card_pattern(word).search(text) is not None


@lru_cache(maxsize=512)
def _card_pattern(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z0-9_]){re.escape(word)}(?![a-z0-9_])")


def _squeeze(word: str) -> str:
    return re.sub(r"[\s_-]", "", word)


@kept
def _words_by_id() -> dict[str, tuple[str, ...]]:
    return {row.gpu_id: tuple(row.names) for row in gpu_names() if row.gpu_id}
