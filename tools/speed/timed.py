"""A serving demand that also knows its speed: `LlmDemand` with the method that `advise` asks of a `Timed` demand."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge.errors import InputError
from knowledge.rows import Gpu
from tools.llm_demand import LlmDemand
from tools.results import Estimate, TokensPerSecond
from tools.serving_job import POOLED

from .efficiency import band_of
from .lanes import job_lane, split_context


@dataclass(frozen=True)
class TimedLlmDemand:
    """Passes everything on to `demand`; lengths of prompt and answer as `split_context` takes them."""

    demand: LlmDemand
    input_tokens: int | None = None
    output_tokens: int | None = None
    _seen: dict[tuple[str, int], TokensPerSecond | None] = field(default_factory=dict, repr=False, compare=False)

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        return self.demand.estimates(gpu, gpus)

    def estimates_across(self, gpu: Gpu, gpus: int, machines: int) -> tuple[Estimate, ...]:
        return self.demand.estimates_across(gpu, gpus, machines)

    def blocked(self, gpu: Gpu) -> str | None:
        return self.demand.blocked(gpu)

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        return self.demand.cautions(gpu, gpus)

    def cautions_across(self, gpu: Gpu, gpus: int, machines: int) -> list[str]:
        return self.demand.cautions_across(gpu, gpus, machines)

    @property
    def disk_gib(self) -> float:
        return self.demand.disk_gib

    @property
    def host_memory_gib(self) -> float:
        return self.demand.host_memory_gib

    def tokens_per_s(self, gpu: Gpu, estimate: Estimate) -> TokensPerSecond | None:
        """Answer tokens per second of all the job's users on the cards of `estimate`.

        None where the card's rates or the engine's speeds are not published, and for pipelines: theirs were measured
        nowhere that we know.
        """
        key = (gpu.gpu_id, estimate.gpus)
        if estimate not in self.demand.estimates(gpu, estimate.gpus):  # of several machines
            return None
        if key not in self._seen:
            self._seen[key] = self._speed(gpu, estimate.gpus)
        return self._seen[key]

    def _speed(self, gpu: Gpu, cards: int) -> TokensPerSecond | None:
        job, size = self.demand.job, self.demand.size_on(cards)
        if size is None or (job.engine in POOLED and self.demand.stages_on(cards) > 1):
            return None
        try:
            lane = job_lane(job, gpu, tensor_parallel=size, language=self.demand.language)
        except InputError:
            return None
        prompt, answer = split_context(job.context, self.input_tokens or job.prompt, self.output_tokens)
        best = lane.times(job.sequences, prompt, answer).tokens_per_s * job.data_parallel
        band = band_of(lane.choice, concurrency=job.sequences)
        return TokensPerSecond(low=best * (1 + band.low_pct / 100), high=best * (1 + band.high_pct / 100))
