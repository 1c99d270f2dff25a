"""From what the user said about a training run to the job, its demand, and what may be changed or solved for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast, get_args

from knowledge.errors import InputError
from knowledge.facts import instances, precisions
from tools.architecture import is_shape_known
from tools.demand import Wish
from tools.jobs.ask import JobAsk, Setting
from tools.lookup import ModelMatch, look_up_model, model_from_config
from tools.phrases import Language, read_phrases, say
from tools.weights import canonical_precision

from .changes import single_changes, solvables
from .demand import TrainingDemand
from .job import (
    PHRASES,
    Checkpointing,
    Layout,
    Loss,
    Objective,
    Offload,
    Precision,
    Scheme,
    TrainingJob,
    check_job,
    framework_name,
    method_name,
    optimizer_name,
    tell_apart,
)
from .shape import matrices_of

SEQ, BATCH, RANK, ACCUMULATION = 2048, 1, 8, 8
TARGETS = "all-linear, q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj"
LONG_SEQ = 32_768
"""Tokens from which on a fused loss is taken for granted: 4.3 GiB of logits per 2,048 tokens of Qwen's vocabulary else."""
PURE = {"bf16": "bf16", "fp32": "fp32", "mixed": "mixed", "amp": "mixed", "fp16": "mixed", "pure_bf16": "bf16"}
PARALLEL: dict[str, Scheme] = {
    "ddp": "ddp", "fsdp": "fsdp", "fsdp2": "fsdp", "zero0": "ddp", "zero1": "zero1", "zero2": "zero2", "zero3": "zero3",
    "megatron": "megatron", "device_map": "device_map",
}  # fmt: skip


@dataclass(frozen=True)
class TrainRequest:
    """What the user said about training a model; None was not said.

    `precision`: mixed | bf16 | fp32 for the trained weights, or a precision of the frozen base (nf4, int8, gptq, awq).
    `zero` is a ZeRO stage, `parallel` a scheme by name; tensor or pipeline sizes mean Megatron.
    """

    model: str = ""
    config_json: str | None = None
    method: str | None = None
    seq: int | None = None
    micro_batch: int | None = None
    accumulation: int | None = None
    optimizer: str | None = None
    precision: str | None = None
    checkpointing: str | None = None
    flash_attention: bool = True
    cross_entropy: str | None = None
    packing: bool = False
    objective: str | None = None
    lora_rank: int | None = None
    lora_targets: str | None = None
    zero: int | None = None
    parallel: str | None = None
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    expert_parallel: int | None = None
    offload: str | None = None
    gpus: int | None = None
    generations: int | None = None
    rollout: str | None = None
    framework: str | None = None
    train_vision: bool = False
    on: tuple[str, ...] = ()
    wish: Wish = Wish()


def train_ask(request: TrainRequest, *, language: Language = "en") -> JobAsk:
    """The job as `size_job` takes it. InputError with one sentence for what cannot be asked for."""
    method, said, optimizer = tell_apart(request.method, request.optimizer)
    request = replace(request, method=method, objective=request.objective or said, optimizer=optimizer)
    match = _model(request, language)
    job, asked = training_job(request, match, language=language), _asked_layout(request, language)
    offload = cast(Offload, _choice(request.offload or "none", get_args(Offload), "--offload", language))
    _check_targets(job, language)
    check_job(job, asked or Layout(gpus=1 if request.gpus is None else request.gpus), language=language)
    demand = TrainingDemand(job, language, asked, offload, request.gpus, request.wish.utilization)
    return JobAsk(
        job="llm_training",
        subject=match.model.id,
        demand=demand,
        phrase_table=PHRASES,
        settings=_settings(request, job, asked, offload),
        assumed=tuple(_assumed(request, match, job, language)),
        cautions=tuple(_cautions(request, match, job, language)),
        changes=single_changes(demand),
        solve=solvables(demand, seq=request.seq, batch=request.micro_batch, rank=request.lora_rank),
        wish=_wish(request),
        on=request.on,
        source_ids=match.model.source_ids,
    )


