"""A serving demand that also knows its speed: `LlmDemand` with the method that `advise` asks of a `Timed` demand."""

from __future__ import annotations

from dataclasses import dataclass, field

from knowledge.errors import InputError
from knowledge.rows import Gpu
from tools.llm_demand import LlmDemand
from tools.results import Estimate, TokensPerSecond

from .efficiency import DEFAULT_ENGINE, band_of
from .speed import make_lane, split_context


@dataclass(frozen=True)
class TimedLlmDemand:
    """Passes everything on to `demand`; lengths of prompt and answer as `split_context` takes them."""

    demand: LlmDemand
    engine: str = DEFAULT_ENGINE
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

        None where the card's rates are not published, and where the cards are of several machines: their pipeline's
        speed was measured nowhere that we know.
        """
        key = (gpu.gpu_id, estimate.gpus)
        if key not in self._seen:
            self._seen[key] = self._speed(gpu, estimate.gpus)
        return self._seen[key]

    def _speed(self, gpu: Gpu, cards: int) -> TokensPerSecond | None:
        job = self.demand.job
        if self.demand.size_on(cards) != cards:
            return None
        try:
            lane = make_lane(job.model, job.weight_dtype, job.kv_dtype, gpu, tensor_parallel=cards, engine=self.engine)
        except InputError:
            return None
        prompt, answer = split_context(job.context, self.input_tokens, self.output_tokens)
        best = lane.times(job.concurrency, prompt, answer).tokens_per_s
        band = band_of(lane.choice, concurrency=job.concurrency)
        return TokensPerSecond(low=best * (1 + band.low_pct / 100), high=best * (1 + band.high_pct / 100))
