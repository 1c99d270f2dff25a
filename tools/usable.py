"""Memory of a card that a job may use, before the engine's own utilization (0.90 by default)."""

from __future__ import annotations

from knowledge.rows import Gpu, Instance

CUDA_RESERVE_GIB = 0.2
"""What CUDA sees is this much less than nvidia-smi prints (A10: 22.07 of 22.2, A100 80 GB: 79.15 of 79.35 GiB)."""

UNSEEN_SHARE = 0.94
"""Share of the printed gigabytes taken, in GiB, for a card of which no nvidia-smi log was seen."""


def usable_gib(gpu: Gpu) -> float:
    """Usable GiB of the whole card: nvidia-smi's total less `CUDA_RESERVE_GIB`, else an estimate."""
    if gpu.usable_mib is None:
        return UNSEEN_SHARE * gpu.memory_gb
    return gpu.usable_mib / 1024 - CUDA_RESERVE_GIB


def usable_is_estimated(gpu: Gpu) -> bool:
    """Whether `usable_gib` rests on the printed size because no log of the card was seen."""
    return gpu.usable_mib is None


def usable_gib_each(instance: Instance, gpu: Gpu) -> float:
    """Usable GiB per GPU of a type. A vGPU slice has its nominal slice, never more than the card."""
    whole = usable_gib(gpu)
    if instance.vgpu and instance.gpu_memory_gb_each is not None:
        return min(instance.gpu_memory_gb_each, whole)
    return whole
