"""Image and video diffusion as a job to be sized: defaults, single changes, what may be solved for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from knowledge.facts import precisions
from knowledge.other_facts import diffusion_kernels
from tools.demand import Wish
from tools.jobs.ask import ChangedDemand, JobAsk, Setting, Solvable
from tools.phrases import Language, read_phrases, say
from tools.units import GIB
from tools.weights import canonical_precision

from .demand import PHRASES, DiffusionDemand, diffusion_estimate
from .inference import host_bytes
from .job import (
    MAX_BATCH,
    MAX_FRAMES,
    MAX_RANK,
    OPTIMIZER_BYTES,
    DiffusionJob,
    check_diffusion_job,
)
from .names import look_up_diffusion_model

WHOLE_KINDS = ("float",)
"""Kinds of precision that are not quantised."""

SHARDED_PARAMS = 2_000_000_000
"""Full training of larger denoisers is sharded over the cards unless told otherwise (16 bytes each: 30 GiB and more)."""


@dataclass(frozen=True)
class DiffusionRequest:
    """What a user asked; None leaves a setting to the default. `size` is width × height in pixels."""

    model: str
    size: tuple[int, int] | None = None
    frames: int | None = None
    batch: int | None = None
    precision: str | None = None
    text_precision: str | None = None
    program: str | None = None
    offload: str | None = None
    text_encoder: str | None = None
    vae_tiling: bool = False
    shard: str | None = None
    training: bool = False
    method: str | None = None
    lora_rank: int | None = None
    optimizer: str | None = None
    checkpointing: bool = True
    cached: bool = True
    swapped_blocks: int = 0
    gpus: int | None = None
    on: tuple[str, ...] = ()
    wish: Wish = Wish()


def diffusion_ask(request: DiffusionRequest, *, language: Language = "en") -> JobAsk:
    """The job to be sized. Raises UnknownModel, InputError."""
    job = make_job(request, language=language)
    return JobAsk(
        job="diffusion_training" if job.training else "diffusion_inference",
        subject=job.model.id,
        demand=DiffusionDemand(job, language),
        phrase_table=PHRASES,
        settings=_settings(job),
        assumed=tuple(_assumed(request, job, language)),
        cautions=tuple(_cautions(job, language)),
        changes=tuple(_training_changes(job, language) if job.training else _inference_changes(job, language)),
        solve=tuple(_solvables(request, job, language)),
        wish=request.wish,
        on=request.on,
        source_ids=job.model.source_ids,
    )


def make_job(request: DiffusionRequest, *, language: Language) -> DiffusionJob:
    """The request with its defaults: the pipeline's size, 16 bits, everything on the card; LoRA of rank 16 in training."""
    model = look_up_diffusion_model(request.model, language=language)
    width, height = request.size or (model.default_width, model.default_height)
    precision = canonical_precision(request.precision or model.native_dtype, language=language)
    quantised = precisions()[precision].kind not in WHOLE_KINDS
    text = request.text_precision or (precision if quantised and not request.training else model.native_dtype)
    method, precision = _method(request, precision)
    comfyui = (request.program or "").lower() == "comfyui"
    by_part = comfyui or model.denoiser_copies > 1  # experts take turns: their publishers move the idle one away
    sharded = request.training and method == "full" and model.denoiser_params > SHARDED_PARAMS
    cut = model.kind == "video" and (request.gpus or 1) > 1 and not request.training and not comfyui
    job = DiffusionJob(
        model,
        height=height,
        width=width,
        frames=(model.default_frames if request.frames is None else request.frames) if model.kind == "video" else 1,
        batch=1 if request.batch is None else request.batch,
        precision=precision,
        text_precision=canonical_precision(text, language=language),
        program=(request.program or "diffusers").lower(),
        offload=_offload(request, by_part=by_part and not cut),
        text_encoder=(request.text_encoder or "gpu").lower(),
        vae_tiling=request.vae_tiling or comfyui,
        shard=(request.shard or ("fsdp" if sharded else "fsdp+ulysses" if cut else "none")).lower(),
        training=request.training,
        method=method,
        lora_rank=16 if request.lora_rank is None else request.lora_rank,
        optimizer=_optimizer(request.optimizer or ("adamw_bf16" if method == "lora" else "adamw")),
        checkpointing=request.checkpointing,
        cached=request.cached,
        swapped_blocks=request.swapped_blocks,
        kernel=_kernel(precision),
        optimizer_offload=request.training and (request.offload or "").lower() in ("optimizer", "params"),
        parameter_offload=request.training and (request.offload or "").lower() == "params",
    )
    check_diffusion_job(job, language=language)
    return job


def _method(request: DiffusionRequest, precision: str) -> tuple[str, str]:
    """The method, and the precision of the base where the method's name says it: `qlora` keeps it in 4 bits."""
    said = (request.method or "lora").lower()
    if said in ("qlora", "q-lora"):
        return "lora", precision if request.precision else "nf4"
    adapters = ("lora", "dora", "lokr", "loha", "lycoris")
    if any(word in said for word in adapters):
        return "lora", precision
    return ("full" if said in ("full", "finetune", "fine-tune", "sft", "dreambooth", "全量", "全参") else said), precision


def _offload(request: DiffusionRequest, *, by_part: bool) -> str:
    """What of the pipeline is moved away; in training only states and weights can be."""
    if request.training:
        return "none"
    said = (request.offload or ("model" if by_part else "none")).lower()
    return {"cpu": "model", "block": "group", "layer": "group"}.get(said, said)


def _optimizer(name: str) -> str:
    """`AdamW_8bit`, `paged_adamw_8bit` → adamw8bit."""
    glued = "".join(letter for letter in name.lower().removeprefix("paged_") if letter.isalnum())
    return next((known for known in OPTIMIZER_BYTES if known.replace("_", "") == glued), name)


