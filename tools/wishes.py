"""What a wish admits: its names as the catalog spells them, and the types that meet it."""

from __future__ import annotations

from dataclasses import replace

from knowledge.errors import UnknownInstance
from knowledge.facts import gpus
from knowledge.rows import Instance

from .cards import resolve_card
from .catalog import exists
from .demand import Wish
from .names import show_family, show_instance
from .phrases import Language
from .prices import region_id


def check_wish(wish: Wish, language: Language) -> Wish:
    """The wish with its names as the catalog spells them.

    Raises UnknownInstance for a card, family or type outside the catalog, InputError for an unknown region.
    """
    types = frozenset(
        show_instance(n, language=language).instance_type for n in wish.instance_types
    )
    named = frozenset(show_family(n, language=language).family.family for n in wish.families)
    cards = frozenset(gpu_id for name in wish.gpu_ids for gpu_id in _card_ids(name, language))
    region = region_id(wish.region, language=language)
    return replace(wish, gpu_ids=cards, instance_types=types, families=named, region=region)


def _card_ids(name: str, language: Language) -> list[str]:
    """Ids of the cards called `name`; raises UnknownInstance."""
    cards = resolve_card(name)
    if not cards:
        sentence = exists(name)
        raise UnknownInstance(sentence.fact_zh if language == "zh" else sentence.fact_en)
    return [gpu.gpu_id for gpu in cards]


def is_asked(row: Instance, wish: Wish) -> bool:
    """Whether a type has CUDA cards and meets what the wish names."""
    if not row.gpu_count or gpus()[row.gpu_id].compute_capability is None:
        return False
    named = row.instance_type in wish.instance_types or row.family in wish.families
    beside = row.instance_type in wish.vgpu_names or row.family in wish.vgpu_names
    if row.vgpu and not (wish.include_vgpu or named or beside):
        return False
    return (
        (not wish.instance_types or row.instance_type in wish.instance_types)
        and (not wish.families or row.family in wish.families)
        and (not wish.gpu_ids or row.gpu_id in wish.gpu_ids)
        and wish.gpu_count in (None, row.gpu_count)
        and (not wish.rdma or row.rdma != "none")
        and (not wish.nvlink or row.nvlink)
    )
