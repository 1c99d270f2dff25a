"""The tools that compare costs: ways of paying, renting against an API, and a training run."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from knowledge import facts
from knowledge.errors import InputError
from tools.costs.results import (
    ApiPrice,
    CostComparison,
    CostRow,
    Rent,
    RentOrApi,
    RunPrice,
    TrainingCost,
)
from tools.costs.spot import SpotSaving, spot_savings
from tools.phrases import Language
from tools.prices import region_id
from tools.results import Result

from .evidence import SourceRef
from .named_type import TypeChoice, choose_type
from .tool_arguments import Count, Currency, Lang, Name, Region, one_of

Sources = list[SourceRef]
USUAL = (1000, 200)
"""Tokens of a request, prompt and answer, that a share of input and output is put into."""


class Costs(Result):
    """What one of these tools found, one of three, with the type that was looked at and its sentences, the answer first."""

    choice: TypeChoice
    ways: CostComparison | None = None
    spot: list[SpotSaving] = []
    api: RentOrApi | None = None
    run: TrainingCost | None = None
    sentences: list[str]


def compare_costs_tool(
    name: Name,
    gpu_count: Count = None,
    region: Region = "cn-hangzhou",
    machines: int = 1,
    hours: Annotated[float | None, Field(description="of each month if months are given, else in all")] = None,
    months: int | None = None,
    currency: Currency = "CNY",
    language: Lang = "zh",
) -> tuple[Costs, Sources]:
    """Ways of paying side by side."""
    from tools.costs.compare import compare_costs

    choice = _choice(name, region, gpu_count, language)
    time = None if hours is None else Decimal(str(hours))
    found = compare_costs(
        choice.instance_type, region=region, machines=machines * choice.count, hours=time, months=months, currency=currency, language=language
    )
    spot = spot_savings(choice.instance_type, currency=found.currency, language=language)
    refs = [SourceRef(source_id=s, excerpt=_spot_words(choice.instance_type, row)) for row in spot for s in row.source_ids]
    costs = Costs(choice=choice, ways=found, spot=spot, sentences=_sentences(found, language))
    return costs, [*_sources(found, [*found.rows, *found.elsewhere]), *refs]


def rent_or_api_tool(
    name: Name,
    api_input: Annotated[float, Field(description="price per million prompt tokens")],
    api_output: Annotated[float, Field(description="price per million answer tokens")],
    currency: Currency = "CNY",
    model: Annotated[str, Field(description="that would run on the machine")] = "",
    weight_dtype: str | None = None,
    input_tokens: Annotated[int | None, Field(description="per request")] = None,
    output_tokens: Annotated[int | None, Field(description="per request")] = None,
    input_share: Annotated[float | None, Field(description="0–1, prompt tokens of all, without lengths")] = None,
    gpu_count: Count = None,
    machines: int = 1,
    region: Region = "cn-hangzhou",
    language: Lang = "zh",
) -> tuple[Costs, Sources]:
    """Renting against an API by its tokens."""
    from tools.costs.capacity import machine_speed
    from tools.costs.rent_or_api import rent_or_api

    choice = _choice(name, region, gpu_count, language)
    prompt, answer = (input_tokens, output_tokens) if input_share is None else _lengths(input_share)
    used = (USUAL[0] if prompt is None else prompt, USUAL[1] if answer is None else answer)
    speed = None
    if model:
        speed = machine_speed(
            model, choice.instance_type, weight_dtype=weight_dtype, input_tokens=used[0], output_tokens=used[1], language=language
        )
    api = ApiPrice(input=Decimal(str(api_input)), output=Decimal(str(api_output)), currency=currency)
    found = rent_or_api(
        choice.instance_type, api=api, tokens_per_s=speed, input_tokens=prompt, output_tokens=answer, machines=machines * choice.count,
        region=region, language=language,
    )  # fmt: skip
    return Costs(choice=choice, api=found, sentences=_sentences(found, language)), _sources(found, found.rents)


def training_cost_tool(
    name: Name,
    model: Annotated[str, Field(description="that is trained, or a size: 7B")] = "",
    method: Annotated[str | None, one_of("full", "lora", "qlora")] = None,
    tokens: Annotated[float | None, Field(description="of one epoch")] = None,
    samples: float | None = None,
    sample_tokens: Annotated[float | None, Field(description="tokens per sample")] = None,
    epochs: float = 1,
    hours: Annotated[float | None, Field(description="of the run, if known")] = None,
    gpu_count: Count = None,
    machines: int = 1,
    region: Region = "cn-hangzhou",
    currency: Currency = "CNY",
    checkpointing: bool = True,
    vision: bool = False,
    language: Lang = "zh",
) -> tuple[Costs, Sources]:
    """Hours and price of a training run."""
    from tools.costs.training import training_cost
    from tools.costs.training_run import TrainingRun

    choice = _choice(name, region, gpu_count, language)
    run = TrainingRun(
        tokens=tokens, samples=samples, sample_tokens=sample_tokens, epochs=epochs, model=model, method=method, hours=hours,
        checkpointing=checkpointing, pass_tokens=None, vision=vision,
    )  # fmt: skip
    found = training_cost(
        choice.instance_type, run=run, machines=machines * choice.count, region=region, currency=currency, language=language
    )
    return Costs(choice=choice, run=found, sentences=_sentences(found, language)), _sources(found, found.prices)


def _choice(name: str, region: str, gpu_count: int | None, language: Language) -> TypeChoice:
    return choose_type(name, region=region_id(region, language=language), gpu_count=gpu_count, language=language)


def _lengths(input_share: float) -> tuple[int, int]:
    """Lengths of a request that hold so much of its tokens in the prompt. Raises InputError for a share that is none."""
    if not 0 <= input_share <= 1:
        raise InputError(f"input_share {input_share}")
    total = sum(USUAL)
    prompt = min(total - 1, max(1, round(total * input_share)))
    return prompt, total - prompt


def _sentences(found: CostComparison | RentOrApi | TrainingCost, language: Language) -> list[str]:
    from tools.costs.sentences import cost_sentences

    return cost_sentences(found, language)


def _sources(found: CostComparison | RentOrApi | TrainingCost, rows: Iterable[CostRow | Rent | RunPrice]) -> Sources:
    """Of every row that has a source of its own, then of the rules and figures behind the sentences."""
    refs = [SourceRef(source_id=row.source_id, excerpt=_words(found.instance_type, row)) for row in rows if row.source_id]
    return [*refs, *(SourceRef(source_id=s) for s in found.source_ids if s in facts.sources())]


def _spot_words(name: str, row: SpotSaving) -> str:
    return f"{name}, {row.region}: spot {row.spot_low}–{row.spot_high} {row.currency}/h, {row.spot_as_of}; payg {row.hourly}, {row.hourly_as_of}"


def _words(name: str, row: CostRow | Rent | RunPrice) -> str:
    """A row as an excerpt: "ecs.gn7i-c8g1.2xlarge, cn-hangzhou, payg: 9.5326 CNY, 2024-12-31"."""
    if isinstance(row, CostRow):
        low, high = row.amount, row.amount_high
    else:
        low, high = (row.monthly, None) if isinstance(row, Rent) else (row.low, row.high)
    figure = f"{low}" if high in (None, low) else f"{low}–{high}"
    return f"{name}, {row.region}, {row.way}" + (f": {figure} {row.currency}, {row.as_of}" if low is not None else "")
