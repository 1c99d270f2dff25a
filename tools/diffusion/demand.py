"""Generating or training with a diffusion model as a demand on cards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

from knowledge.facts import precisions
from knowledge.other_facts import diffusion_encoders
from knowledge.rows import Gpu
from tools.part_sum import sum_parts
from tools.phrases import Language, read_phrases, say
from tools.results import Estimate, Job
from tools.units import GIB
from tools.usable import usable_gib, usable_is_estimated

from .commands import diffusion_command
from .inference import InferencePeak, host_bytes
from .job import DiffusionJob
from .training import TrainingPeak
from .weights import block_bytes

PHRASES = "phrases/diffusion.toml"
DISK_GIB = 60.0
"""System, environment and pictures besides the weights."""

MIN_COMPUTE_CAPABILITY = 7.0
"""PyTorch's CUDA builds of today start at Volta or Turing (https://pytorch.org/get-started/previous-versions/)."""
FP8_CARDS = 8.9
LIMIT_SHARE, MOST_SWAPPED = 0.9, 0.5
"""What ComfyUI is taken to fill of a card, and the share of blocks it may swap before the card is called too small (a judgement)."""
LOADING_SHARE = 0.6
"""Main memory that loading touches without offload, as a share of all parts: one part after the other is read."""


@dataclass(frozen=True)
class DiffusionDemand:
    """One diffusion job asked of many cards."""

    job: DiffusionJob
    language: Language = "en"

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        """On one card; training on all of them (data parallel, or cut as asked); sharded generation on all of them."""
        job = _swapped(_on(self.job, gpu), gpu)
        if job.training or (job.shard != "none" and gpus > 1):
            return (diffusion_estimate(job, gpus=gpus, language=self.language, source_ids=gpu.source_ids),)
        return (diffusion_estimate(job, gpus=1, language=self.language, source_ids=gpu.source_ids),)

    def blocked(self, gpu: Gpu) -> str | None:
        """Code of the reason why the card cannot run it at all."""
        if gpu.compute_capability is None:
            return "not_cuda"
        return "compute_capability" if gpu.compute_capability < MIN_COMPUTE_CAPABILITY else None

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        """Codes of what bites on that card at that count."""
        return list(self._cautions(gpu, gpus))

    @property
    def disk_gib(self) -> float:
        """All parts once and a fifth more, besides the system."""
        return host_bytes(replace(self.job, precision="bf16", text_precision="bf16")) / GIB * 1.2 + DISK_GIB

    @property
    def host_memory_gib(self) -> float:
        """What loading touches."""
        return host_bytes(self.job) / GIB * LOADING_SHARE

    @property
    def resident_gib(self) -> float:
        """Offload keeps all parts in main memory."""
        offloaded = self.job.offload != "none" or self.job.swapped_blocks or self.job.parameter_offload
        return host_bytes(self.job) / GIB if offloaded else 0.0

    def _cautions(self, gpu: Gpu, gpus: int) -> Iterator[str]:
        if gpu.bf16 is False and self.job.model.native_dtype == "bf16":
            yield "no_bf16"
        if _swapped(self.job, gpu).swapped_blocks > self.job.swapped_blocks:
            yield "comfyui_swaps"
        if precisions()[self.job.precision].kind == "fp8" and (gpu.compute_capability or 0) < FP8_CARDS:
            yield "fp8_storage_only"
        if gpus > 1 and not gpu.nvlink_gb_s and self.job.shard != "none":
            yield "no_nvlink"
        if usable_is_estimated(gpu):
            yield "usable_estimated"


def diffusion_estimate(
    job: DiffusionJob, *, gpus: int = 1, language: Language = "en", source_ids: tuple[str, ...] = ()
) -> Estimate:
    """Peak memory of one card when the job runs on `gpus` of them."""
    peak: TrainingPeak | InferencePeak = TrainingPeak(job, gpus) if job.training else InferencePeak(job, gpus)
    name: Job = "diffusion_training" if job.training else "diffusion_inference"
    encoders = (diffusion_encoders()[encoder].source_ids for encoder in job.model.text_encoders)
    return sum_parts(
        name, peak.parts(), gpus=gpus, band=name if has_own_constants(job) else f"{name}_general",
        assumptions=_assumptions(job, gpus, language),
        command=diffusion_command(job, gpus=gpus),
        source_ids=[*job.model.source_ids, *(source for ids in encoders for source in ids), *source_ids],
    )  # fmt: skip