def _check_targets(job: TrainingJob, language: Language) -> None:
    """InputError when none of the target matrices is known."""
    if job.lora_targets and not matrices_of(job.lora_targets):
        table = read_phrases("tools", PHRASES)
        raise InputError(say(table, "unknown_choice", language, flag="--lora-targets", given=repr(job.lora_targets[:40]), known=TARGETS))


def _wish(request: TrainRequest) -> Wish:
    """With the number of cards, where there are machines of that many; others lend some of theirs."""
    counts = {row.gpu_count for row in instances().values() if not row.vgpu}
    return replace(request.wish, gpu_count=request.gpus) if request.gpus in counts else request.wish


def training_job(request: TrainRequest, match: ModelMatch, *, language: Language = "en") -> TrainingJob:
    """The job, with defaults for what was not said."""
    objective = cast(Objective, _choice(request.objective or _objective(request), get_args(Objective), "--objective", language))
    method, base = _method(request, match, objective, language)
    precision, base = _precision(request, base, language)
    cut = any(degree not in (None, 1) for degree in (request.tensor_parallel, request.pipeline_parallel, request.expert_parallel))
    megatron = cut or request.parallel == "megatron"
    loss = request.cross_entropy or ("fused" if fuses_by_itself(request, objective) else None)
    job = TrainingJob(
        model=match.model,
        method=method,
        seq=SEQ if request.seq is None else request.seq,
        micro_batch=BATCH if request.micro_batch is None else request.micro_batch,
        accumulation=ACCUMULATION if request.accumulation is None else request.accumulation,
        optimizer=optimizer_name(request.optimizer or "adamw", language=language),
        precision=precision,
        base_precision=base,
        checkpointing=cast(
            Checkpointing, _choice(request.checkpointing or "full", get_args(Checkpointing), "--checkpointing", language)
        ),
        flash_attention=request.flash_attention,
        loss=None if loss is None else cast(Loss, _choice(loss, get_args(Loss), "--cross-entropy", language)),
        packing=request.packing,
        objective=objective,
        lora_rank=RANK if request.lora_rank is None else request.lora_rank,
        lora_targets=request.lora_targets,
        train_vision=request.train_vision,
        framework="megatron" if megatron else framework_name(request.framework or "ms-swift", language=language),
        generations=8 if request.generations is None else request.generations,
    )
    if request.rollout is not None:
        return replace(job, rollout=_choice(request.rollout, ("colocate", "sleep", "server"), "--rollout", language))  # type: ignore[arg-type]
    return replace(job, fused_layers=True) if loss == "fused" else job


def fuses_by_itself(request: TrainRequest, objective: str) -> bool:
    """Whether a fused loss is assumed: plain cross entropy keeps fp32 logits of every token, which long texts cannot afford."""
    return request.cross_entropy is None and objective in ("sft", "pretrain") and (request.seq or 0) >= LONG_SEQ


def _model(request: TrainRequest, language: Language) -> ModelMatch:
    if bool(request.model.strip()) == bool(request.config_json):
        raise InputError(say(read_phrases("tools", PHRASES), "one_source", language))
    return model_from_config(request.config_json) if request.config_json else look_up_model(request.model, language=language)


def _objective(request: TrainRequest) -> str:
    words = ("pretrain", "预训练", "pre-train", "cpt")
    return "pretrain" if any(word in (request.method or "").casefold() for word in words) else "sft"


def _method(
    request: TrainRequest, match: ModelMatch, objective: str, language: Language
) -> tuple[str, str | None]:
    """Method and base precision: as said, full for pre-training, QLoRA for a checkpoint that is quantised already."""
    quantised = match.weight_dtype if match.weight_dtype in ("gptq", "awq", "int4", "nf4", "int8") else None
    if request.method is None:
        method = "full" if objective == "pretrain" else "qlora" if quantised else "lora"
    else:
        method = method_name(request.method, language=language)
    if method == "lora" and quantised:
        method = "qlora"
    return method, quantised if method in ("qlora", "lora_8bit") else None


