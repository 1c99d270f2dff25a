"""What is to be served, and the limits of what can be asked."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.errors import InputError
from knowledge.facts import precisions
from knowledge.rows import Model

from .architecture import GENERATIVE
from .parallel import divides, keeps_blocks, tensor_parallel_sizes
from .phrases import Language, read_phrases, say
from .weights import canonical_precision

MAX_CONTEXT = 100_000_000
"""Tokens; ten times the longest context any published model claims."""
MAX_CONCURRENCY = 100_000
MAX_DATA_PARALLEL, MAX_ADAPTERS, MAX_RANK = 512, 1000, 512
"""Ranks beyond 512 are refused by vLLM's `--max-lora-rank`; the other two are beyond any machine."""

VLLM, SGLANG, TRANSFORMERS, LLAMACPP, OLLAMA = "vllm", "sglang", "transformers", "llama.cpp", "ollama"
ENGINES = (VLLM, SGLANG, TRANSFORMERS, LLAMACPP, OLLAMA)
OTHER_NAMES = {"llamacpp": LLAMACPP, "llama-cpp": LLAMACPP, "llama_cpp": LLAMACPP, "llama-server": LLAMACPP, "hf": TRANSFORMERS,
               "huggingface": TRANSFORMERS, "transformer": TRANSFORMERS}  # fmt: skip
"""Other spellings of the engines."""
POOLED = (VLLM, SGLANG)
"""Engines that fill a pool of cache at start and know tensor, data and expert parallel, adapters and draft models."""
GGUF_ENGINES = (LLAMACPP, OLLAMA)

