"""What a card cannot do for a training job, and what bites although it runs. Codes of phrases/training.toml."""

from __future__ import annotations

from knowledge.rows import Gpu

from .job import Layout, TrainingJob

PASCAL, VOLTA, TURING, AMPERE, BLACKWELL = 6.0, 7.0, 7.5, 8.0, 10.0
"""Compute capabilities. Current PyTorch builds start at Volta or Turing; older builds still carry Pascal."""

PACKED_BY_FLASH = ("ms-swift", "megatron")


def blocked(job: TrainingJob, gpu: Gpu) -> str | None:
    """Code why the card cannot run the job, or None.

    not_cuda, compute_capability (no build of PyTorch for it), pure_bf16_needs_ampere, int8_needs_turing,
    packing_needs_ampere (ms-swift packs texts for FlashAttention's kernels of varying lengths only).
    """
    capability = gpu.compute_capability
    if capability is None:
        return "not_cuda"
    if capability < PASCAL:
        return "compute_capability"
    if gpu.bf16 is False and not job.adapter and job.precision == "bf16":
        return "pure_bf16_needs_ampere"
    if job.adapter and job.base == "int8" and capability < TURING:
        return "int8_needs_turing"
    return "packing_needs_ampere" if job.packing and job.framework in PACKED_BY_FLASH and capability < AMPERE else None


def cautions(job: TrainingJob, gpu: Gpu, layout: Layout, machines: int = 1) -> list[str]:
    """Codes of what the user should know about this job on this card, cut that way."""
    capability = gpu.compute_capability or 0.0
    rows = (
        ("no_bf16_use_fp16", gpu.bf16 is False),
        ("flash_needs_ampere", job.flash_attention and capability < AMPERE),
        ("old_card", capability < VOLTA),
        ("no_tensor_cores", capability < VOLTA),
        ("no_nvlink", layout.gpus > 1 and layout.scheme not in ("ddp", "single") and not gpu.nvlink_gb_s),
        ("several_machines", machines > 1),
        ("shards_over_network", machines > 1 and layout.scheme in ("zero3", "fsdp", "megatron")),
        ("offload_slow", layout.offload != "none"),
    )
    return [code for code, holds in rows if holds]