def _precision(request: TrainRequest, base: str | None, language: Language) -> tuple[Precision, str | None]:
    """How trained weights are kept, and how the frozen base is."""
    said = (request.precision or "mixed").casefold().replace("-", "_")
    if said in PURE:
        return cast(Precision, PURE[said]), base
    found = canonical_precision(said, language=language)
    if precisions()[found].kind == "float":
        return cast(Precision, PURE[found]), base
    return "mixed", found


def _asked_layout(request: TrainRequest, language: Language) -> Layout | None:
    degrees = (request.tensor_parallel, request.pipeline_parallel, request.expert_parallel)
    tensor, pipeline, expert = (1 if degree is None else degree for degree in degrees)
    table = read_phrases("tools", PHRASES)
    cut = (tensor, pipeline, expert) != (1, 1, 1)
    if request.zero is not None and not 0 <= request.zero <= 3:
        raise InputError(say(table, "zero_stage", language, given=request.zero))
    named = None if request.parallel is None else _choice(request.parallel, tuple(PARALLEL), "--parallel", language)
    if sum((request.zero is not None, named not in (None, "megatron"), cut)) > 1:
        raise InputError(say(table, "zero_and_parallel", language))
    if not cut and named is None and request.zero is None:
        return None
    scheme = "megatron" if cut else PARALLEL[named or f"zero{request.zero}"]
    return Layout(scheme, tensor * pipeline if request.gpus is None else request.gpus, tensor, pipeline, expert)


def _choice(given: str, known: tuple[str, ...], flag: str, language: Language) -> str:
    plain = given.strip().casefold().replace("-", "_").replace(" ", "")
    if plain in known:
        return plain
    table = read_phrases("tools", PHRASES)
    raise InputError(say(table, "unknown_choice", language, flag=flag, given=repr(given[:40]), known=", ".join(known)))


def _settings(request: TrainRequest, job: TrainingJob, asked: Layout | None, offload: str) -> dict[str, Setting]:
    ranked = job.adapter and bool(job.method_row.targets)
    return {
        "method": job.method,
        "objective": job.objective,
        "seq": job.seq,
        "micro_batch": job.micro_batch,
        "accumulation": job.accumulation,
        "optimizer": job.optimizer,
        "precision": None if job.adapter else job.precision,
        "base": job.base if job.adapter else None,
        "lora_rank": job.lora_rank if ranked else None,
        "checkpointing": job.checkpointing,
        "parallel": asked.scheme if asked else None,
        "offload": None if offload == "none" else offload,
        "packing": job.packing,
        "gpus": request.gpus,
    }


def _assumed(request: TrainRequest, match: ModelMatch, job: TrainingJob, language: Language) -> Iterator[str]:
    table = read_phrases("tools", PHRASES)
    ranked = job.adapter and bool(job.method_row.targets)
    rows = (
        ("assumed_method", request.method is None and job.method == "lora"),
        ("assumed_seq", request.seq is None),
        ("assumed_batch", request.micro_batch is None),
        ("assumed_optimizer", request.optimizer is None),
        ("assumed_precision", request.precision is None and not job.adapter),
        ("assumed_checkpointing", request.checkpointing is None),
        ("assumed_fused", fuses_by_itself(request, job.objective)),
        ("assumed_rank", ranked and request.lora_rank is None and request.lora_targets is None),
        ("assumed_alternatives", bool(match.alternatives)),
    )
    for code, holds in rows:
        if holds:
            yield say(table, code, language, model=match.model.id, others=", ".join(match.alternatives[:3]))


def _cautions(request: TrainRequest, match: ModelMatch, job: TrainingJob, language: Language) -> Iterator[str]:
    table, limit = read_phrases("tools", PHRASES), match.model.max_context or 0
    ranked = job.adapter and bool(job.method_row.targets)
    rows = (
        ("typical_shape", match.how == "typical" or not is_shape_known(match.model)),
        ("context_beyond_model", 0 < limit < job.seq),
        ("unsloth_unmeasured", job.framework == "unsloth"),
        ("ignored_rank", request.lora_rank is not None and not ranked),
    )
    for code, holds in rows:
        if holds:
            yield say(table, code, language, seq=job.seq, limit=limit, method=job.method_row.label)
