"""Sizes the serving of a language model: look-up, sums, advice, and what one change would save."""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowledge import facts
from knowledge.errors import InputError
from knowledge.rows import Gpu, Model

from .advise import Advice, advise
from .architecture import GENERATIVE
from .card_checks import check_cards, room_flags, within_model
from .catalog import card_status
from .demand import Wish
from .engines.sglang import default_fraction
from .llm_demand import PHRASES, LlmDemand
from .lookup import ModelMatch, look_up_model, model_from_config
from .offers import card_of
from .phrases import Language, read_phrases, say
from .places import vgpu_names
from .replicas import find_replicas
from .results import Recommendation
from .serving import ServingJob, ServingSum, cautions, serving_sum
from .serving_job import GGUF_ENGINES, POOLED, SGLANG, VLLM, check_job, kv_precision
from .sizing_results import CardCheck, LlmSizing, ModelFacts, Replicas, Solved, Totals
from .solve_serving import CONTEXT, check_quantity, solve_serving
from .units import GB, GIB
from .variants import REFERENCE_GPU, LlmRequest, find_variants, find_weight_only, request_demand
from .weights import canonical_precision

__all__ = ["DEFAULT_CONCURRENCY", "DEFAULT_CONTEXT", "LlmRequest", "size_llm"]

DEFAULT_CONTEXT = 8192
DEFAULT_CONCURRENCY = 8
ROUNDED_CONTEXT = 1.05
"""A context this little above the model's own limit is the limit in binary thousands: 1M is 1,048,576 or 1,000,000."""

MOST_CARDS = 8
USUAL_GGUF = "q4_k_m"
"""What llama.cpp and Ollama are given where no precision is said."""
GGUF_TYPES = {"int8": "q8_0", "gptq_int8": "q8_0", "int4": "q4_k_m", "awq": "q4_k_m", "gptq": "q4_k_m", "int4_g64": "q4_k_m"}
"""GGUF types that stand for widths said without a format."""
NATIVE_PRECISION = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "mixed-fp4-fp8": "mxfp4", "int4": "awq"}


def size_llm(request: LlmRequest, *, language: Language = "en") -> LlmSizing:
    """Memory, instances, prices and cheaper variants for serving one model.

    Raises UnknownModel with the nearest names, InputError for impossible quantities or a model that is not served
    as a language model.
    """
    match = _find_model(request)
    _require_language_model(match.model, language)
    if request.solve is not None:
        _require_place(request, language)
    request = _with_share(request)
    job, assumed = _make_job(request, match, language)
    _require_machine(job, request, language)
    request = replace(request, wish=replace(request.wish, vgpu_names=vgpu_names(request.on)))
    demand, advice, job, full_load = _advise_softly(job, request, language=language, assumed=assumed)
    plain = job.engine == VLLM and request.pipeline_parallel == 1 and job.data_parallel == 1
    replicas = find_replicas(job, request, advice, language=language) if plain else None
    shown = _shown(job, demand, request, advice, replicas, language)
    gpu, size, machines = shown.gpu, shown.tensor_parallel, shown.machines
    stages = shown.demand.stages_on(shown.cards) * machines
    total = serving_sum(shown.job, gpu, tensor_parallel=size, pipeline_parallel=stages, language=language)
    estimate = shown.demand.estimates_across(gpu, shown.cards, machines)[0]
    if replicas and replicas.leads and replicas.copies > 1:
        estimate = estimate.model_copy(update={"command": f"{estimate.command} --data-parallel-size {replicas.copies}"})
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
        longest_context=within_model(total.longest_context, shown.job),
        room_flags=room_flags(shown.job, gpu, total),
        advice=advice,
        checks=check_cards(
            job, request.on, language=language, tensor_parallel=request.tensor_parallel,
            pipeline_parallel=request.pipeline_parallel,
        ),
        ruled_out=_ruled_out(job, advice, language=language),
        full_load=full_load,
        full_load_concurrency=DEFAULT_CONCURRENCY,
        variants=find_variants(job, request, advice, language=language),
        weight_only=find_weight_only(job, request, advice, language=language),
        assumed=assumed,
        cautions=cautions(shown.job, gpu, size, machines),
        source_ids=list(dict.fromkeys([*match.model.source_ids, *estimate.source_ids, *advice.source_ids])),
        pipeline_parallel=stages,
        over_budget=None if advice.recommendations or advice.multi else next(iter(advice.over_budget), None),
        region_has_prices=advice.region_has_prices,
        replicas=replicas,
        engine=job.engine,
        solved=_solved(demand, request, advice, language),
    )  # fmt: skip


def _find_model(request: LlmRequest) -> ModelMatch:
    return model_from_config(request.config_json) if request.config_json else look_up_model(request.model)


def _require_language_model(model: Model, language: Language) -> None:
    if model.modality in GENERATIVE and model.layers:
        return
    code = "layers_unknown" if model.modality in GENERATIVE else "not_a_language_model"
    raise InputError(say(read_phrases("tools", "phrases/serving.toml"), code, language, model=model.id))


def _require_machine(job: ServingJob, request: LlmRequest, language: Language) -> None:
    """InputError when no single machine has the cards that were asked for, or the model cannot be cut that way."""
    size, table = 1 if request.tensor_parallel is None else request.tensor_parallel, read_phrases("tools", "phrases/serving.toml")
    check_job(job, tensor_parallel=size, pipeline_parallel=request.pipeline_parallel, language=language)
    most = max(i.gpu_count for i in facts.instances().values())
    if size > most:
        raise InputError(say(table, "tensor_parallel_beyond_machine", language, tensor_parallel=size, most=most))
    cards = size * request.pipeline_parallel * job.data_parallel
    if job.engine in POOLED and cards > most:
        raise InputError(say(table, "cut_beyond_machine", language, cards=cards, most=most))
    if job.engine not in POOLED and (size > 1 or request.pipeline_parallel > 1):
        raise InputError(say(table, "layers_are_spread", language, engine=job.engine))


