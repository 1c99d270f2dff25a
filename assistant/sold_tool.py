"""The tool that tells where a machine is sold."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from knowledge import facts
from tools.catalog import exists, resolve_card
from tools.describe import families_with
from tools.prices import region_id
from tools.results import Result
from tools.sold import WhereSold, sold_in_words, where_sold

from .evidence import SourceRef
from .tool_arguments import LISTED, Lang, Name

WHOLE = ("gpu", "bare_metal_gpu")
"""Kinds of families with whole cards."""
MOST_FAMILIES = 4
"""Families of a card that are looked up."""


class SoldOf(Result):
    """Where what was named is sold: a type, a family, or of a card its families, those on sale first. `regions` are those asked
    for; none: all."""

    name: str
    regions: list[str]
    found: list[WhereSold]


def where_sold_tool(
    name: Name,
    regions: Annotated[list[str], LISTED, Field(description="region ids; empty: all")] = [],  # noqa: B006
    language: Lang = "zh",
) -> tuple[SoldOf, list[SourceRef]]:
    """Regions in which a type, a family or a card is sold."""
    families = [family for gpu in resolve_card(name) for family in families_with(gpu.gpu_id)] if exists(name).kind == "card" else []
    whole = [family for family in families if facts.families()[family].kind in WHOLE]
    found = [where_sold(each, language=language) for each in (whole[:MOST_FAMILIES] or [name])]
    places = [region_id(region, language=language) for region in regions]
    refs = [SourceRef(source_id=s, excerpt="\n".join(sold_in_words(sold, language))) for sold in found for s in sold.source_ids]
    return SoldOf(name=name, regions=places, found=found), [ref for ref in refs if ref.source_id]
