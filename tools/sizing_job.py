"""From what was asked to the job: the model looked up, defaults filled in, limits checked."""

from __future__ import annotations

import re
from dataclasses import replace

from knowledge import facts
from knowledge.errors import InputError
from knowledge.rows import Model

from .architecture import GENERATIVE
from .demand import Wish
from .engine import is_older
from .engines.sglang import default_fraction
from .lookup import ModelMatch, look_up_model, model_from_config
from .phrases import Language, read_phrases, say
from .serving_job import GGUF_ENGINES, POOLED, SGLANG, VLLM, ServingJob, check_job, kv_precision
from .solve_serving import check_quantity
from .variants import LlmRequest
from .weights import canonical_precision

DEFAULT_CONTEXT = 8192
DEFAULT_CONCURRENCY = 8
ROUNDED_CONTEXT = 1.05
"""A context this little above the model's own limit is the limit in binary thousands: 1M is 1,048,576 or 1,000,000."""
NATIVE_PRECISION = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "mixed-fp4-fp8": "mxfp4", "int4": "awq"}
USUAL_GGUF = "q4_k_m"
"""What llama.cpp and Ollama are given where no precision is said."""
GGUF_TYPES = {"int8": "q8_0", "gptq_int8": "q8_0", "int4": "q4_k_m", "awq": "q4_k_m", "gptq": "q4_k_m", "int4_g64": "q4_k_m"}
"""GGUF types that stand for widths said without a format."""


def find_model(request: LlmRequest, language: Language = "en") -> ModelMatch:
    """The model named, or described by a config.json."""
    return model_from_config(request.config_json) if request.config_json else look_up_model(request.model, language=language)


def require_language_model(model: Model, language: Language) -> None:
    """InputError for a model that is not served as a language model, or of which only the size is known."""
    if model.modality in GENERATIVE and model.layers:
        return
    code = "layers_unknown" if model.modality in GENERATIVE else "not_a_language_model"
    raise InputError(say(read_phrases("tools", "phrases/serving.toml"), code, language, model=model.id))


def require_version(request: LlmRequest, language: Language) -> None:
    """InputError for a version of the engine that is no version, or lacks what is asked of it."""
    version, table = request.engine_version.strip(), read_phrases("tools", "phrases/serving.toml")
    if version and not re.match(r"v?\d+(\.\d+)*", version, re.IGNORECASE):
        raise InputError(say(table, "engine_version_unreadable", language, version=repr(version[:40])))
    for code, wanted, since in _since(request, language):
        if request.engine == VLLM and wanted and is_older(version, since):
            raise InputError(say(table, "engine_too_old", language, version=version, flag=code))


def _since(request: LlmRequest, language: Language) -> tuple[tuple[str, bool, str], ...]:
    """Flags of vLLM, and versions before which its documentation does not list them."""
    return (
        ("--data-parallel-size", request.data_parallel > 1, "0.8"),
        ("--enable-expert-parallel", request.expert_parallel, "0.8"),
        ("--kv-cache-dtype int8_per_token_head", kv_precision(request.kv_dtype or "", language=language) == "int8", "0.9"),
    )


def require_machine(job: ServingJob, request: LlmRequest, language: Language) -> None:
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


def require_place(request: LlmRequest, language: Language) -> None:
    """InputError when something is to be solved for that cannot be, or no card is named to solve on."""
    check_quantity(request.solve or "", language)
    if not request.on:
        raise InputError(say(read_phrases("tools", "phrases/serving.toml"), "solve_needs_a_place", language))


def with_share(request: LlmRequest) -> LlmRequest:
    """The request whose wish has the share of memory that was asked for, or that the engine takes by itself."""
    share = request.gpu_memory_utilization
    if share is None and request.engine == SGLANG and request.wish.utilization == Wish().utilization:
        share = default_fraction(request.tensor_parallel or 1)
    return request if share is None else replace(request, wish=replace(request.wish, utilization=share))


def make_job(request: LlmRequest, match: ModelMatch, language: Language) -> tuple[ServingJob, list[str]]:
    """The job, and codes of what was assumed. Raises InputError for an unknown precision or version."""
    require_version(request, language)
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
        draft=look_up_model(request.draft, language=language).model if request.draft.strip() else None,
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
