"""Serving a language model as a demand on cards: what `advise` asks about, without knowing what is served."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge.rows import Gpu

from .phrases import Language
from .results import Estimate
from .serving import (
    ServingJob,
    blocked,
    cautions,
    estimate_serving,
    serving_sum,
    tensor_parallel_sizes,
)
from .units import GIB

PHRASES = "phrases/running.toml"
"""The sentences of this demand's codes."""

ENGINE_DISK_GIB = 60.0
"""System, image and engine besides the weights (a vLLM container alone is about 20 GiB)."""


@dataclass(frozen=True)
class LlmDemand:
    """One serving job asked of many cards; each (card, count) is summed once."""

    job: ServingJob
    language: Language
    weights_gib: float
    _seen: dict[tuple[str, int], tuple[Estimate, ...]] = field(default_factory=dict, repr=False, compare=False)

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        """The largest tensor-parallel size of that many cards; the weights are then the smallest per card."""
        key = (gpu.gpu_id, gpus)
        if key not in self._seen:
            size = tensor_parallel_sizes(self.job.model, gpus)[0]
            estimate = estimate_serving(self.job, gpu, tensor_parallel=size, language=self.language)
            self._seen[key] = (estimate,)
        return self._seen[key]

    def blocked(self, gpu: Gpu) -> str | None:
        """Code of the reason why this card cannot run the job at all."""
        return blocked(self.job, gpu)

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        """Codes of what bites on this card at this count."""
        codes = cautions(self.job, gpu, tensor_parallel_sizes(self.job.model, gpus)[0])
        return [code for code in codes if code != "usable_estimated"]  # advise says that itself

    @property
    def disk_gib(self) -> float:
        """Disk for the weights, once as downloaded and a fifth more, besides system and engine."""
        return self.weights_gib * 1.2 + ENGINE_DISK_GIB

    @property
    def host_memory_gib(self) -> float:
        """Main memory that loading touches: the weights, page-cached."""
        return self.weights_gib


def make_demand(job: ServingJob, *, language: Language, gpu: Gpu) -> LlmDemand:
    """Demand of a job; `gpu` is any card, since the size of the weights does not depend on it."""
    weights = serving_sum(job, gpu, tensor_parallel=1).weights_bytes
    return LlmDemand(job=job, language=language, weights_gib=weights / GIB)
