"""The only file that wraps tools and search as LangChain tools: name, schema, and what a finding cites.

Each tool returns one line and, as artifact, a Finding with the typed result and its sources; a model reads its digest. A tool
that refuses its arguments returns the sentence of the error as a finding; bugs are not caught.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from importlib import import_module
from typing import Annotated, Any, Literal

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import Field

from knowledge import facts
from knowledge.errors import XuankaError
from knowledge.search import Library
from tools.claims.check import check_claims
from tools.describe import Described, describe, listing_facts, type_facts
from tools.finder import estimated_within, explain_none, find_instances
from tools.phrases import Language
from tools.prices import monthly_within, region_id
from tools.site import current_site

from .evidence import Finding, SourceRef
from .found import FoundInstances, FoundPassage, found_passage
from .serving_tools import size_llm_tool
from .sizing_tools import JOB_TOOLS
from .state_tool import make_state_tool
from .tool_arguments import LISTED, Lang, Names, Region
from .tool_schema import ChatTool, described
from .tool_sources import described_sources, passage_sources, price_source, type_sources

MAX_TYPES = 40


def make_toolbox(library: Library, *, schemas: bool = True, today: Callable[[], date] = date.today) -> list[BaseTool]:
    """All tools of the agent, over one library. `today` is the clock by which the catalog has an age.

    `schemas`: with the schema of their arguments, which a language model reads and which checks what it says. The rules
    know the tools, so they can do without, and the first question is answered sooner.
    """
    later = {name: _loaded(*place) if schemas else _at_first_call(*place) for name, place in LATER.items()}
    bodies: dict[str, Body] = {
        "size_llm": size_llm_tool,
        **JOB_TOOLS,
        "look_up_names": look_up_names,
        "get_prices": get_prices,
        "find_instances": find_instances_tool,
        **later,
        "catalog_state": make_state_tool(today),
        "check_claims": check_claims_tool,
        "search_guides": _search_tool(library),
    }
    return [_tool(body, name, schemas=schemas) for name, body in bodies.items()]


Body = Callable[..., tuple[Any, list[SourceRef]]]
LATER = {
    "compare_costs": ("cost_tools", "compare_costs_tool"),
    "rent_or_api": ("cost_tools", "rent_or_api_tool"),
    "training_cost": ("cost_tools", "training_cost_tool"),
    "order_instance": ("order_tools", "order_tool"),
    "where_sold": ("sold_tool", "where_sold_tool"),
}
"""Tools that most conversations do without: module and function, imported when they are first called."""
OPEN = {"type": "object", "properties": {}}
"""The schema of a tool that takes what it is given."""


def _tool(body: Body, name: str, *, schemas: bool) -> BaseTool:
    def run(**args: Any) -> tuple[str, Finding]:
        started = time.perf_counter()
        try:
            data, sources = body(**args)
            finding = Finding.of_result(name, _plain(args), data, _dump(data), sources)
        except XuankaError as error:
            nearest = list(getattr(error, "nearest", ()))
            finding = Finding(tool=name, args=_plain(args), data={"nearest": nearest}, error=str(error))
        finding.ms = round((time.perf_counter() - started) * 1000, 2)
        return _content(finding), finding

    if not schemas:
        return StructuredTool(func=run, name=name, description=name, args_schema=OPEN, response_format="content_and_artifact")
    schema = StructuredTool.from_function(func=body, name=name).args_schema
    return ChatTool(func=run, name=name, description=described(name), args_schema=schema, response_format="content_and_artifact")


def _loaded(module: str, function: str) -> Body:
    body: Body = getattr(import_module(f".{module}", __package__), function)
    return body


def _at_first_call(module: str, function: str) -> Body:
    def body(**args: Any) -> tuple[Any, list[SourceRef]]:
        return _loaded(module, function)(**args)

    return body


def look_up_names(names: Names, region: Region = "cn-hangzhou", language: Lang = "zh") -> tuple[list[Described], list[SourceRef]]:
    """Describes each name."""
    described = [describe(name, region=region_id(region, language=language), language=language) for name in names[:12]]
    return described, [ref for item in described for ref in described_sources(item, language)]


def get_prices(names: Names, region: Region = "cn-hangzhou", language: Lang = "zh") -> tuple[list[Described], list[SourceRef]]:
    """Describes each name with all its prices."""
    described = [describe(name, region=region_id(region, language=language), language=language, with_prices=True) for name in names[:12]]
    prices = [(row, price) for item in described for row in item.types for price in [row.price, *row.prices] if price]
    refs = [price_source(row.instance_type, price) for row, price in prices[:MAX_TYPES]]
    return described, refs + [ref for item in described for ref in described_sources(item, language)]


def find_instances_tool(
    gpu_ids: Annotated[list[str], LISTED, Field(description="cards: A10, L20")] = [],  # noqa: B006
    family: str | None = None,
    gpu_count: Annotated[int | None, Field(description="cards per machine")] = None,
    min_card_memory_gb: Annotated[float | None, Field(description="GB of one card")] = None,
    min_gpu_memory_gb: Annotated[float | None, Field(description="GB of all cards of a machine")] = None,
    max_hourly: Annotated[float | None, Field(description="price per hour")] = None,
    max_monthly: Annotated[float | None, Field(description="price per month")] = None,
    precision: Literal["fp8", "bf16"] | None = None,
    nvlink: bool | None = None,
    rdma: bool | None = None,
    region: Region = "cn-hangzhou",
    min_vcpu: int | None = None,
    min_memory_gib: Annotated[float | None, Field(description="main memory")] = None,
    bare_metal: bool | None = None,
    sold_here: Annotated[bool | None, Field(description="known to be sold in the region")] = None,
    status: Literal["on_sale", "contact_sales", "invite_only", "overseas_only", "phased_out"] | None = None,
    language: Lang = "zh",
) -> tuple[FoundInstances, list[SourceRef]]:
    """Searches the catalog."""
    conditions: dict[str, Any] = {
        "gpu_id": gpu_ids or None, "family": family, "gpu_count": gpu_count, "min_vcpu": min_vcpu,
        "min_card_memory_gb": min_card_memory_gb, "min_gpu_memory_gb": min_gpu_memory_gb,
        "min_memory_gib": min_memory_gib, "precision": precision, "nvlink": nvlink, "rdma": rdma, "vgpu": False,
        "bare_metal": bare_metal, "sold_here": sold_here, "status": status,
        "max_price": Decimal(str(max_hourly)) if max_hourly is not None else None,
    }  # fmt: skip
    place = region_id(region, language=language)
    if max_monthly is not None:
        return _by_month(Decimal(str(max_monthly)), place, conditions, language)
    rows = find_instances(region=place, **conditions)
    none = None if rows else explain_none(region=place, **conditions)
    found = FoundInstances(
        types=[listing_facts(row, language=language) for row in rows if row.gpu][:MAX_TYPES],
        none=none.say(language) if none else "",
        nearest=[listing_facts(row, language=language) for row in none.nearest] if none else [],
    )
    return found, list(type_sources([*found.types, *found.nearest]))


def _by_month(
    most: Decimal, region: str, conditions: dict[str, Any], language: Language
) -> tuple[FoundInstances, list[SourceRef]]:
    """Subscriptions within the budget: those listed in the region, else in others; apart from them types without one there that
    would keep it by the hour."""
    meet = {row.instance.instance_type for row in find_instances(region=region, **conditions)}
    here = [(row.instance.instance_type, row.monthly) for row in find_instances(region=region, max_monthly=most, sort="memory", **conditions)]
    priced = [(name, price) for name, price in here if price] or [pair for pair in monthly_within(most) if pair[0] in meet]
    estimated = estimated_within(most, region=region, **conditions) if current_site() == "cn" else []
    types = [
        type_facts(facts.instances()[name], region=price.region, language=language).model_copy(update={"prices": [price]})
        for name, price in priced[:MAX_TYPES]
    ]
    rows = [listing_facts(row, language=language) for row in estimated if row.gpu][:MAX_TYPES]
    refs = [price_source(name, price) for name, price in priced[:MAX_TYPES]]
    return FoundInstances(types=types, estimated=rows), [*refs, *type_sources([*types, *rows])]


def check_claims_tool(
    text: str,
    questions: Annotated[bool, Field(description="judge what is asked as if it was stated; false for articles")] = True,
    language: Lang = "zh",
) -> tuple[Any, list[SourceRef]]:
    """Judges the statements of a text."""
    report = check_claims(text, language=language, questions=questions)
    refs = [SourceRef(source_id=s, excerpt=item.fact) for item in report.statements for s in item.source_ids]
    return report, refs


def _search_tool(library: Library) -> Body:
    def search_guides(
        query: str,
        topics: list[str] = [],  # noqa: B006
        subjects: Annotated[list[str], Field(description="families, cards or models the question names")] = [],  # noqa: B006
        kinds: Annotated[list[str], Field(description="guide document family gpu model disk; empty: all")] = [],  # noqa: B006
        k: int = 5,
        language: Lang = "zh",
    ) -> tuple[list[FoundPassage], list[SourceRef]]:
        """Searches the knowledge base."""
        hits = library.search(query, lang=language, topics=topics, subjects=subjects, kinds=kinds or None, k=min(k, 12))
        passages = [found_passage(hit, language) for hit in hits]
        return passages, [ref for passage in passages for ref in passage_sources(passage)]

    return search_guides


def _content(finding: Finding) -> str:
    """One line: what there is to read of a finding, its digest says (turn/digest.py), for which it takes the place of this."""
    return f"{finding.tool}: {finding.error or 'done'}"


def _dump(data: Any) -> Any:
    if isinstance(data, list):
        return [item.model_dump(mode="json") for item in data]
    return data.model_dump(mode="json", by_alias=True)


def _plain(args: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in args.items() if value not in (None, "", [])}
