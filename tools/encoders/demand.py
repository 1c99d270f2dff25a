"""Encoders, embedding models and rerankers as a demand on cards, and as a job to be sized."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from knowledge.rows import Gpu
from tools.demand import Wish
from tools.jobs.ask import ChangedDemand, JobAsk, Solvable
from tools.part_sum import sum_parts
from tools.phrases import Language, read_phrases, say
from tools.results import Estimate, Job
from tools.units import GIB
from tools.usable import usable_is_estimated
from tools.weights import canonical_precision

from .memory import (
    MAX_BATCH,
    MAX_TOKENS,
    PHRASES,
    STATE_BYTES,
    EncoderJob,
    check_encoder_job,
    encoder_parts,
)
from .names import look_up_encoder

DISK_GIB, HOST_GIB = 45.0, 2.0
"""System and environment besides the files; the program itself in main memory."""

MIN_COMPUTE_CAPABILITY, AMPERE = 7.0, 8.0
DEFAULT_TOKENS, USUAL_BATCH = 512, 32
"""32 texts of 512 tokens at once; of longer texts fewer, so that the tokens stay the same."""
METHOD_NAMES = {"sft": "full", "finetune": "full", "fine-tune": "full", "qlora": "lora", "dora": "lora", "全量": "full", "全参": "full"}
CPU_PARAMS = 700_000_000
"""Below this a CPU instance is worth a look (a judgement)."""


@dataclass(frozen=True)
class EncoderDemand:
    """One job on one card; more cards take more texts."""

    job: EncoderJob
    language: Language = "en"

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        """Serving on one card; training data parallel on all of them, the same need on each."""
        return (encoder_estimate(self.job, gpus=gpus if self.job.training else 1, language=self.language, source_ids=gpu.source_ids),)

    def blocked(self, gpu: Gpu) -> str | None:
        """Code of the reason why the card cannot run it at all."""
        if gpu.compute_capability is None:
            return "not_cuda"
        return "compute_capability" if gpu.compute_capability < MIN_COMPUTE_CAPABILITY else None

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        """Codes of what bites on that card."""
        old = self.job.attention == "flash" and (gpu.compute_capability or 0) < AMPERE
        return (["no_flash"] if old else []) + (["usable_estimated"] if usable_is_estimated(gpu) else [])

    @property
    def disk_gib(self) -> float:
        return self.job.model.params * 4 / GIB * 1.2 + DISK_GIB

    @property
    def host_memory_gib(self) -> float:
        return self.job.model.params * 2 / GIB + HOST_GIB


@dataclass(frozen=True)
class EncoderRequest:
    """What a user asked; None leaves a setting to the default."""

    model: str
    tokens: int | None = None
    batch: int | None = None
    precision: str | None = None
    engine: str | None = None
    attention: str | None = None
    training: bool = False
    method: str | None = None
    states: str | None = None
    checkpointing: bool = False
    on: tuple[str, ...] = ()
    wish: Wish = Wish()


def _usual_batch(tokens: int) -> int:
    return max(1, min(USUAL_BATCH, USUAL_BATCH * DEFAULT_TOKENS // max(tokens, 1)))


def encoder_ask(request: EncoderRequest, *, language: Language = "en") -> JobAsk:
    """The job to be sized. Raises UnknownModel, InputError."""
    model = look_up_encoder(request.model, language=language)
    tokens = min(DEFAULT_TOKENS, model.max_tokens) if request.tokens is None else request.tokens
    job = EncoderJob(
        model,
        tokens=tokens,
        batch=_usual_batch(tokens) if request.batch is None else request.batch,
        precision=canonical_precision(request.precision or "fp16", language=language),
        engine=(request.engine or ("vllm" if model.decoder else "tei")).lower(),
        attention=(request.attention or "flash").lower(),
        training=request.training,
        method=METHOD_NAMES.get((request.method or "full").lower(), (request.method or "full").lower()),
        states=(request.states or "mixed").lower(),
        checkpointing=request.checkpointing,
    )
    check_encoder_job(job, language=language)
    return JobAsk(
        job=_job_name(job),
        subject=model.id,
        demand=EncoderDemand(job, language),
        phrase_table=PHRASES,
        settings=_settings(job),
        assumed=tuple(_assumed(request, job, language)),
        cautions=tuple(_cautions(job, language)),
        changes=tuple(_changes(job, language)),
        solve=tuple(_solvables(request, job, language)),
        wish=request.wish,
        on=request.on,
        source_ids=model.source_ids,
    )


def encoder_estimate(
    job: EncoderJob, *, gpus: int = 1, language: Language = "en", source_ids: tuple[str, ...] = ()
) -> Estimate:
    """Memory of one card."""
    table = read_phrases("tools", PHRASES)
    said = {
        "batch": job.batch, "tokens": f"{job.tokens:,}", "all_tokens": f"{job.all_tokens:,}", "engine": job.engine,
        "precision": job.precision, "attention": job.attention, "states": job.states, "per_param": STATE_BYTES[job.states],
    }  # fmt: skip
    return sum_parts(
        _job_name(job), encoder_parts(job), gpus=gpus,
        band="encoder_training" if job.training else "encoder_inference",
        assumptions=[say(table, code, language, **said) for code in _codes(job)],
        command=_command(job, gpus),
        source_ids=[*job.model.source_ids, *source_ids],
    )  # fmt: skip


def _job_name(job: EncoderJob) -> Job:
    return "llm_training" if job.training else "encoder_inference"


def _codes(job: EncoderJob) -> Iterator[str]:
    yield "assume_load"
    if job.training:
        yield f"assume_train_{job.method}"
        if job.checkpointing:
            yield "assume_checkpointing"
        if job.model.role != "encoder":
            yield "assume_contrastive"
    else:
        yield "assume_serve"
        if job.model.role == "reranker":
            yield "assume_reranker"
    yield "assume_context"


def _settings(job: EncoderJob) -> dict[str, str | int | float | bool | None]:
    shared: dict[str, str | int | float | bool | None] = {"batch": job.batch, "tokens": job.tokens, "attention": job.attention}
    if job.training:
        return {**shared, "method": job.method, "states": job.states, "checkpointing": job.checkpointing}
    return {**shared, "precision": job.precision, "engine": job.engine}


def _assumed(request: EncoderRequest, job: EncoderJob, language: Language) -> Iterator[str]:
    table = read_phrases("tools", PHRASES)
    if request.tokens is None:
        yield say(table, "assume_default_tokens", language, tokens=job.tokens, limit=f"{job.model.max_tokens:,}")
    if request.batch is None:
        yield say(table, "assume_default_batch", language, batch=job.batch)


def _cautions(job: EncoderJob, language: Language) -> Iterator[str]:
    table, model = read_phrases("tools", PHRASES), job.model
    if job.tokens > model.max_tokens:
        yield say(table, "beyond_model", language, tokens=f"{job.tokens:,}", limit=f"{model.max_tokens:,}")
    if model.role == "late interaction":
        yield say(table, "colbert_index", language)
    if not job.training and job.engine == "vllm":
        yield say(table, "vllm_takes_all", language)
    if not job.training and model.params < CPU_PARAMS:
        yield say(table, "cpu_is_enough", language)


def _changes(job: EncoderJob, language: Language) -> Iterator[ChangedDemand]:
    """Single changes, the cheapest to the user first."""
    table = read_phrases("tools", PHRASES)

    def change(code: str, changed: EncoderJob, **said: object) -> ChangedDemand:
        return ChangedDemand(code, say(table, f"change_{code}", language, **said), EncoderDemand(changed, language))

    if job.attention == "eager":
        yield change("flash", replace(job, attention="flash"))
    if not job.training and job.precision == "fp32":
        yield change("half", replace(job, precision="fp16"))
    if job.training and not job.checkpointing:
        yield change("checkpointing", replace(job, checkpointing=True))
    if job.batch > 1:
        yield change("batch", replace(job, batch=job.batch // 2), batch=job.batch // 2)
    if not job.training and job.precision in ("fp16", "bf16"):
        yield change("int8", replace(job, precision="int8"))
    if job.training and job.method == "full":
        yield change("lora", replace(job, method="lora"))
    if job.tokens > 256:
        yield change("tokens", replace(job, tokens=job.tokens // 2), tokens=job.tokens // 2)


def _solvables(request: EncoderRequest, job: EncoderJob, language: Language) -> Iterator[Solvable]:
    yield Solvable("batch", lambda batch: EncoderDemand(replace(job, batch=batch), language), 1, MAX_BATCH, wished=request.batch)
    most = min(job.model.max_tokens, MAX_TOKENS)
    yield Solvable("context", lambda tokens: EncoderDemand(replace(job, tokens=tokens), language), 1, most, wished=request.tokens)


def _command(job: EncoderJob, gpus: int) -> str:
    """The line to paste: a server, an export, or FlagEmbedding's trainer."""
    model = job.model
    if job.training:
        return _training_command(job, gpus)
    if job.engine == "tei":
        dtype = "float32" if job.precision == "fp32" else "float16"
        return f"text-embeddings-router --model-id {model.hf_id} --dtype {dtype} --max-batch-tokens {job.all_tokens} --port 8080"
    if job.engine == "vllm":
        return f"vllm serve {model.hf_id} --runner pooling --max-model-len {job.tokens} --max-num-seqs {job.batch}"
    if job.engine == "onnxruntime":
        return f"optimum-cli export onnx --model {model.hf_id} --task feature-extraction ./onnx"
    call = "CrossEncoder" if model.role == "reranker" else "SentenceTransformer"
    return f"python -c \"from sentence_transformers import {call}; m = {call}('{model.hf_id}', device='cuda'); print(m)\""


def _training_command(job: EncoderJob, gpus: int) -> str:
    area = "reranker" if job.model.role == "reranker" else "embedder"
    kind = "decoder_only.base" if job.model.decoder else "encoder_only.m3" if job.model.id == "bge-m3" else "encoder_only.base"
    flags = [f"--model_name_or_path {job.model.hf_id}", "--train_data YOUR_PAIRS.jsonl", "--output_dir ./out"]
    flags += [f"--per_device_train_batch_size {job.batch}", f"--query_max_len {job.tokens}", f"--passage_max_len {job.tokens}"]
    flags += ["--gradient_checkpointing"] if job.checkpointing else []
    return " ".join([f"torchrun --nproc_per_node {gpus} -m FlagEmbedding.finetune.{area}.{kind}", *flags])
