"""From the options and settings of `xuanka refresh` to what is asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .options import shortened
from .speech import say

if TYPE_CHECKING:
    from assistant.settings import Settings
    from knowledge.refresh.request import RefreshRequest, What
    from tools.phrases import Language

MOST_NAMES = 100
"""Regions or families of one refresh."""
ON_OFFER = ("on_sale", "contact_sales", "invite_only", "overseas_only")
GPU_KINDS = ("gpu", "bare_metal_gpu", "scc_gpu", "vgpu")
_FAMILY = re.compile(r"[a-z]{1,8}\d{1,2}[a-z0-9]{0,8}(-[a-z0-9]{1,8}){0,2}")


def make_request(
    settings: Settings,
    regions: Sequence[str],
    families: Sequence[str],
    what: Sequence[str],
    *,
    bulk: bool,
    language: Language,
    whole: bool,
) -> RefreshRequest:
    """What was asked for, with the settings in place of what was not said. `whole`: `what` only adds to the usual kinds.

    Raises InputError for a region, family or kind that is none, or too many of them.
    """
    from knowledge.refresh.request import USUAL, RefreshRequest
    from tools.prices import region_id

    places = _parts(regions) or settings.refresh_regions or (settings.region,)
    names = _parts(families) or settings.refresh_families
    _limit(len(places), language)
    _limit(len(names), language)
    kinds = [_what(name, language) for name in _parts(what)]
    return RefreshRequest(
        regions=_once(region_id(name, language=language) for name in places),
        families=_once(_family(name, language) for name in names) or families_on_offer(),
        what=_in_order(kinds + (list(USUAL) if whole or not kinds else [])),
        bulk=bulk,
        others=not names,
        site=settings.site,
    )


def families_on_offer() -> tuple[str, ...]:
    """GPU families that the catalog has on offer in any way, those on sale first."""
    from knowledge.facts import families

    rows = [row for row in families().values() if row.kind in GPU_KINDS and row.status in ON_OFFER]
    return tuple(row.family for row in sorted(rows, key=lambda row: ON_OFFER.index(row.status)))


def _family(name: str, language: Language) -> str:
    """Id of a family; one that the catalog does not know is asked for if it is written like one."""
    from knowledge.errors import InputError
    from knowledge.facts import families
    from tools.catalog import resolve_card

    plain = unicodedata.normalize("NFKC", name).strip().lower().removeprefix("ecs.")
    if plain in families() or (_FAMILY.fullmatch(plain) and not resolve_card(plain)):
        return plain
    raise InputError(say("refresh.no_family", language, name=shortened(name)))


def _what(name: str, language: Language) -> What:
    from knowledge.errors import InputError
    from knowledge.refresh.request import WHATS

    plain = unicodedata.normalize("NFKC", name).strip().lower()
    if plain in WHATS:
        return plain
    raise InputError(say("refresh.no_kind", language, name=shortened(name), names=", ".join(WHATS)))


def _in_order(kinds: Iterable[What]) -> tuple[What, ...]:
    from knowledge.refresh.request import WHATS

    wanted = set(kinds)
    return tuple(name for name in WHATS if name in wanted)


def _parts(names: Iterable[str]) -> tuple[str, ...]:
    """Names given one by one or in a list: "gn7i, gn8v", "上海、北京"."""
    parts = (part.strip() for name in names for part in re.split(r"[,;，；、]", name))
    return tuple(part for part in parts if part)


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _limit(count: int, language: Language) -> None:
    from knowledge.errors import InputError

    if count > MOST_NAMES:
        raise InputError(say("refresh.too_many", language, count=count, limit=MOST_NAMES))
