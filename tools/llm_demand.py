"""Serving a language model as a demand on cards: what `advise` asks about, without knowing what is served.

Tensor parallel stays inside one machine; several machines are stages of a pipeline, as vLLM advises
(https://docs.vllm.ai/en/stable/serving/parallelism_scaling/).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge.rows import Gpu

from .architecture import complete_shape
from .commands import loaded_bytes
from .parallel import largest_size
from .phrases import Language
from .results import Estimate
from .serving import ServingJob, blocked, cautions, estimate_serving
from .serving_job import POOLED, check_job
from .units import GIB
from .weights import weights_bytes

PHRASES = "phrases/running.toml"
"""The sentences of this demand's codes."""

ENGINE_DISK_GIB = 60.0
"""System, image and engine besides the weights (a vLLM container alone is about 20 GiB)."""


@dataclass(frozen=True)
class LlmDemand:
    """One serving job asked of many cards; each (card, cards of a machine, machines) is summed once.

    `weights_gib` are held by the cards, `files_gib` downloaded and read. `tensor_parallel` is the size that was asked
    for; None takes the largest of each machine. `pipeline_parallel` are stages inside each machine. Engines that spread
    layers (transformers, llama.cpp) take every card as a stage.
    """

    job: ServingJob
    language: Language
    weights_gib: float
    files_gib: float
    tensor_parallel: int | None = None
    pipeline_parallel: int = 1
    _seen: dict[tuple[str, int | None, int, int], tuple[Estimate, ...]] = field(default_factory=dict, repr=False, compare=False)

    def size_on(self, gpus: int) -> int | None:
        """Tensor-parallel size on a machine of that many cards; None where it has fewer than were asked for."""
        if self.job.engine not in POOLED:
            return 1 if gpus > 0 else None
        inner = gpus // (self.pipeline_parallel * self.job.data_parallel)
        if self.tensor_parallel is not None:
            return self.tensor_parallel if self.tensor_parallel <= inner else None
        return largest_size(self.job.model, inner, self.job.weight_dtype) if inner else None

    def stages_on(self, gpus: int) -> int:
        """Pipeline stages on a machine of that many cards."""
        if self.job.engine in POOLED:
            return self.pipeline_parallel
        return min(gpus, self.job.model.layers or gpus)

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        """The largest tensor-parallel size of that many cards; the weights are then the smallest per card."""
        return self.estimates_across(gpu, gpus, 1)

    def estimates_across(self, gpu: Gpu, gpus: int, machines: int) -> tuple[Estimate, ...]:
        """Tensor parallel over the cards of each machine, one pipeline stage per machine."""
        key, size, stages = (gpu.gpu_id, gpu.usable_mib, gpus, machines), self.size_on(gpus), self.stages_on(gpus) * machines
        if size is None or stages > (self.job.model.layers or stages):
            return ()
        if machines > 1 and self.job.engine not in POOLED:
            return ()
        if key not in self._seen:
            estimate = estimate_serving(
                self.job, gpu, tensor_parallel=size, pipeline_parallel=stages, machines=machines, language=self.language
            )
            self._seen[key] = (estimate,)
        return self._seen[key]

    def blocked(self, gpu: Gpu) -> str | None:
        """Code of the reason why this card cannot run the job at all."""
        return blocked(self.job, gpu)

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        """Codes of what bites on this card at this count."""
        return self.cautions_across(gpu, gpus, 1)

    def cautions_across(self, gpu: Gpu, gpus: int, machines: int) -> list[str]:
        """Codes of what bites on machines of that many cards."""
        codes = cautions(self.job, gpu, self.size_on(gpus) or 1, machines)
        return [code for code in codes if code != "usable_estimated"]  # advise says that itself

    @property
    def disk_gib(self) -> float:
        """Disk for the weights, once as downloaded and a fifth more, besides system and engine."""
        return self.files_gib * 1.2 + ENGINE_DISK_GIB

    @property
    def host_memory_gib(self) -> float:
        """Main memory that loading touches: the files, page-cached."""
        return self.files_gib


def make_demand(
    job: ServingJob, *, language: Language, gpu: Gpu, tensor_parallel: int | None = None, pipeline_parallel: int = 1
) -> LlmDemand:
    """Demand of a job; `gpu` is any card, since the size of the weights does not depend on it.

    Raises InputError with one sentence in `language` when the job cannot be asked for or not be cut that way.
    """
    check_job(job, tensor_parallel=tensor_parallel or 1, pipeline_parallel=pipeline_parallel, language=language)
    files = loaded_bytes(complete_shape(job.model), job.weight_dtype, gpu)
    return LlmDemand(
        job=job,
        language=language,
        weights_gib=weights_bytes(complete_shape(job.model), job.weight_dtype) / GIB,
        files_gib=files / GIB,
        tensor_parallel=tensor_parallel,
        pipeline_parallel=pipeline_parallel,
    )
