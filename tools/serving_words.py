"""What an estimate of serving assumes, in words of either language."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge.facts import precisions
from knowledge.rows import Gpu

from .commands import find_checkpoint, loaded_bytes, needs_more_share
from .compatibility import cautions, refuses_float16
from .engine import engine_of_version
from .long_context import override_words
from .parallel import needs_expert_parallel
from .phrases import Language, read_phrases, say
from .serving_job import GGUF_ENGINES, POOLED, SGLANG, TRANSFORMERS, VLLM, ServingJob
from .serving_sum import ServingSum
from .units import to_gib
from .weights import canonical_precision, served_precision

PHRASES = "phrases/serving.toml"


def assumptions(
    job: ServingJob, gpu: Gpu, account: ServingSum, *, shown: int, machines: int, language: Language
) -> list[str]:
    """Sentences on engine, load, cache, pool, weights and what the command does unasked."""
    table = read_phrases("tools", PHRASES)
    precision, checkpoint = served_precision(job.model, job.weight_dtype), find_checkpoint(job.model, job.weight_dtype, gpu)
    codes = [*_engine_codes(job, account), *_load_codes(job), *_weight_codes(job, gpu)]
    codes += _ways_of_serving(job, gpu, account)
    codes += ["stages_inside"] if job.engine in POOLED and account.pipeline_parallel > machines else []
    codes += [code for code in cautions(job, gpu, account.tensor_parallel, machines) if code in table]
    arguments = {
        "model": job.model.id, "gpu": gpu.name, "path": checkpoint.path, "served": precision.precision,
        "weight_dtype": job.weight_dtype, "bits": precision.bits, "kv_dtype": job.kv_dtype,
        "concurrency": job.concurrency, "context": job.context, "utilization": job.gpu_memory_utilization,
        "seqs": account.max_num_seqs, "tokens": account.max_num_batched_tokens, "shown": to_gib(shown),
        "graphs": to_gib(account.graph_bytes or account.outside_bytes), "outside": to_gib(account.outside_bytes),
        "max_context": job.model.max_context or 0, "kv_heads": job.model.kv_heads or 0,
        "tensor_parallel": account.tensor_parallel, "pipeline_parallel": account.pipeline_parallel,
        "data_parallel": job.data_parallel, "ranks": job.data_parallel * account.tensor_parallel,
        "sequences": account.concurrency, "version": job.engine_version or engine_of_version("").group,
        "files": to_gib(loaded_bytes(job.model, job.weight_dtype, gpu)), "adapters": job.lora_adapters,
        "rank": job.lora_rank, "lora": to_gib(account.adapter_bytes), "guesses": to_gib(account.guess_bytes),
        "draft": job.draft.id if job.draft else "", "prefix": job.shared_prefix, "more": needs_more_share(job, account) or 0,
        "stages": account.pipeline_parallel,
    }  # fmt: skip
    return [say(table, code, language, **arguments) for code in dict.fromkeys(codes)]


def _engine_codes(job: ServingJob, account: ServingSum) -> Iterator[str]:
    if job.engine == VLLM:
        yield "assume_version" if job.engine_version else "assume_engine"
        yield "assume_load" if job.concurrency > 1 else "assume_single_load"
        yield "assume_kv"
        if account.graph_bytes:
            yield "assume_pool_graphs_inside"
        else:
            yield "assume_pool" if account.outside_bytes else "assume_pool_eager"
        if needs_more_share(job, account):
            yield "graphs_inside_since"
        return
    yield {SGLANG: "assume_sglang", TRANSFORMERS: "assume_generate"}.get(job.engine, "assume_llamacpp")
    yield "assume_load" if job.concurrency > 1 else "assume_single_load"
    yield "assume_kv"
    if job.engine in (TRANSFORMERS, *GGUF_ENGINES) and account.pipeline_parallel > 1:
        yield "layers_spread"


def _load_codes(job: ServingJob) -> Iterator[str]:
    rows = (
        ("assume_prefix", bool(job.shared_prefix)),
        ("assume_data_parallel", job.data_parallel > 1),
        ("assume_lora", bool(job.lora_adapters)),
        ("assume_mtp", job.mtp),
        ("assume_draft", job.draft is not None),
    )
    return (code for code, holds in rows if holds)


def _weight_codes(job: ServingJob, gpu: Gpu) -> Iterator[str]:
    precision = served_precision(job.model, job.weight_dtype)
    if precision.embedding_bits != precision.bits:
        yield "embeddings_16bit"
    if not find_checkpoint(job.model, job.weight_dtype, gpu).published:
        yield "quantised_checkpoint"


def _ways_of_serving(job: ServingJob, gpu: Gpu, account: ServingSum) -> Iterator[str]:
    """Codes of what the command does that was not asked for in so many words."""
    model, precision = job.model, served_precision(job.model, job.weight_dtype)
    if precision.kind != precisions()[canonical_precision(job.weight_dtype)].kind:
        yield "served_as_published"
    if find_checkpoint(model, job.weight_dtype, gpu).load_flag:
        yield "quantised_while_loading"
    if needs_expert_parallel(model, job.weight_dtype, account.tensor_parallel) and not job.expert_parallel:
        yield "experts_stay_whole"
    if precision.precision == "fp16" and refuses_float16(model):
        yield "bf16_instead"
    if job.engine == VLLM and override_words(model, job.context):
        yield "yarn_in_command"