LORA_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""What vLLM takes for `--max-lora-rank` (https://docs.vllm.ai/en/stable/api/vllm/config/lora/)."""

MTP_FAMILIES = ("DeepSeek-V3", "DeepSeek-R1", "DeepSeek-V4", "GLM-4.5", "GLM-5", "Qwen3-Next", "Qwen3.5", "Qwen3.6",
                "Qwen3.8", "MiMo", "ERNIE 4.5", "Kimi-Linear")  # fmt: skip
"""Beginnings of families published with layers for multi-token prediction
(https://docs.vllm.ai/en/stable/features/spec_decode/, and the model cards)."""


@dataclass(frozen=True, slots=True)
class ServingJob:
    """One language model to be served; None takes what the engine picks on the card.

    `context` is prompt and answer of one sequence (max_model_len), `prompt` the part of it that is given at once (None:
    all), `concurrency` the sequences at once, all that long; `shared_prefix` of their tokens are the same and held once.
    `engine_version` is a version such as 0.19 (empty: the usual one). `data_parallel` ranks share the sequences: each
    holds the attention, the experts are divided among them. `lora_adapters` of `lora_rank` are served at once. `mtp`
    loads the model's own prediction layer, `draft` a smaller model that guesses.
    `weight_only` allows FP8 weights on cards that cannot compute in FP8 (W8A16, `compatibility.loads_fp8_weight_only`).
    """

    model: Model
    weight_dtype: str
    kv_dtype: str = "bf16"
    context: int = 8192
    concurrency: int = 8
    gpu_memory_utilization: float = 0.90
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    weight_only: bool = False
    engine: str = VLLM
    engine_version: str = ""
    enforce_eager: bool = False
    data_parallel: int = 1
    expert_parallel: bool = False
    lora_adapters: int = 0
    lora_rank: int = 16
    mtp: bool = False
    draft: Model | None = None
    shared_prefix: int = 0
    prompt: int | None = None

    @property
    def slot_rank(self) -> int:
        """Rank that adapter slots are laid out for: vLLM takes certain ones only."""
        if self.engine != VLLM:
            return self.lora_rank
        return next((rank for rank in LORA_RANKS if rank >= self.lora_rank), self.lora_rank)

    @property
    def sequences(self) -> int:
        """Sequences of one data-parallel rank."""
        return -(-self.concurrency // self.data_parallel)


def check_job(job: ServingJob, *, tensor_parallel: int, pipeline_parallel: int = 1, language: Language = "en") -> None:
    """InputError with one sentence naming the limit when the job cannot be asked for."""
    code = _broken_limit(job, tensor_parallel, pipeline_parallel)
    if code is None:
        return
    sizes = ", ".join(str(size) for size in reversed(tensor_parallel_sizes(job.model, 16, job.weight_dtype)))
    raise InputError(
        say(
            read_phrases("tools", "phrases/serving.toml"), code, language,
            model=job.model.id, context=job.context, concurrency=job.concurrency, max_context=MAX_CONTEXT,
            max_concurrency=MAX_CONCURRENCY, utilization=job.gpu_memory_utilization, sizes=sizes,
            tensor_parallel=tensor_parallel, heads=job.model.heads or "?", kv_heads=job.model.kv_heads or "?",
            seqs=job.max_num_seqs, tokens=job.max_num_batched_tokens, weight_dtype=job.weight_dtype,
            pipeline_parallel=pipeline_parallel, layers=job.model.layers or "?", engine=job.engine[:40],
            engines=", ".join(ENGINES), data_parallel=job.data_parallel, max_data_parallel=MAX_DATA_PARALLEL,
            adapters=job.lora_adapters, max_adapters=MAX_ADAPTERS, rank=job.lora_rank, max_rank=MAX_RANK,
            prefix=job.shared_prefix, kv_dtype=job.kv_dtype, draft=job.draft.id if job.draft else "",
        )
    )  # fmt: skip


def canonical_engine(name: str) -> str:
    """The engine as ENGINES spell it; what is not known stays as typed and is refused by `check_job`."""
    plain = name.strip().casefold()
    return OTHER_NAMES.get(plain, plain)


def kv_precision(kv_dtype: str, *, language: Language = "en") -> str:
    """Canonical precision of the cache; `auto` and empty are the 16-bit default."""
    plain = kv_dtype.strip().casefold()
    if plain in ("int8_per_token_head", "int8_per_token"):
        return "int8"
    return "bf16" if plain in ("auto", "") else canonical_precision(kv_dtype, language=language)


def kv_element_bytes(kv_dtype: str, *, language: Language = "en") -> float:
    """Bytes per element of the cache. InputError for precisions that it cannot be kept in."""
    size = precisions()[kv_precision(kv_dtype, language=language)].kv_bytes
    if size is None:
        kinds = ", ".join(row.precision for row in precisions().values() if row.kv_bytes is not None)
        table = read_phrases("tools", "phrases/serving.toml")
        raise InputError(say(table, "not_a_kv_precision", language, name=repr(kv_dtype[:40]), known=kinds))
    return size


def _broken_limit(job: ServingJob, tensor_parallel: int, pipeline_parallel: int) -> str | None:
    limits = (
        ("not_a_language_model", job.model.modality in GENERATIVE),
        ("engine_unknown", job.engine in ENGINES),
        ("context_not_positive", job.context > 0),
        ("context_too_long", job.context <= MAX_CONTEXT),
        ("concurrency_not_positive", job.concurrency > 0),
        ("concurrency_too_high", job.concurrency <= MAX_CONCURRENCY),
        ("utilization_out_of_range", 0 < job.gpu_memory_utilization <= 1),
        ("max_num_seqs_out_of_range", job.max_num_seqs is None or 0 < job.max_num_seqs <= MAX_CONCURRENCY),
        ("max_num_batched_tokens_out_of_range",
         job.max_num_batched_tokens is None or 0 < job.max_num_batched_tokens <= MAX_CONTEXT),
        ("tensor_parallel_does_not_divide", tensor_parallel == 1 or divides(job.model, tensor_parallel)),
        ("tensor_parallel_cuts_blocks", keeps_blocks(job.model, job.weight_dtype, tensor_parallel)),
        ("pipeline_parallel_out_of_range", 1 <= pipeline_parallel <= (job.model.layers or pipeline_parallel)),
    )  # fmt: skip
    broken = next((code for code, holds in limits if not holds), None)
    return broken or _broken_option(job)


def _broken_option(job: ServingJob) -> str | None:
    """Limits of what goes beyond one copy of the model with its cache."""
    pooled, kind = job.engine in POOLED, precisions()[canonical_precision(job.weight_dtype)].kind
    cache, hybrid = precisions()[kv_precision(job.kv_dtype)].kind, (job.model.attention or {}).get("type") == "hybrid"
    limits = (
        ("data_parallel_out_of_range", 1 <= job.data_parallel <= MAX_DATA_PARALLEL),
        ("only_of_pooled_engines", pooled or not _wants_pooled(job)),
        ("experts_missing", bool(job.model.moe) or not job.expert_parallel),
        ("lora_adapters_out_of_range", 0 <= job.lora_adapters <= MAX_ADAPTERS),
        ("lora_rank_out_of_range", 1 <= job.lora_rank <= MAX_RANK),
        ("prefix_out_of_range", 0 <= job.shared_prefix <= job.context),
        ("prefix_not_shared", not job.shared_prefix or not hybrid),
        ("mtp_missing", not job.mtp or job.model.family.startswith(MTP_FAMILIES)),
        ("draft_not_a_language_model", job.draft is None or job.draft.modality in GENERATIVE),
        ("draft_not_smaller", job.draft is None or job.draft.params_total < job.model.params_total),
        ("gguf_only", job.engine not in GGUF_ENGINES or kind in ("gguf", "float")),
        ("kv_type_of_llamacpp", job.engine in GGUF_ENGINES or cache != "gguf"),
        ("kv_type_not_of_llamacpp", job.engine not in GGUF_ENGINES or cache in ("gguf", "float")),
    )
    return next((code for code, holds in limits if not holds), None)


def _wants_pooled(job: ServingJob) -> bool:
    parallel = job.data_parallel > 1 or job.expert_parallel
    return parallel or job.mtp or bool(job.lora_adapters or job.draft or job.shared_prefix)