def _kernel(precision: str) -> str:
    """How layers of that precision run in training when nothing is said: cast to 16 bits for each product."""
    kind = precisions()[precision].kind
    names = {"fp8": "fp8-scaled", "int8": "int8-torchao", "int4": "nf4"}
    return names.get(kind, "bf16") if names.get(kind, "bf16") in diffusion_kernels() else "bf16"


def _settings(job: DiffusionJob) -> dict[str, Setting]:
    shared: dict[str, Setting] = {"width": job.width, "height": job.height, "frames": job.frames if job.model.kind == "video" else None}
    shared |= {"batch": job.batch, "precision": job.precision}
    if not job.training:
        return {**shared, "offload": job.offload, "program": job.program, "shard": None if job.shard == "none" else job.shard}
    rank = job.lora_rank if job.method == "lora" else None
    return {**shared, "method": job.method, "lora_rank": rank, "optimizer": job.optimizer, "checkpointing": job.checkpointing}


def _assumed(request: DiffusionRequest, job: DiffusionJob, language: Language) -> Iterator[str]:
    table = read_phrases("tools", PHRASES)
    if request.size is None:
        yield say(table, "assume_default_size", language)
    if request.frames is None and job.model.kind == "video":
        yield say(table, "assume_default_frames", language, frames=job.frames)


def _cautions(job: DiffusionJob, language: Language) -> Iterator[str]:
    table = read_phrases("tools", PHRASES)
    if job.offload != "none" or job.swapped_blocks:
        yield say(table, "caution_host", language, host=host_bytes(job) / GIB)
    if job.program == "comfyui":
        least = diffusion_estimate(replace(job, offload="group"), language=language).per_gpu_gib.best
        yield say(table, "caution_comfyui", language, least=least)


def _inference_changes(job: DiffusionJob, language: Language) -> Iterator[ChangedDemand]:
    """Single changes, the cheapest to the user first."""
    kind = precisions()[job.precision].kind
    if not job.vae_tiling:
        yield _change("tiling", replace(job, vae_tiling=True, vae_slicing=True), language)
    if job.offload == "none":
        yield _change("model_offload", replace(job, offload="model"), language)
    if job.text_encoder == "gpu" and job.offload == "none":
        yield _change("text_cpu", replace(job, text_encoder="cpu"), language)
    if kind == "float":
        yield _change("fp8", replace(job, precision="fp8", text_precision="fp8"), language)
    if job.batch > 1:
        yield _change("batch", replace(job, batch=job.batch // 2), language, batch=job.batch // 2)
    if kind in ("float", "fp8", "int8"):
        yield _change("nf4", replace(job, precision="nf4", text_precision="nf4"), language)
    if job.model.kind == "video" and job.shard == "none":
        yield _change("shard", replace(job, shard="fsdp+ulysses"), language)
    if job.model.kind == "video" and job.frames > 17:
        fewer = (job.frames // 2) // job.model.vae_time_scale * job.model.vae_time_scale + 1
        yield _change("frames", replace(job, frames=fewer), language, frames=fewer)
    if job.offload in ("none", "model"):
        yield _change("group", replace(job, offload="group"), language)
    yield from _smaller(job, language)


def _training_changes(job: DiffusionJob, language: Language) -> Iterator[ChangedDemand]:
    """Single changes, the cheapest to the user first."""
    if not job.cached:
        yield _change("cached", replace(job, cached=True), language)
    if not job.checkpointing:
        yield _change("checkpointing", replace(job, checkpointing=True), language)
    if job.method == "full" and job.optimizer != "adamw8bit":
        yield _change("adam8", replace(job, optimizer="adamw8bit"), language)
    if job.batch > 1:
        yield _change("batch", replace(job, batch=job.batch // 2), language, batch=job.batch // 2)
    if job.method == "lora" and precisions()[job.precision].kind == "float":
        yield _change("quantised_base", replace(job, precision="fp8", kernel="fp8-scaled"), language)
    if job.method == "full":
        yield _change("lora", replace(job, method="lora", optimizer="adamw_bf16"), language)
    yield from _smaller(job, language)
    if job.method == "lora" and job.model.architecture == "dit" and not job.swapped_blocks:
        half = job.model.blocks // 2
        yield _change("swap", replace(job, swapped_blocks=half), language, blocks=half)


def _smaller(job: DiffusionJob, language: Language) -> Iterator[ChangedDemand]:
    width, height = (side * 3 // 4 // 32 * 32 for side in (job.width, job.height))
    if min(width, height) >= 256:
        yield _change("size", replace(job, width=width, height=height), language, width=width, height=height)


def _change(code: str, job: DiffusionJob, language: Language, **said: object) -> ChangedDemand:
    what = say(read_phrases("tools", PHRASES), f"change_{code}", language, **said)
    return ChangedDemand(code, what, DiffusionDemand(job, language))


def _solvables(request: DiffusionRequest, job: DiffusionJob, language: Language) -> Iterator[Solvable]:
    yield Solvable("batch", lambda n: DiffusionDemand(replace(job, batch=n), language), 1, MAX_BATCH, wished=request.batch)
    if job.model.kind == "video":
        yield Solvable(
            "frames", lambda n: DiffusionDemand(replace(job, frames=n), language),
            1, MAX_FRAMES, wished=request.frames,
        )  # fmt: skip
    if job.training and job.method == "lora":
        yield Solvable("lora-rank", lambda n: DiffusionDemand(replace(job, lora_rank=n), language), 1, MAX_RANK, wished=request.lora_rank)
    yield Solvable("crop", lambda n: DiffusionDemand(replace(job, width=n, height=n), language), 256, 8192, 64, request.size[0] if request.size else None)
