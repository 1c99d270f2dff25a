"""The only file that wraps tools and search as LangChain tools: name, schema, and what a finding cites.

Each tool returns compact JSON for a model and, as artifact, a Finding with the typed result and its sources. A tool
that refuses its arguments returns the sentence of the error as a finding; bugs are not caught.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Annotated, Any, Literal

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import Field

from knowledge import facts
from knowledge.errors import XuankaError
from knowledge.search import Hit, Library
from tools.advise import Wish
from tools.claims.check import check_claims
from tools.describe import Described, TypeFacts, describe, listing_facts, type_facts
from tools.finder import explain_none, find_instances
from tools.phrases import Language
from tools.prices import monthly_within, region_id
from tools.results import Price
from tools.sizing import LlmRequest, size_llm
from tools.sizing_results import LlmSizing

from .evidence import Finding, SourceRef
from .found import FoundInstances, FoundPassage

Lang = Annotated[Literal["zh", "en"], Field(description="language of the sentences in the result")]
Region = Annotated[str, Field(description="region id, e.g. cn-hangzhou")]
MAX_TYPES = 40


def make_toolbox(library: Library) -> list[BaseTool]:
    """All tools of the agent, over one library."""
    return [
        _tool(size_llm_tool, "size_llm", "Memory, instances, prices and cheaper variants for serving one language model."),
        _tool(look_up_names, "look_up_names", "What the catalog knows of GPU cards, instance families and instance types, with hourly prices; says when a name is not in it."),
        _tool(get_prices, "get_prices", "List prices of instance types, families or cards: hourly, monthly, spot range; each with region, date and source."),
        _tool(find_instances_tool, "find_instances", "Instance types that meet conditions on card, memory, count, price, precision, NVLink, RDMA."),
        _tool(check_claims_tool, "check_claims", "Judges statements about instances, cards, memory, precisions, disks and networks in a text."),
        _tool(_search_tool(library), "search_guides", "Passages of the knowledge base that answer a question, with their sources."),
    ]  # fmt: skip


Body = Callable[..., tuple[Any, list[SourceRef]]]


def _tool(body: Body, name: str, description: str) -> BaseTool:
    def run(**args: Any) -> tuple[str, dict[str, Any]]:
        started = time.perf_counter()
        try:
            data, sources = body(**args)
            finding = Finding(tool=name, args=_plain(args), data=_dump(data), sources=sources)
        except XuankaError as error:
            nearest = list(getattr(error, "nearest", ()))
            finding = Finding(tool=name, args=_plain(args), data={"nearest": nearest}, error=str(error))
        finding.ms = round((time.perf_counter() - started) * 1000, 2)
        return _content(finding), finding.model_dump(mode="json")

    schema = StructuredTool.from_function(func=body, name=name, description=description).args_schema
    return StructuredTool.from_function(
        func=run, name=name, description=description, args_schema=schema, infer_schema=False,
        response_format="content_and_artifact",
    )  # fmt: skip


def size_llm_tool(
    model: Annotated[str, Field(description="model name as typed, e.g. Qwen2.5-72B-Instruct, or a size like 13B")] = "",
    config_json: Annotated[str | None, Field(description="a Hugging Face config.json instead of a name")] = None,
    weight_dtype: Annotated[str | None, Field(description="bf16 fp8 int8 awq gptq nf4 q4_k_m …; empty: as published")] = None,
    kv_dtype: Annotated[str | None, Field(description="bf16 or fp8")] = None,
    context: Annotated[int | None, Field(description="tokens per sequence")] = None,
    concurrency: Annotated[int | None, Field(description="sequences at once")] = None,
    tensor_parallel: int | None = None,
    on: Annotated[list[str], Field(description="cards, families or types to check, e.g. nvidia-a10, nvidia-a10x4, gn7e")] = [],  # noqa: B006
    region: Region = "cn-hangzhou",
    gpu_count: Annotated[int | None, Field(description="cards per machine, where the user says how many")] = None,
    max_hourly: Annotated[float | None, Field(description="budget in CNY per hour")] = None,
    language: Lang = "zh",
) -> tuple[LlmSizing, list[SourceRef]]:
    """Sizes the serving of a model."""
    most = Decimal(str(max_hourly)) if max_hourly is not None else None
    wish = Wish(region=region_id(region, language=language), max_hourly=most, gpu_count=gpu_count)
    request = LlmRequest(
        model=model, config_json=config_json, weight_dtype=weight_dtype, kv_dtype=kv_dtype, context=context,
        concurrency=concurrency, tensor_parallel=tensor_parallel, on=tuple(on), wish=wish,
    )  # fmt: skip
    sizing = size_llm(request, language=language)
    return sizing, list(_sizing_sources(sizing))


def look_up_names(names: list[str], region: Region = "cn-hangzhou", language: Lang = "zh") -> tuple[list[Described], list[SourceRef]]:
    """Describes each name."""
    described = [describe(name, region=region_id(region, language=language), language=language) for name in names[:12]]
    return described, [ref for item in described for ref in _described_sources(item, language)]


def get_prices(names: list[str], region: Region = "cn-hangzhou", language: Lang = "zh") -> tuple[list[Described], list[SourceRef]]:
    """Describes each name with all its prices."""
    described = [describe(name, region=region_id(region, language=language), language=language, with_prices=True) for name in names[:12]]
    prices = [(row, price) for item in described for row in item.types for price in [row.price, *row.prices] if price]
    refs = [_price_source(row.instance_type, price) for row, price in prices[:MAX_TYPES]]
    return described, refs + [ref for item in described for ref in _described_sources(item, language)]


def find_instances_tool(
    gpu_ids: list[str] = [],  # noqa: B006
    family: str | None = None,
    gpu_count: int | None = None,
    min_card_memory_gb: float | None = None,
    min_gpu_memory_gb: float | None = None,
    min_vcpu: int | None = None,
    min_memory_gib: float | None = None,
    max_hourly: Annotated[float | None, Field(description="CNY per hour")] = None,
    max_monthly: Annotated[float | None, Field(description="CNY per month, by subscription")] = None,
    precision: Literal["fp8", "bf16"] | None = None,
    nvlink: bool | None = None,
    rdma: bool | None = None,
    bare_metal: bool | None = None,
    status: Literal["on_sale", "contact_sales", "invite_only", "overseas_only", "phased_out"] | None = None,
    region: Region = "cn-hangzhou",
    language: Lang = "zh",
) -> tuple[FoundInstances, list[SourceRef]]:
    """Searches the catalog."""
    if max_monthly is not None:
        return _by_month(Decimal(str(max_monthly)), language)
    conditions: dict[str, Any] = {
        "gpu_id": gpu_ids or None, "family": family, "gpu_count": gpu_count, "min_vcpu": min_vcpu,
        "min_card_memory_gb": min_card_memory_gb, "min_gpu_memory_gb": min_gpu_memory_gb,
        "min_memory_gib": min_memory_gib, "precision": precision, "nvlink": nvlink, "rdma": rdma, "vgpu": False,
        "bare_metal": bare_metal, "status": status,
        "max_price": Decimal(str(max_hourly)) if max_hourly is not None else None,
    }  # fmt: skip
    place = region_id(region, language=language)
    rows = find_instances(region=place, **conditions)
    none = None if rows else explain_none(region=place, **conditions)
    found = FoundInstances(
        types=[listing_facts(row, language=language) for row in rows if row.gpu][:MAX_TYPES],
        none=none.say(language) if none else "",
        nearest=[listing_facts(row, language=language) for row in none.nearest] if none else [],
    )
    return found, list(_type_sources([*found.types, *found.nearest]))


def _by_month(most: Decimal, language: Language) -> tuple[FoundInstances, list[SourceRef]]:
    priced = monthly_within(most)[:MAX_TYPES]
    types = [
        type_facts(facts.instances()[name], region=price.region, language=language).model_copy(update={"prices": [price]})
        for name, price in priced
    ]
    refs = [_price_source(name, price) for name, price in priced]
    return FoundInstances(types=types), [*refs, *_type_sources(types)]


def check_claims_tool(text: str, language: Lang = "zh") -> tuple[Any, list[SourceRef]]:
    """Judges the statements of a text."""
    report = check_claims(text, language=language)
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
        return [_passage(hit) for hit in hits], [ref for hit in hits for ref in _passage_sources(hit)]

    return search_guides


def _passage(hit: Hit) -> FoundPassage:
    passage = hit.passage
    return FoundPassage(
        passage_id=passage.passage_id,
        kind=passage.kind,
        title=passage.title,
        point=passage.point,
        text=passage.text,
        verdict=passage.verdict or "",
        subject=passage.subject or "",
        score=round(hit.score, 4),
        by_meaning=hit.vector_rank is not None,
        topics=list(passage.topics),
        source_ids=list(passage.source_ids),
    )


def _passage_sources(hit: Hit) -> Iterable[SourceRef]:
    for source_id in hit.passage.source_ids:
        yield SourceRef(source_id=source_id, excerpt=f"{hit.passage.title}: {hit.passage.point}")


def _sizing_sources(sizing: LlmSizing) -> Iterable[SourceRef]:
    model, totals = sizing.model, sizing.totals
    shape = (
        f"{model.model_id}: {model.params_billion:.2f}B parameters, {model.layers} layers, {model.kv_heads} KV heads, "
        f"{model.attention}; weights {totals.weights_gib:.1f} GiB in {sizing.weight_dtype}, "
        f"KV cache {totals.kv_kib_per_token:g} KiB per token"
    )
    yield from (SourceRef(source_id=s, excerpt=shape) for s in model.source_ids)
    account = ", ".join(f"{name} {value:.2f} GiB" for name, value in sizing.estimate.parts.items())
    yield SourceRef(source_id="vllm-startup-logs", excerpt=f"vLLM's start-up account, per GPU: {account}")
    rows = [*sizing.advice.recommendations, *sizing.advice.multi, *sizing.advice.near_misses[:4]]
    rows += [row for row in (sizing.full_load, sizing.replicas and sizing.replicas.machine) if row]
    for row in rows:
        for price in ([row.price] if row.price else []) + list(row.prices):
            yield _price_source(row.instance_type, price)
        instance = facts.instances()[row.instance_type]
        status = f"{row.instance_type}: {instance.vcpu} vCPU, {instance.memory_gib} GiB, {row.gpu_count} GPU, {row.status}"
        yield from (SourceRef(source_id=s, excerpt=status) for s in instance.source_ids)
    for check in [*sizing.checks, *([sizing.ruled_out] if sizing.ruled_out else [])]:
        yield from _gpu_sources(check.gpu_id)
    yield from (SourceRef(source_id=s) for s in sizing.source_ids if s in facts.sources())


def _gpu_sources(gpu_id: str) -> Iterable[SourceRef]:
    gpu = facts.gpus()[gpu_id]
    line = f"{gpu.name}: {gpu.memory_gb:g} GB, {gpu.usable_mib or '?'} MiB in nvidia-smi, {gpu.memory_bandwidth_gb_s or '?'} GB/s"
    yield from (SourceRef(source_id=s, excerpt=line) for s in gpu.source_ids)


def _described_sources(item: Described, language: Language) -> Iterable[SourceRef]:
    fact = item.check.fact_zh if language == "zh" else item.check.fact_en
    yield from (SourceRef(source_id=s, excerpt=fact) for s in item.check.source_ids)
    for card in item.cards:
        yield from _gpu_sources(card.gpu_id)
    yield from _type_sources(item.types)


def _type_sources(rows: Iterable[TypeFacts]) -> Iterable[SourceRef]:
    for row in rows:
        line = f"{row.instance_type}: {row.cards}, {row.vcpu} vCPU, {row.memory_gib} GiB, {row.status}"
        yield from (SourceRef(source_id=s, excerpt=line) for s in row.source_ids)
        if row.price:
            yield _price_source(row.instance_type, row.price)


def _price_source(instance_type: str, price: Price) -> SourceRef:
    figure = f"{price.amount}" + (f"–{price.amount_high}" if price.amount_high is not None else "")
    line = f"{instance_type}, {price.region}, {price.billing}: {figure} {price.currency}/{price.per}, {price.as_of}"
    return SourceRef(source_id=price.source_id, excerpt=line)


def _content(finding: Finding) -> str:
    """What a language model reads: the data without its long lists, and the source ids it may cite."""
    if finding.error:
        return json.dumps({"error": finding.error, **finding.data}, ensure_ascii=False)
    ids = list(dict.fromkeys(ref.source_id for ref in finding.sources))
    return json.dumps({"result": finding.data, "sources": ids}, ensure_ascii=False)


def _dump(data: Any) -> Any:
    if isinstance(data, list):
        return [item.model_dump(mode="json") for item in data]
    return data.model_dump(mode="json", by_alias=True)


def _plain(args: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in args.items() if value not in (None, "", [])}
