"""An account as the Estimate that faces show: parts, band, assumptions in words, command, sources."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge.facts import error_bands
from tools.phrases import Language, read_phrases, say
from tools.results import Band, ErrorBand, Estimate
from tools.units import to_gib

from .account import VisionAccount
from .command import command_of
from .job import PHRASES, VisionJob
from .memory import vision_account

SOURCES = {
    "coefficients": ("mmseg-model-zoo", "pytorch-memory-allocated"),
    "traced": ("mmseg-model-zoo", "pytorch-memory-allocated"),
    "fitted": ("mmdet-model-zoo", "detectron2-model-zoo"),
    "preset": ("nnunet-resenc-presets",),
}


def estimate_of(job: VisionJob, *, gpus: int, language: Language = "en") -> Estimate:
    """The Estimate of one card when `gpus` cards each hold the job. Raises InputError as `vision_account` does."""
    account = vision_account(job, language=language)
    parts = parts_of(account)
    best, band = sum(parts.values()), error_bands()[band_name(job, account)]
    return Estimate(
        job="vision_training" if job.training else "vision_inference",
        per_gpu_gib=Band(low=best * (1 + band.low_pct / 100), best=best, high=best * (1 + band.high_pct / 100)),
        gpus=gpus,
        parts=parts,
        will_show_gib=best,
        assumptions=list(_assumptions(job, account, gpus, language)),
        basis=account.basis,
        error_band=ErrorBand(low_pct=band.low_pct, high_pct=band.high_pct, n=band.n, **{"from": band.measured_in}),
        command=command_of(job, gpus=gpus) or None,
        source_ids=list(SOURCES[account.way]),
    )


def parts_of(account: VisionAccount) -> dict[str, float]:
    """GiB by part, summing to what the card must have; parts of nothing are left out."""
    if account.way == "preset":
        return {"as_published": to_gib(account.activations)}
    parts = {
        "weights": account.weights,
        "gradients": account.gradients,
        "optimizer": account.optimizer,
        "ddp_buckets": account.buckets,
        "activations": account.activations,
        "workspace": account.workspace,
        "allocator_cache": account.cached,
        "cuda_context": account.outside,
    }
    return {name: to_gib(size) for name, size in parts.items() if size}


def band_name(job: VisionJob, account: VisionAccount) -> str:
    """The row of error_bands.csv that the figure's range comes from."""
    if account.way == "preset":
        return "vision_preset"
    if not job.training:
        return "vision_inference"
    if account.way == "fitted":
        return "vision_detection"
    way = "traced" if account.way == "traced" else "coefficients"
    return f"vision_{way}_amp" if job.amp else f"vision_{way}"


def _assumptions(job: VisionJob, account: VisionAccount, gpus: int, language: Language) -> Iterator[str]:
    table = read_phrases("tools", PHRASES)
    figures = {
        "batch": job.batch, "height": job.height, "width": job.width, "classes": job.classes, "gpus": gpus,
        "total": job.batch * gpus * job.accumulate, "accumulate": job.accumulate, "optimizer": job.optimizer,
        "precision": job.precision, "cached": account.cached_pct, "context": to_gib(account.outside),
        "allocated": to_gib(account.allocated), "network": job.subject, "seconds": account.seconds,
    }  # fmt: skip
    for code in _codes(job, account, gpus):
        yield say(table, code, language, **figures)


def _codes(job: VisionJob, account: VisionAccount, gpus: int) -> Iterator[str]:
    if account.way == "preset":
        yield "basis_preset"
        return
    yield "setting_training" if job.training else "setting_inference"
    if job.training and gpus > 1:
        yield "data_parallel"
    if job.amp:
        yield "amp_meaning" if job.training else "amp_inference"
    if job.accumulate > 1:
        yield "accumulate_meaning"
    if job.checkpointing:
        yield "checkpointing_meaning"
    yield f"basis_{account.way}"
    yield "reserved"
    yield from account.notes
