"""The tools about getting a machine: its order, and where it is sold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field

from knowledge import facts
from tools.catalog import exists, resolve_card
from tools.describe import families_with
from tools.order.make import make_order
from tools.order.results import Order
from tools.prices import region_id
from tools.results import Result
from tools.sold import WhereSold, sold_in_words, where_sold

from .cost_tools import Count, Name
from .evidence import SourceRef
from .named_type import TypeChoice, choose_type
from .tool_arguments import Lang, Region
from .tool_sources import price_source

Sources = list[SourceRef]
WHOLE = ("gpu", "bare_metal_gpu")
"""Kinds of families with whole cards."""
MOST_FAMILIES = 4
"""Families of a card that are looked up."""


class OrderOf(Result):
    """An order and the type that was chosen for it."""

    choice: TypeChoice
    order: Order


def order_tool(
    name: Name,
    gpu_count: Count = None,
    region: Region = "cn-hangzhou",
    machines: int = 1,
    billing: Literal["payg", "month", "spot"] = "payg",
    months: int = 1,
    disk_gib: int | None = None,
    zone: Annotated[str | None, Field(description="id of a zone of the region; empty: any")] = None,
    site: Annotated[Literal["cn", "intl"], Field(description="China site or international site")] = "cn",
    language: Lang = "zh",
) -> tuple[OrderOf, Sources]:
    """How to order machines."""
    choice = choose_type(name, region=region_id(region, language=language), gpu_count=gpu_count, language=language)
    order = make_order(
        choice.instance_type, region=region, machines=machines * choice.count, billing=billing, months=months, disk_gib=disk_gib,
        zone=zone, site=site, language=language,
    )  # fmt: skip
    return OrderOf(choice=choice, order=order), list(_order_sources(order))


def _order_sources(order: Order) -> Sources:
    refs = [price_source(order.instance_type, order.price)] if order.price else []
    quota = [SourceRef(source_id=s, excerpt=order.quota.text) for s in order.quota.source_ids] if order.quota else []
    line = f"{order.instance_type}: {order.status}, {order.region}"
    return [*refs, *quota, *(SourceRef(source_id=s, excerpt=line) for s in order.source_ids if s in facts.sources())]


class SoldOf(Result):
    """Where what was named is sold: a type, a family, or of a card its families, those on sale first. `regions` are those asked
    for; none: all."""

    name: str
    regions: list[str]
    found: list[WhereSold]


def where_sold_tool(
    name: Name,
    regions: Annotated[list[str], Field(description="ids of the regions asked for; empty: all")] = [],  # noqa: B006
    language: Lang = "zh",
) -> tuple[SoldOf, Sources]:
    """Regions in which a type, a family or a card is sold."""
    families = [family for gpu in resolve_card(name) for family in families_with(gpu.gpu_id)] if exists(name).kind == "card" else []
    whole = [family for family in families if facts.families()[family].kind in WHOLE]
    found = [where_sold(each, language=language) for each in (whole[:MOST_FAMILIES] or [name])]
    places = [region_id(region, language=language) for region in regions]
    refs = [SourceRef(source_id=s, excerpt="\n".join(sold_in_words(sold, language))) for sold in found for s in sold.source_ids]
    return SoldOf(name=name, regions=places, found=found), [ref for ref in refs if ref.source_id]


ORDER_TOOLS: dict[str, tuple[Callable[..., tuple[Any, Sources]], str]] = {
    "order_instance": (order_tool, "How to get a machine: purchase page, aliyun ecs command, Terraform snippet, quota in cards; for types that are not simply on sale whom to ask and what can be ordered instead."),
    "where_sold": (where_sold_tool, "Regions in which a type, family or card is sold as far as is known: on offer by the last refresh, or a price or spot quote of a day on record."),
}  # fmt: skip
"""Name → tool and what it is for."""
