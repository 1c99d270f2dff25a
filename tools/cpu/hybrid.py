"""A mixture of experts with its experts in main memory and everything else on one GPU (KTransformers, llama.cpp).

    RAM    routed experts · bits + system
    VRAM   (W − routed experts) + cache + compute buffer + context

DeepSeek-R1 671B in Q4_K_M: 653.9 of 671 billion elements are routed experts. 372 GiB of experts and 11.0 GiB on the card
by this sum; its authors publish 382 GB of RAM and 14 GB on the card (ktransformers-deepseek).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowledge.errors import InputError
from knowledge.rows import Gpu, Model
from tools.demand import Wish
from tools.jobs.ask import ChangedDemand, JobAsk, Solvable
from tools.lookup import look_up_model
from tools.part_sum import sum_parts
from tools.phrases import Language, read_phrases, say
from tools.results import Estimate
from tools.speed.loads import make_loads
from tools.units import GIB
from tools.usable import usable_is_estimated

from .memory import (
    MAX_CONTEXT,
    PHRASES,
    SYSTEM,
    CpuJob,
    check_cpu_job,
    cpu_engine,
    cpu_precision,
    language_model_parts,
)

CONTEXT = 0.5 * GIB
"""CUDA context and cuBLAS handles."""

MIN_COMPUTE_CAPABILITY = 7.0


@dataclass(frozen=True)
class HybridDemand:
    """One MoE model on one GPU and the host's memory."""

    job: CpuJob
    language: Language = "en"

    @property
    def model(self) -> Model:
        assert isinstance(self.job.model, Model)
        return self.job.model

    @property
    def experts_bytes(self) -> float:
        """Routed experts, all of them, in main memory."""
        return make_loads(self.model, self.job.precision).experts

    def estimates(self, gpu: Gpu, gpus: int) -> tuple[Estimate, ...]:
        """On one card, however many there are."""
        return (self.estimate(source_ids=gpu.source_ids),)

    def estimate(self, *, source_ids: tuple[str, ...] = ()) -> Estimate:
        """Memory of the card."""
        parts = language_model_parts(self.model, self.job)
        parts["weights"] -= self.experts_bytes
        table = read_phrases("tools", PHRASES)
        said = {
            "ram": self.experts_bytes / GIB, "engine": self.job.engine, "precision": self.job.precision,
            "context": f"{self.job.context:,}", "host": self.ram_gib,
        }  # fmt: skip
        return sum_parts(
            "llm_inference", {**parts, "engine": CONTEXT}, gpus=1, band="hybrid_inference",
            assumptions=[say(table, code, self.language, **said) for code in ("assume_hybrid", "assume_hybrid_host", "assume_hybrid_speed")],
            command=_command(self.job, self.model),
            source_ids=[*self.model.source_ids, "ktransformers-deepseek", *source_ids],
        )  # fmt: skip

    def blocked(self, gpu: Gpu) -> str | None:
        """Code of the reason why the card cannot run it at all."""
        if gpu.compute_capability is None:
            return "not_cuda"
        return "compute_capability" if gpu.compute_capability < MIN_COMPUTE_CAPABILITY else None

    def cautions(self, gpu: Gpu, gpus: int) -> list[str]:
        """Codes of what bites on that card."""
        return ["usable_estimated"] if usable_is_estimated(gpu) else []

    @property
    def ram_gib(self) -> float:
        """Main memory that the host must have."""
        return (self.experts_bytes + SYSTEM) / GIB * 1.05

    @property
    def disk_gib(self) -> float:
        return self.ram_gib * 1.2 + 60

    @property
    def host_memory_gib(self) -> float:
        """The files, page-cached."""
        return self.ram_gib

    @property
    def resident_gib(self) -> float:
        """The experts stay there."""
        return self.ram_gib


@dataclass(frozen=True)
class HybridRequest:
    """What a user asked; None leaves a setting to the default."""

    model: str
    precision: str | None = None
    context: int | None = None
    concurrency: int | None = None
    engine: str | None = None
    on: tuple[str, ...] = ()
    wish: Wish = Wish()


def hybrid_ask(request: HybridRequest, *, language: Language = "en") -> JobAsk:
    """The job to be sized. Raises UnknownModel, InputError for a model without experts."""
    model = look_up_model(request.model, language=language).model
    job = CpuJob(
        model,
        engine=cpu_engine("hybrid", request.engine, language=language),
        precision=cpu_precision("hybrid", request.precision or "q4_k_m", language=language),
        context=8192 if request.context is None else request.context,
        concurrency=1 if request.concurrency is None else request.concurrency,
    )
    check_cpu_job(job, language=language)
    table, demand = read_phrases("tools", PHRASES), HybridDemand(job, language)
    if not model.moe or not demand.experts_bytes:
        raise InputError(say(table, "not_moe", language, model=model.id))
    lower = ChangedDemand("q2_k", say(table, "change_more_gpu_layers", language), HybridDemand(replace(job, precision="q2_k"), language))
    return JobAsk(
        job="llm_inference",
        subject=model.id,
        demand=demand,
        phrase_table=PHRASES,
        settings={"engine": job.engine, "precision": job.precision, "context": job.context, "concurrency": job.concurrency, "ram_gib": round(demand.ram_gib)},
        cautions=(say(table, "slow_prefill", language),),
        changes=() if job.precision == "q2_k" else (lower,),
        solve=(
            Solvable("context", lambda context: HybridDemand(replace(job, context=context), language), 256, MAX_CONTEXT, 256, request.context),
        ),
        wish=request.wish,
        on=request.on,
        source_ids=model.source_ids,
    )


def _command(job: CpuJob, model: Model) -> str:
    name = (model.hf_id or model.id).rpartition("/")[2]
    if job.engine == "llama.cpp":
        return f"llama-server -m {name}-{job.precision.upper()}.gguf -ngl 99 --cpu-moe -c {job.context * job.concurrency} -np {job.concurrency}"
    return f"python ktransformers/server/main.py --model_path {model.hf_id} --gguf_path ./{name}-GGUF --cpu_infer 32 --max_new_tokens 2048 --cache_lens {job.context}"
