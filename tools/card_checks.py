"""Does a serving job fit on the cards, families or instance types that the user named?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from knowledge.rows import Gpu

from .parallel import largest_size
from .phrases import Language, read_phrases, say
from .places import Place, around, catalog_counts, places
from .serving import ServingJob, ServingSum, blocked, estimate_serving, serving_sum
from .serving_job import POOLED, VLLM
from .sizing_results import CardCheck
from .units import GIB

ROOMY_FLAGS = ((None, 16), (0.95, None), (0.95, 16))
"""(gpu_memory_utilization, max_num_seqs) tried in this order when the defaults are tight; None keeps the default."""


def check_cards(
    job: ServingJob, names: Iterable[str], *, language: Language, tensor_parallel: int | None = None,
    pipeline_parallel: int = 1,
) -> list[CardCheck]:  # fmt: skip
    """One check per named card count or type; for a bare card or family the single card and the smallest that fits.

    Names are gpu ids, `GPUxN`, families or instance types of the catalog; unknown ones are left out (the caller
    says so). `tensor_parallel` is the size that was asked for; places with fewer cards are then blocked.
    """
    checks: list[CardCheck] = []
    cut = _Cut(tensor_parallel, pipeline_parallel, job.data_parallel if job.engine in POOLED else 1)
    for name in names:
        named = list(places(name))
        wide = [place for place in named if place.gpus >= cut.gpus] or named
        results = [_check(job, place, language=language, asked=cut) for place in wide]
        checks.extend(results if len(results) <= 1 else _telling(results))
    return checks


@dataclass(frozen=True, slots=True)
class _Cut:
    """How the user wants the model cut; `tensor_parallel` None takes what a place has."""

    tensor_parallel: int | None
    pipeline_parallel: int
    data_parallel: int

    @property
    def gpus(self) -> int:
        """Cards without which it cannot be."""
        return (self.tensor_parallel or 1) * self.pipeline_parallel * self.data_parallel

    def on(self, job: ServingJob, gpus: int) -> tuple[int, int]:
        """Tensor-parallel size and stages on that many cards, as if there were enough of them."""
        if job.engine not in POOLED:
            return 1, min(gpus, job.model.layers or gpus)
        if self.gpus > gpus:
            return largest_size(job.model, gpus, job.weight_dtype), 1
        inner = gpus // (self.pipeline_parallel * self.data_parallel)
        return self.tensor_parallel or largest_size(job.model, inner, job.weight_dtype), self.pipeline_parallel


def _telling(results: Sequence[CardCheck]) -> list[CardCheck]:
    """The smallest place, the smallest that fits, or the largest when none does."""
    smallest = results[0]
    if smallest.blocked:
        return [smallest]
    fitting = next((r for r in results if r.fits), None)
    last = fitting or results[-1]
    return [smallest] if last is smallest else [smallest, last]


def _check(job: ServingJob, place: Place, *, language: Language, asked: _Cut) -> CardCheck:
    few = asked.gpus > place.gpus
    size, stages = asked.on(job, place.gpus)
    total = serving_sum(job, place.gpu, tensor_parallel=size, pipeline_parallel=stages, language=language)
    estimate = estimate_serving(
        job, place.gpu, tensor_parallel=size, pipeline_parallel=stages, machines=1, language=language
    )
    code = blocked(job, place.gpu) or ("too_few_cards" if few else None)
    counts = catalog_counts(place.gpu.gpu_id)
    there = place.instance_type is not None or place.gpus in counts
    headroom = (total.limit_bytes - total.required_bytes_per_gpu) / GIB
    fits = code is None and headroom >= 0
    return CardCheck(
        label=place.label,
        instance_type=place.instance_type,
        gpu_id=place.gpu.gpu_id,
        gpus=place.gpus,
        tensor_parallel=size,
        required_gib=total.required_bytes_per_gpu / GIB,
        weights_gib=total.weights_bytes_per_gpu / GIB,
        kv_gib=total.kv_bytes_per_gpu / GIB,
        usable_gib=total.usable_bytes / GIB,
        limit_gib=total.limit_bytes / GIB,
        headroom_gib=headroom,
        fits=fits,
        tight=fits and estimate.per_gpu_gib.high > total.limit_bytes / GIB,
        blocked=say(_phrases(), code, language, tensor_parallel=asked.gpus, gpus=place.gpus) if code else None,
        max_sequences=total.max_sequences,
        longest_context=within_model(total.longest_context, job),
        will_show_gib=estimate.will_show_gib,
        times_too_large=None if headroom >= 0 else total.required_bytes_per_gpu / total.limit_bytes,
        fits_with=room_flags(job, place.gpu, total) if code is None else None,
        in_catalog=there,
        nearest_counts=[] if there else around(place.gpus, counts),
        cautions=[say(read_phrases("tools", "phrases/advise.toml"), "vgpu_slice", language)] if place.vgpu else [],
    )


def within_model(context: int, job: ServingJob) -> int:
    """A context that memory allows, no longer than the model's own or the one that was asked for."""
    return min(context, max(job.model.max_context or context, job.context))


def room_flags(job: ServingJob, gpu: Gpu, total: ServingSum) -> str | None:
    """Engine flags that make room where the defaults are tight or do not fit; None when none helps or none is needed."""
    if job.engine != VLLM or total.limit_bytes - total.required_bytes_per_gpu > 0.02 * total.limit_bytes:
        return None
    for utilization, sequences in ROOMY_FLAGS:
        tried = replace(
            job,
            gpu_memory_utilization=utilization or job.gpu_memory_utilization,
            max_num_seqs=max(sequences, job.concurrency) if sequences else job.max_num_seqs,
        )
        other = serving_sum(
            tried, gpu, tensor_parallel=total.tensor_parallel, pipeline_parallel=total.pipeline_parallel
        )
        if other.limit_bytes - other.required_bytes_per_gpu > 0.02 * total.limit_bytes:
            flags = [f"--gpu-memory-utilization {utilization:.2f}" if utilization else ""]
            flags.append(f"--max-num-seqs {tried.max_num_seqs}" if sequences else "")
            return " ".join(flag for flag in flags if flag)
    return None


def _phrases() -> dict[str, dict[str, str]]:
    return read_phrases("tools", "phrases/running.toml")
