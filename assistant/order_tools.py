"""The tool that makes the order of a machine."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from knowledge import facts
from tools.order.make import make_order
from tools.order.results import Order
from tools.prices import region_id
from tools.results import Result

from .evidence import SourceRef
from .named_type import TypeChoice, choose_type
from .tool_arguments import Count, Lang, Name, Region
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
    region: Region = "cn-hangzhou",
    machines: int = 1,
    gpu_count: Count = None,
    billing: Literal["payg", "month", "spot"] = "payg",
    months: int = 1,
    disk_gib: int | None = None,
    zone: Annotated[str | None, Field(description="zone id, if named")] = None,
    site: Literal["cn", "intl"] = "cn",
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