def _on(job: DiffusionJob, gpu: Gpu) -> DiffusionJob:
    """fp16 instead of bf16 on cards without it; the same bytes."""
    if gpu.bf16 is not False:
        return job
    swap = {"bf16": "fp16"}
    return replace(
        job, precision=swap.get(job.precision, job.precision), text_precision=swap.get(job.text_precision, job.text_precision)
    )


def _swapped(job: DiffusionJob, gpu: Gpu) -> DiffusionJob:
    """As many blocks in main memory as ComfyUI would move there on that card by itself, half of them at most."""
    if job.program != "comfyui" or job.training or job.offload != "model":
        return job
    limit = LIMIT_SHARE * usable_gib(gpu) * GIB
    most = int(job.model.blocks * MOST_SWAPPED)
    over = sum(InferencePeak(job).parts().values()) - limit
    if over <= 0:
        return job
    blocks = min(most, ceil(over / block_bytes(job)))
    swapped = replace(job, swapped_blocks=max(job.swapped_blocks, blocks))
    return swapped if sum(InferencePeak(swapped).parts().values()) <= limit else job


def _assumptions(job: DiffusionJob, gpus: int, language: Language) -> list[str]:
    table = read_phrases("tools", PHRASES)
    arguments = {
        "width": job.width, "height": job.height, "frames": job.frames, "batch": job.batch, "tokens": f"{job.tokens:,}",
        "precision": job.precision, "text_precision": job.text_precision, "vae": 8 * job.model.vae_bytes, "gpus": gpus,
        "rank": job.lora_rank, "optimizer": job.optimizer, "bytes": 4 if job.precision == "fp32" else 2,
        "shard": job.shard, "swapped": job.swapped_blocks, "blocks": job.model.blocks,
    }  # fmt: skip
    return [say(table, code, language, **arguments) for code in _codes(job, gpus)]


def _codes(job: DiffusionJob, gpus: int) -> Iterator[str]:
    yield "assume_video" if job.model.kind == "video" else "assume_image"
    yield "assume_precision"
    if job.training:
        yield from _training_codes(job, gpus)
    else:
        yield from _inference_codes(job, gpus)
    yield "own_constants" if has_own_constants(job) else "general_constants"
    yield "assume_context"


def _training_codes(job: DiffusionJob, gpus: int) -> Iterator[str]:
    yield f"assume_train_{job.method}"
    if job.shard != "none" and gpus > 1:
        yield "assume_train_sharded"
    yield "assume_optimizer"
    yield "assume_checkpointing" if job.checkpointing else "assume_no_checkpointing"
    yield "assume_cached" if job.cached else "assume_not_cached"


def _inference_codes(job: DiffusionJob, gpus: int) -> Iterator[str]:
    if job.model.denoiser_copies > 1:
        yield "assume_copies"
    sharded = gpus > 1 and "fsdp" in job.shard
    yield "assume_shard" if sharded else f"assume_offload_{job.offload}"
    if job.swapped_blocks:
        yield "assume_swapped"
    if job.text_encoder == "cpu":
        yield "assume_text_cpu"
    if job.vae_tiling:
        yield "assume_tiling"
    if job.program == "official":
        yield "assume_official"


def has_own_constants(job: DiffusionJob) -> bool:
    """Whether the constants that this job uses were fitted on peaks of its own model."""
    model = job.model
    if model.architecture == "unet":
        return job.training and model.id == "stable-diffusion-v1-5"
    if not job.training:
        return (model.official_denoise_bytes_per_hidden if job.program == "official" else model.denoise_bytes_per_hidden) is not None
    own = model.checkpoint_bytes_per_hidden if job.checkpointing else model.train_bytes_per_hidden
    return own is not None
