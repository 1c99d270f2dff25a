"""Texts that say something only about what was said before: a wish, another language, a bare name or number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from .language import NEUTRAL, find_switch
from .lexicon import Hit
from .precision import find_precisions
from .reading import Reading

TERSE = 24
"""Characters up to which "多少钱一个月？" asks about what was spoken of."""

ELLIPTIC = 60
"""Characters up to which a question without a subject of its own is taken as a continuation."""

SUBJECT = ("models", "config_json", "network", "closed_models")
"""Fields of what is to be run."""
HARDWARE = ("cards", "families", "instances", "card_memory_gb")
"""Fields of what it is to be run on."""


def names_typed(reading: Reading) -> list[str]:
    """Names of models and hardware as typed."""
    hardware = (*reading.cards, *reading.families, *reading.instances)
    return [*(model.text for model in reading.models), *(name.text for name in hardware)]


def is_reply(reading: Reading, hits: Iterable[Hit]) -> bool:
    """Whether a text says something only about what was said before: a wish ("再便宜点"), another language,
    or nothing but a name, a number or a sign ("A10", "7")."""
    if not reading.normal or len(reading.normal) > ELLIPTIC:
        return False
    hits = tuple(hits)
    if find_switch(reading.normal, hits) and len(reading.normal) <= TERSE:
        return True
    return is_bare(reading, hits) or _is_wish(reading, {hit.name for hit in hits if hit.table == "cues"})


@cache
def _empty() -> re.Pattern[str]:
    return re.compile(r"(?:[\W\d_]|那|呢|吧|啊|嗯|哦|然后|继续|接着|还有|(?<![a-z])(?:so|and|then|go on|continue)(?![a-z]))*")


def is_bare(reading: Reading, hits: Iterable[Hit]) -> bool:
    """Nothing but names, numbers, precisions, ways to pay and signs: "A10", "7", "bf16", "spot?", "那呢"."""
    rest = reading.normal.lower()
    for hit in (*hits, *find_precisions(reading.normal).found):
        if hit.table in NEUTRAL:
            rest = rest[: hit.start] + " " * (hit.end - hit.start) + rest[hit.end :]
    for name in names_typed(reading):
        rest = rest.replace(name.lower(), " ", 1)
    return _empty().fullmatch(rest) is not None


_PLAIN_TOPICS = frozenset(("price", "gpu", "family", "speed", "memory", "llm", "inference", "order"))
"""Topics that a wish may name without becoming a question of its own ("更便宜的卡", not "更快的磁盘")."""


def _is_wish(reading: Reading, cues: set[str]) -> bool:
    own = any(getattr(reading, name) for name in (*SUBJECT, *HARDWARE)) or not set(reading.topics) <= _PLAIN_TOPICS
    if reading.wish is None or own or "offtopic" in cues:
        return False
    return reading.wish in ("explain", "why_not", "defaults") or not {"how", "list", "compare"} & cues
