"""Sizes the serving of a language model: look-up, sums, advice, and what one change would save."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from knowledge import facts
from knowledge.errors import InputError
from knowledge.rows import Gpu, Instance, Model

from .advise import Advice, Wish, advise
from .card_checks import check_cards, room_flags, within_model
from .catalog import card_status
from .llm_demand import PHRASES, LlmDemand, make_demand
from .lookup import ModelMatch, look_up_model, model_from_config
from .phrases import Language
from .priced import cheapest_priced
from .prices import HOURS_PER_MONTH
from .results import Recommendation
from .serving import ServingJob, ServingSum, cautions, serving_sum, tensor_parallel_sizes
from .sizing_results import CardCheck, LlmSizing, ModelFacts, Totals, Variant
from .units import GB, GIB
from .weights import canonical_precision

DEFAULT_CONTEXT = 8192
DEFAULT_CONCURRENCY = 8
MOST_CARDS = 8
WORTH_SAVING = Decimal("0.9")
"""A change is offered when the machine it allows costs at most this share of the first one."""
REFERENCE_GPU = "nvidia-a100-80gb"
"""Card whose engine defaults stand for the sums when nothing in the catalog can do the job."""
NATIVE_PRECISION = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "mixed-fp4-fp8": "mxfp4", "int4": "awq"}


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


def size_llm(request: LlmRequest, *, language: Language = "en") -> LlmSizing:
    """Memory, instances, prices and cheaper variants for serving one model.

    Raises UnknownModel with the nearest names, InputError for impossible quantities or a model that is not served
    as a language model.
    """
    match = _find_model(request)
    _require_language_model(match.model)
    job, assumed = _make_job(request, match)
    demand, advice, job, full_load = _advise_softly(job, request, language=language, assumed=assumed)
    gpu, size = _shown_layout(advice, request, job)
    total = serving_sum(job, gpu, tensor_parallel=size)
    estimate = demand.estimates(gpu, size)[0]
    return LlmSizing(
        model=_model_facts(match),
        weight_dtype=job.weight_dtype,
        kv_dtype=job.kv_dtype,
        context=job.context,
        concurrency=job.concurrency,
        totals=_totals(total, demand),
        estimate=estimate,
        estimate_gpu_id=gpu.gpu_id,
        tensor_parallel=size,
        limit_gib=total.limit_bytes / GIB,
        max_sequences=total.max_sequences,
        longest_context=within_model(total.longest_context, job.model),
        room_flags=room_flags(job, gpu, size, total),
        advice=advice,
        checks=check_cards(job, request.on, language=language),
        ruled_out=_ruled_out(job, advice, language=language),
        full_load=full_load,
        full_load_concurrency=DEFAULT_CONCURRENCY,
        variants=list(_variants(job, request, advice, language=language)),
        assumed=assumed,
        cautions=cautions(job, gpu, size),
        source_ids=list(dict.fromkeys([*match.model.source_ids, *estimate.source_ids, *advice.source_ids])),
    )


def _find_model(request: LlmRequest) -> ModelMatch:
    return model_from_config(request.config_json) if request.config_json else look_up_model(request.model)


def _require_language_model(model: Model) -> None:
    if model.modality in ("text", "vision-language") and model.layers:
        return
    if model.modality in ("text", "vision-language"):
        raise InputError(f"{model.id}: only its size is known, not its layers; give its config.json")
    raise InputError(f"{model.id} is no generative language model ({model.modality}); this sum is for those")


def _make_job(request: LlmRequest, match: ModelMatch) -> tuple[ServingJob, list[str]]:
    assumed = [code for code, how in (("model_newest", "newest_common"), ("model_typical", "typical"),
                                      ("model_config", "config")) if match.how == how]  # fmt: skip
    weight_dtype = request.weight_dtype or match.weight_dtype
    if weight_dtype is None:
        native = match.model.native_dtype or "bfloat16"
        weight_dtype = NATIVE_PRECISION.get(native, native)
        assumed.append("precision")
    if request.context is None:
        assumed.append("context")
    if request.concurrency is None:
        assumed.append("concurrency")
    own_limit = match.model.max_context or DEFAULT_CONTEXT
    job = ServingJob(
        model=match.model,
        weight_dtype=canonical_precision(weight_dtype),
        kv_dtype=canonical_precision(request.kv_dtype) if request.kv_dtype else "bf16",
        context=request.context if request.context is not None else min(DEFAULT_CONTEXT, own_limit),
        concurrency=request.concurrency if request.concurrency is not None else DEFAULT_CONCURRENCY,
        gpu_memory_utilization=request.wish.utilization,
    )
    return job, assumed


def _advise_softly(
    job: ServingJob, request: LlmRequest, *, language: Language, assumed: list[str]
) -> tuple[LlmDemand, Advice, ServingJob, Recommendation | None]:
    """Advice for the job. A number of users that nobody asked for gives way before a second machine is advised.

    The last item is what the usual number of users would take, where it gave way.
    """
    tried: list[tuple[LlmDemand, Advice, ServingJob]] = []
    for concurrency in _users_to_try(job, request):
        fewer = replace(job, concurrency=concurrency)
        demand = make_demand(fewer, language=language, gpu=facts.gpus()[REFERENCE_GPU])
        advice = advise(demand, request.wish, language=language, phrase_table=PHRASES)
        tried.append((demand, advice, fewer))
        if advice.recommendations:
            break
    if len(tried) == 1 or not tried[-1][1].recommendations:
        return *tried[0], None
    assumed[assumed.index("concurrency")] = "concurrency_lowered"
    return *tried[-1], next(iter(tried[0][1].multi), None)


def _ruled_out(job: ServingJob, advice: Advice, *, language: Language) -> CardCheck | None:
    """The largest card that is sold and cannot run the job: people will ask about it."""
    sold = ("on_sale", "contact_sales", "invite_only")
    gpus = [gpu for gpu_id in advice.blocked if card_status(gpu := facts.gpus()[gpu_id]) in sold]
    if not gpus:
        return None
    largest = max(gpus, key=lambda gpu: (gpu.memory_gb, gpu.usable_mib or 0))
    return check_cards(job, [f"{largest.gpu_id}x{MOST_CARDS}"], language=language)[0]


def _users_to_try(job: ServingJob, request: LlmRequest) -> tuple[int, ...]:
    return (job.concurrency,) if request.concurrency is not None else (DEFAULT_CONCURRENCY, 4, 2, 1)


def _shown_layout(advice: Advice, request: LlmRequest, job: ServingJob) -> tuple[Gpu, int]:
    """Card and tensor-parallel size whose sum is shown: the first recommendation's, else the closest miss's."""
    for candidates in (advice.recommendations, advice.multi, advice.near_misses):
        if candidates:
            first: Recommendation = candidates[0]
            gpu, cards = facts.gpus()[first.gpu_id], first.gpu_count * first.instances
            return gpu, request.tensor_parallel or tensor_parallel_sizes(job.model, cards)[0]
    return facts.gpus()[REFERENCE_GPU], request.tensor_parallel or tensor_parallel_sizes(job.model, 8)[0]


def _totals(total: ServingSum, demand: LlmDemand) -> Totals:
    return Totals(
        weights_gib=total.weights_bytes / GIB,
        weights_gb=total.weights_bytes / GB,
        kv_kib_per_token=total.kv_bytes_per_token / 1024,
        kv_gib_per_sequence=total.kv_bytes_per_sequence / GIB,
        kv_gib=total.kv_bytes / GIB,
        disk_gib=demand.disk_gib,
    )


def _model_facts(match: ModelMatch) -> ModelFacts:
    model = match.model
    return ModelFacts(
        model_id=model.id,
        hf_id=model.hf_id,
        how=match.how,
        alternatives=list(match.alternatives),
        params_total=model.params_total,
        params_billion=model.params_total / 1e9,
        params_active_billion=model.params_active / 1e9 if model.moe and model.params_active else None,
        layers=model.layers,
        kv_heads=model.kv_heads,
        heads=model.heads,
        head_dim=model.head_dim,
        attention=str((model.attention or {}).get("type", "gqa")),
        max_context=model.max_context,
        native_dtype=model.native_dtype,
        confidence=model.confidence,
        source_ids=list(model.source_ids),
    )


def _changes(job: ServingJob) -> Iterator[tuple[str, ServingJob]]:
    """Single changes, the gentlest for quality first."""
    sixteen_bit = job.weight_dtype in ("bf16", "fp16", "fp32")
    if job.kv_dtype == "bf16":
        yield "kv_fp8", replace(job, kv_dtype="fp8")
    if sixteen_bit:
        yield "weights_fp8", replace(job, weight_dtype="fp8")
    if sixteen_bit or job.weight_dtype in ("fp8", "int8"):
        yield "weights_int4", replace(job, weight_dtype="awq")
    if job.context >= 4096:
        yield "half_context", replace(job, context=job.context // 2)
    if job.concurrency > 1:
        yield "half_concurrency", replace(job, concurrency=job.concurrency // 2)


def _variants(job: ServingJob, request: LlmRequest, base: Advice, *, language: Language) -> Iterator[Variant]:
    """Changes that bring a cheaper machine than the first recommendation, or any machine when there was none."""
    hourly = _best_hourly(base)
    for code, changed in _changes(job):
        demand = make_demand(changed, language=language, gpu=facts.gpus()[REFERENCE_GPU])
        offer = cheapest_priced(demand, request.wish)
        if offer is not None:
            price = offer.hourly_cost("CNY")
            if price is not None and (hourly is None or price <= WORTH_SAVING * hourly):
                yield _variant(code, changed, offer.instance, price, hourly)
        elif not base.recommendations and (fits := advise(demand, request.wish, language=language, phrase_table=PHRASES).recommendations):
            yield _variant(code, changed, facts.instances()[fits[0].instance_type], None, None)


def _variant(code: str, job: ServingJob, instance: Instance, price: Decimal | None, before: Decimal | None) -> Variant:
    size = tensor_parallel_sizes(job.model, instance.gpu_count)[0]
    total = serving_sum(job, facts.gpus()[instance.gpu_id], tensor_parallel=size)
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
    )


def _best_hourly(advice: Advice) -> Decimal | None:
    """Price of the first recommendation when it is in CNY per hour."""
    first = advice.recommendations[0] if advice.recommendations else None
    return first.price.amount if first and first.price and first.price.currency == "CNY" else None