def _require_place(request: LlmRequest, language: Language) -> None:
    check_quantity(request.solve or "", language)
    if not request.on:
        raise InputError(say(read_phrases("tools", "phrases/serving.toml"), "solve_needs_a_place", language))


def _with_share(request: LlmRequest) -> LlmRequest:
    """The request whose wish has the share of memory that was asked for, or that the engine takes by itself."""
    share = request.gpu_memory_utilization
    if share is None and request.engine == SGLANG and request.wish.utilization == Wish().utilization:
        share = default_fraction(request.tensor_parallel or 1)
    return request if share is None else replace(request, wish=replace(request.wish, utilization=share))


def _solved(demand: LlmDemand, request: LlmRequest, advice: Advice, language: Language) -> list[Solved]:
    if request.solve is None:
        return []
    wished = request.context if request.solve == CONTEXT else request.concurrency
    return solve_serving(demand, request.solve, request.on, wished=wished, advice=advice, language=language)


def _make_job(request: LlmRequest, match: ModelMatch, language: Language) -> tuple[ServingJob, list[str]]:
    assumed = [code for code, how in (("model_newest", "newest_common"), ("model_typical", "typical"),
                                      ("model_config", "config")) if match.how == how]  # fmt: skip
    weight_dtype = request.weight_dtype or match.weight_dtype
    if weight_dtype is None:
        native = match.model.native_dtype or "bfloat16"
        weight_dtype = USUAL_GGUF if request.engine in GGUF_ENGINES else NATIVE_PRECISION.get(native, native)
        assumed.append("precision")
    if request.context is None:
        assumed.append("context")
    if request.concurrency is None:
        assumed.append("concurrency")
    job = ServingJob(
        model=match.model,
        weight_dtype=_loadable(canonical_precision(weight_dtype, language=language), request.engine),
        kv_dtype=kv_precision(request.kv_dtype or "", language=language),
        context=_context(request.context, match.model),
        concurrency=request.concurrency if request.concurrency is not None else DEFAULT_CONCURRENCY,
        gpu_memory_utilization=request.wish.utilization,
        max_num_seqs=request.max_num_seqs,
        max_num_batched_tokens=request.max_num_batched_tokens,
        engine=request.engine,
        engine_version=request.engine_version,
        enforce_eager=request.enforce_eager,
        data_parallel=request.data_parallel,
        expert_parallel=request.expert_parallel,
        lora_adapters=request.lora_adapters,
        lora_rank=request.lora_rank,
        mtp=request.mtp,
        draft=look_up_model(request.draft).model if request.draft.strip() else None,
        shared_prefix=request.shared_prefix,
    )
    return job, assumed


def _loadable(weight_dtype: str, engine: str) -> str:
    """The GGUF type of the same width where the engine loads only those."""
    return GGUF_TYPES.get(weight_dtype, weight_dtype) if engine in GGUF_ENGINES else weight_dtype


def _context(asked: int | None, model: Model) -> int:
    """As asked; "200k" said of a model of 200,000 tokens means that limit, not 204,800."""
    limit = model.max_context
    if asked is None:
        return min(DEFAULT_CONTEXT, limit or DEFAULT_CONTEXT)
    if limit and limit < asked <= limit * ROUNDED_CONTEXT:
        return limit
    return asked


def _advise_softly(
    job: ServingJob, request: LlmRequest, *, language: Language, assumed: list[str]
) -> tuple[LlmDemand, Advice, ServingJob, Recommendation | None]:
    """Advice for the job. A number of users that nobody asked for gives way before a second machine is advised.

    The last item is what the usual number of users would take, where it gave way.
    """
    tried: list[tuple[LlmDemand, Advice, ServingJob]] = []
    for concurrency in _users_to_try(job, request):
        fewer = replace(job, concurrency=concurrency)
        demand = request_demand(fewer, request, language)
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


@dataclass(frozen=True, slots=True)
class _Shown:
    """The job whose sum is shown, and where: `cards` of each of `machines`."""

    job: ServingJob
    demand: LlmDemand
    gpu: Gpu
    cards: int
    machines: int
    tensor_parallel: int


def _shown(
    job: ServingJob, demand: LlmDemand, request: LlmRequest, advice: Advice, replicas: Replicas | None, language: Language
) -> _Shown:
    """The first recommendation's layout, one copy where copies lead, else that of the closest miss."""
    if replicas and replicas.leads:
        size = replicas.tensor_parallel
        one = replace(job, concurrency=replicas.users)
        alone = request_demand(one, replace(request, tensor_parallel=size), language)
        return _Shown(one, alone, facts.gpus()[replicas.machine.gpu_id], size, 1, size)
    for candidates in (advice.recommendations, advice.multi, advice.over_budget, advice.near_misses):
        if candidates:
            first: Recommendation = candidates[0]
            gpu, cards, machines = card_of(facts.instances()[first.instance_type]), first.gpu_count, first.instances
            break
    else:
        gpu, cards, machines = facts.gpus()[REFERENCE_GPU], max(MOST_CARDS, request.tensor_parallel or 1), 1
    return _Shown(job, demand, gpu, cards, machines, demand.size_on(cards) or 1)


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
