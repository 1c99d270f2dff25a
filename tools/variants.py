"""What one change of a serving job would save, and the cheaper machine that it allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from knowledge import facts
from knowledge.rows import Gpu, Instance

from .advise import Advice, Wish, first_that_fits
from .budget import keeps_budget
from .compatibility import AMPERE, FP8_CARDS, loads_fp8_weight_only
from .llm_demand import PHRASES, LlmDemand, make_demand
from .phrases import Language
from .priced import cheapest_priced
from .prices import HOURS_PER_MONTH
from .serving import ServingJob, serving_sum
from .serving_job import GGUF_ENGINES, POOLED
from .sizing_results import Variant
from .units import GIB
from .weights import served_precision

WORTH_SAVING = Decimal("0.9")
"""A change is offered when the machine it allows costs at most this share of the first one."""
REFERENCE_GPU = "nvidia-a100-80gb"
"""Card whose engine defaults stand for the sums when nothing in the catalog can do the job."""


@dataclass(frozen=True)
class LlmRequest:
    """What the user said about serving a model; None was not said."""

    model: str = ""
    config_json: str | None = None
    weight_dtype: str | None = None
    kv_dtype: str | None = None
    context: int | None = None
    concurrency: int | None = None
    tensor_parallel: int | None = None
    on: tuple[str, ...] = ()  # cards (`nvidia-a10`, `nvidia-a10x4`), families or instance types to check
    wish: Wish = Wish()
    engine: str = "vllm"
    engine_version: str = ""
    gpu_memory_utilization: float | None = None  # mem_fraction_static of SGLang
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    pipeline_parallel: int = 1  # stages inside each machine
    data_parallel: int = 1
    expert_parallel: bool = False
    enforce_eager: bool = False
    lora_adapters: int = 0
    lora_rank: int = 16
    mtp: bool = False
    draft: str = ""
    shared_prefix: int = 0
    input_tokens: int | None = None  # of a request, for its speed; None splits the context
    output_tokens: int | None = None
    tokens_per_s: float | None = None  # of each user, where the number of users is solved for
    solve: str | None = None  # context | concurrency: the largest that fits on each place of `on`


def request_demand(job: ServingJob, request: LlmRequest, language: Language) -> LlmDemand:
    """The job as a demand on cards, with the tensor-parallel size that was asked for."""
    gpu = facts.gpus()[REFERENCE_GPU]
    return make_demand(
        job, language=language, gpu=gpu, tensor_parallel=request.tensor_parallel,
        pipeline_parallel=request.pipeline_parallel if job.engine in POOLED else 1,
    )  # fmt: skip


def find_variants(job: ServingJob, request: LlmRequest, base: Advice, *, language: Language) -> list[Variant]:
    """Changes that bring a cheaper machine than the first recommendation, or any machine when there was none.

    The gentlest for quality first, those over the budget last.
    """
    found = _variants(job, request, base, language=language)
    return sorted(found, key=lambda variant: variant.within_budget is False)


def find_weight_only(job: ServingJob, request: LlmRequest, base: Advice, *, language: Language) -> Variant | None:
    """FP8 weights on a card that cannot compute in FP8, where that is cheaper or the first machine has no price."""
    if served_precision(job.model, job.weight_dtype).precision != "fp8" or not loads_fp8_weight_only(job.model, AMPERE):
        return None
    changed = replace(job, weight_only=True, kv_dtype="bf16")
    demand, before = request_demand(changed, request, language), best_hourly(base)
    offer = cheapest_priced(demand, request.wish, admits=lambda gpu: not computes_fp8(gpu))
    price = offer.hourly_cost("CNY") if offer else None
    if offer is None or price is None or (before is not None and price >= before):
        return None
    return _variant("fp8_weight_only", demand, offer.instance, price, before=before, wish=request.wish)


def computes_fp8(gpu: Gpu) -> bool:
    """Whether the card has FP8 units."""
    return (gpu.compute_capability or 0) >= FP8_CARDS


def _changes(job: ServingJob) -> Iterator[tuple[str, ServingJob]]:
    """Single changes, the gentlest for quality first."""
    sixteen_bit, pooled = job.weight_dtype in ("bf16", "fp16", "fp32"), job.engine in POOLED
    if job.kv_dtype == "bf16" and pooled:
        yield "kv_fp8", replace(job, kv_dtype="fp8")
    if sixteen_bit and pooled and served_precision(job.model, "fp8").kind == "fp8":
        yield "weights_fp8", replace(job, weight_dtype="fp8")
    if sixteen_bit or job.weight_dtype in ("fp8", "int8"):
        yield "weights_int4", replace(job, weight_dtype="q4_k_m" if job.engine in GGUF_ENGINES else "awq")
    if job.context >= 4096:
        shorter = job.context // 2
        yield "half_context", replace(job, context=shorter, shared_prefix=min(job.shared_prefix, shorter))
    if job.concurrency > 1:
        yield "half_concurrency", replace(job, concurrency=job.concurrency // 2)


def _variants(job: ServingJob, request: LlmRequest, base: Advice, *, language: Language) -> Iterator[Variant]:
    # vLLM's fp8 (e4m3) cache mostly fails below 8.9: "type fp8e4nv not supported in this architecture"
    # (https://github.com/vllm-project/vllm/issues/26431, https://github.com/vllm-project/vllm/issues/7714)
    hourly = best_hourly(base)
    for code, changed in _changes(job):
        demand = request_demand(changed, request, language)
        offer = cheapest_priced(demand, request.wish, admits=computes_fp8 if code == "kv_fp8" else _any_card)
        if offer is not None:
            price = offer.hourly_cost("CNY")
            if price is not None and (hourly is None or price <= WORTH_SAVING * hourly):
                yield _variant(code, demand, offer.instance, price, before=hourly, wish=request.wish)
        elif not base.recommendations and code != "kv_fp8":
            first = first_that_fits(demand, request.wish, language=language, phrase_table=PHRASES)
            if first is not None:
                yield _variant(code, demand, first, None, before=None, wish=request.wish)


def _any_card(gpu: Gpu) -> bool:
    return True


def _variant(
    code: str, demand: LlmDemand, instance: Instance, price: Decimal | None, *, before: Decimal | None, wish: Wish
) -> Variant:
    size, stages = demand.size_on(instance.gpu_count) or 1, demand.stages_on(instance.gpu_count)
    total = serving_sum(
        demand.job, facts.gpus()[instance.gpu_id], tensor_parallel=size, pipeline_parallel=stages
    )
    saving = before - price if before is not None and price is not None else None
    return Variant(
        code=code,
        weights_gib=total.weights_bytes / GIB,
        kv_gib=total.kv_bytes / GIB,
        instance_type=instance.instance_type,
        gpu_count=instance.gpu_count,
        gpu_memory_gb_total=instance.gpu_memory_gb_total,
        hourly=price,
        saves_per_hour=saving,
        saves_per_month=saving * HOURS_PER_MONTH if saving is not None else None,
        within_budget=keeps_budget(wish, instance.instance_type),
    )


def best_hourly(advice: Advice) -> Decimal | None:
    """Price of the first recommendation, or of the cheapest machine over the budget, when it is in CNY per hour."""
    first = next(iter([*advice.recommendations, *([] if advice.multi else advice.over_budget)]), None)
    if first is None or first.price is None or first.price.currency != "CNY":
        return None
    return first.price.amount * first.instances
