"""A vision job as a demand on cards: data parallel, every card holds the whole network and its share of the batch."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from knowledge.rows import Gpu
from tools.phrases import Language
from tools.results import Estimate

from .estimate import estimate_of
from .job import VisionJob

SYSTEM_DISK_GIB = 60.0
"""System, driver, container image with PyTorch."""
DATASET_GIB = {"segmentation": 40.0, "detection": 60.0, "classification": 200.0}
"""Room for a usual public data set, unpacked: Cityscapes 12, COCO 25, ImageNet 150 GB. The user's own may be larger."""
LOADER_HOST_GIB = 8.0
"""Main memory of the training process and its data loader's workers."""
TENSOR_CORES = 7.0
"""Compute capability from which fp16 has units of its own (Volta)."""
OLDEST = 5.0
"""PyTorch's builds for CUDA 12.6 are the last with Maxwell and Pascal (https://pytorch.org/get-started/locally/)."""
POOLED = ("pspnet", "deeplabv3", "deeplabv3plus", "upernet", "bisenetv1", "bisenetv2", "fastscnn", "encnet", "apcnet", "icnet", "gcnet", "dmnet")
"""Methods that normalise a map pooled to one pixel: BatchNorm over one value raises at one image per card."""


@dataclass(frozen=True)
class VisionDemand:
    """One job asked of many cards. `divided`: its batch is that of all cards together and is shared out over them.

    `cards` is a number that was asked for and is more than one machine has: then no other number will do.
    """

    job: VisionJob
    language: Language = "en"
    divided: bool = False
    cards: int | None = None
    _seen: dict[tuple[int, int], tuple[Estimate, ...]] = field(default_factory=dict, repr=False, compare=False)

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        """One way: the batch, or its share, on each card. Inference and fixed presets use one card, a batch that is
        divided no more cards than it has images.
        """
        if self.cards not in (None, gpus):
            return ()
        used = gpus if self.job.training and not self._is_preset else 1
        if self.divided:
            used = min(used, self.job.batch)
        job = self.on_cards(used)
        key = (used, job.batch)
        if key not in self._seen:
            self._seen[key] = (estimate_of(job, gpus=used, language=self.language),)
        return self._seen[key]

    def on_cards(self, gpus: int) -> VisionJob:
        """The job of one card when `gpus` cards work on it."""
        batch = -(-self.job.batch // gpus) if self.divided else self.job.batch
        return replace(self.job, batch=batch, data_parallel=self.job.data_parallel or (self.job.training and gpus > 1))

    def blocked(self, gpu: Gpu) -> str | None:
        """not_cuda, too_old (for any PyTorch build), no_bf16."""
        if gpu.compute_capability is None:
            return "not_cuda"
        if gpu.compute_capability < OLDEST:
            return "too_old"
        return "no_bf16" if self.job.precision == "bf16" and not gpu.bf16 else None

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        """Codes of what bites on that card at that count."""
        job, capability = self.on_cards(gpus if self.job.training else 1), gpu.compute_capability or 0.0
        holds = {
            "old_card": capability < TENSOR_CORES,
            "amp_without_tensor_cores": job.amp and capability < TENSOR_CORES,
            "amp_is_fp16": job.precision == "fp16" and gpu.bf16 is False and capability >= TENSOR_CORES,
            "batchnorm_one": is_batchnorm_one(job),
            "no_nvlink": job.training and gpus > 1 and not gpu.nvlink_gb_s,
        }
        return [code for code, yes in holds.items() if yes]

    @property
    def disk_gib(self) -> float:
        """System, image and a usual data set."""
        return SYSTEM_DISK_GIB + (DATASET_GIB.get(self._task, 40.0) if self.job.training else 0.0)

    @property
    def host_memory_gib(self) -> float:
        return LOADER_HOST_GIB

    @property
    def _task(self) -> str:
        return self.job.network.task if self.job.network else "segmentation"

    @property
    def _is_preset(self) -> bool:
        return self.job.network is not None and self.job.network.preset is not None


def is_batchnorm_one(job: VisionJob) -> bool:
    """Whether BatchNorm meets a single value per channel: one image per card and a map pooled to one pixel."""
    return job.training and job.batch == 1 and job.network is not None and job.network.method.method in POOLED
