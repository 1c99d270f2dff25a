"""Names close to a name that is not in the catalog: same family first, then the nearest families."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

from knowledge.facts import families, instances
from knowledge.rows import Family, Instance

from .cards import resolve_card

HIDDEN = ("name_only",)
"""Never suggested: no public page describes them."""

TOO_FAR = 0.55
"""Spelling further apart than this suggests nothing."""

LONGEST_NAME = 80
_DASHES = re.compile(r"[‐‑‒–—―−_]")
_KIND = re.compile(r"ebm|scc|sgn|vgn|hf|gn")


def plain_name(name: str) -> str:
    """A type or family name as the catalog spells it: NFKC, lower case, plain dashes, no white space, quotes or `ecs.`.

    Longer than `LONGEST_NAME` is cut, so that an error message stays one line.
    """
    text = unicodedata.normalize("NFKC", name).lower()
    text = "".join(c for c in _DASHES.sub("-", text) if c.isprintable() and not c.isspace())
    return text.strip("`'\"“”‘’「」《》<>()（）,，。;；:：").removeprefix("ecs.")[:LONGEST_NAME]


def family_of(plain: str) -> str | None:
    """The family whose name a type name starts with (the longest: `gn8v-tee` before `gn8v`), or None."""
    whole = [f for f in families() if plain == f or plain.startswith((f + ".", f + "-"))]
    return max(whole, key=len, default=None)


def nearest_types(name: str, *, count: int = 3) -> tuple[str, ...]:
    """Instance types close to `name`: those of its family, else the smallest types of the nearest families."""
    plain = plain_name(name)
    family = family_of(plain)
    if family and _types(family):
        ranked = sorted(_types(family), key=lambda row: _type_distance(plain, row))
        return tuple(row.instance_type for row in ranked[:count])
    smallest = (
        _types(near)[0].instance_type for near in nearest_families(name, count=9) if _types(near)
    )
    return tuple(smallest)[:count]


def nearest_families(name: str, *, count: int = 3) -> tuple[str, ...]:
    """Families close to `name` by card, then generation and spelling. Names without a public page are left out."""
    plain = plain_name(name)
    cards = {gpu.gpu_id for gpu in resolve_card(name)}
    known = [row for row in families().values() if row.status not in HIDDEN]
    close = [row for row in known if row.gpu_id in cards or _unlike(plain, row) < TOO_FAR]
    ranked = sorted(close, key=lambda row: _family_distance(plain, cards, row))
    return tuple(row.family for row in ranked[:count])


def _unlike(plain: str, row: Family) -> float:
    """0 for the same spelling, 1 for no letter in common."""
    stem = plain.partition(".")[0]
    return 1 - SequenceMatcher(None, stem, row.family, autojunk=False).ratio()


def _family_distance(plain: str, cards: set[str], row: Family) -> tuple[bool, float, str]:
    stem = plain.partition(".")[0]
    generation = re.search(r"\d+", stem)
    apart = min(3, abs(int(generation[0][:3]) - row.generation)) if generation else 0
    kind = _kind(stem) != _kind(row.family)
    retired = row.status == "phased_out"
    # Spelling counts most; a generation apart weighs about as much as half a letter of a short name.
    distance = _unlike(plain, row) + 0.12 * apart + 0.25 * kind + 0.3 * retired
    return row.gpu_id not in cards, distance, row.family


def _type_distance(plain: str, row: Instance) -> tuple[float, int, str]:
    own = row.instance_type.removeprefix("ecs.")
    unlike = 1 - SequenceMatcher(None, plain, own, autojunk=False).ratio()
    same_size = plain.rpartition(".")[2] == own.rpartition(".")[2]
    retired = row.status in ("phased_out", "name_only")
    return unlike - 0.15 * same_size + 0.3 * retired, row.vcpu, own


def _kind(name: str) -> str:
    """The prefix of GPU, bare metal, cluster and vGPU names; empty for CPU families."""
    found = _KIND.match(name)
    return found[0] if found else ""


def _types(family: str) -> list[Instance]:
    rows = [row for row in instances().values() if row.family == family]
    return sorted(rows, key=lambda row: (row.gpu_count, row.vcpu))
