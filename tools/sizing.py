"""Sizes the serving of a language model: look-up, sums, advice, and what one change would save."""

from __future__ import annotations

from dataclasses import replace

from knowledge import facts

from .advise import Advice, advise
from .card_checks import check_cards, room_flags, within_model
from .catalog import card_status
from .llm_demand import PHRASES, LlmDemand
from .lookup import ModelMatch
from .phrases import Language
from .places import vgpu_names
from .replicas import find_replicas
from .results import Recommendation
from .serving import ServingJob, ServingSum, cautions, serving_sum
from .serving_job import VLLM
from .sizing_job import (
    DEFAULT_CONCURRENCY,
    DEFAULT_CONTEXT,
    find_model,
    make_job,
    require_language_model,
    require_machine,
    require_place,
    with_share,
)
from .sizing_results import CardCheck, LlmSizing, ModelFacts, Totals
from .sizing_shown import MOST_CARDS, shown_layout, speed_shown, token_price_shown
from .solve_serving import CONTEXT, solve_serving
from .solved import Solved
from .speed.solve import users_within_speed
from .speed.timed import TimedLlmDemand
from .units import GB, GIB
from .variants import LlmRequest, find_variants, find_weight_only, request_demand

__all__ = ["DEFAULT_CONCURRENCY", "DEFAULT_CONTEXT", "LlmRequest", "size_llm"]



def size_llm(request: LlmRequest, *, language: Language = "en") -> LlmSizing:
    """Memory, instances, prices and cheaper variants for serving one model.

    Raises UnknownModel with the nearest names, InputError for impossible quantities or a model that is not served
    as a language model.
    """
    match = find_model(request, language)
    require_language_model(match.model, language)
    if request.solve is not None:
        require_place(request, language)
    if request.solve == CONTEXT and request.concurrency is None:
        request = replace(request, concurrency=1)  # the longest context is that of one sequence, unless more are asked for
    request = with_share(request)
    job, assumed = make_job(request, match, language)
    require_machine(job, request, language)
    request = replace(request, wish=replace(request.wish, vgpu_names=vgpu_names(request.on)))
    demand, advice, job, full_load = _advise_softly(job, request, language=language, assumed=assumed)
    plain = job.engine == VLLM and request.pipeline_parallel == 1 and job.data_parallel == 1
    replicas = find_replicas(job, request, advice, language=language) if plain else None
    shown = shown_layout(job, demand, request, advice, replicas, language)
    gpu, size, machines = shown.gpu, shown.tensor_parallel, shown.machines
    stages = shown.demand.stages_on(shown.cards) * machines
    total = serving_sum(shown.job, gpu, tensor_parallel=size, pipeline_parallel=stages, language=language)
    estimate = shown.demand.estimates_across(gpu, shown.cards, machines)[0]
    speed = speed_shown(shown, request, stages, language)
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
        speed=speed,
        token_price=token_price_shown(speed, shown, advice, replicas),
        solved=_solved(demand, request, advice, language),
    )  # fmt: skip


def _solved(demand: LlmDemand, request: LlmRequest, advice: Advice, language: Language) -> list[Solved]:
    if request.solve is None:
        return []
    wished = request.context if request.solve == CONTEXT else request.concurrency
    found = solve_serving(demand, request.solve, request.on, wished=wished, advice=advice, language=language)
    if request.tokens_per_s is None or request.solve == CONTEXT:
        return found
    return [
        users_within_speed(
            item, demand, tokens_per_s=request.tokens_per_s, input_tokens=request.input_tokens,
            output_tokens=request.output_tokens, language=language,
        ) for item in found
    ]  # fmt: skip


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
        timed = TimedLlmDemand(demand, request.input_tokens, request.output_tokens)
        advice = advise(timed, request.wish, language=language, phrase_table=PHRASES)
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
