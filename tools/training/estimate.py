"""The Estimate of a training job on one kind of card: parts, band, assumptions in words, the command."""

from __future__ import annotations

from collections.abc import Iterator

from knowledge.facts import error_bands, precisions
from knowledge.rows import Gpu, MeasuredBand
from knowledge.training_facts import memory_metrics
from tools.phrases import Language, read_phrases, say
from tools.results import Band, ErrorBand, Estimate
from tools.units import to_gib

from .activations import loss_of
from .commands import train_command
from .host import host_gib
from .job import PAIRED, PHRASES, REFERENCED, Layout, TrainingJob
from .peak import TrainingSum, training_sum


def estimate_training(
    job: TrainingJob, layout: Layout, gpu: Gpu, *, language: Language = "en", machines: int = 1
) -> Estimate:
    """What one card needs at the peak of a step, as nvidia-smi shows it."""
    account = training_sum(job, layout, language=language)
    return make_estimate(job, layout, gpu, account, language=language, machines=machines)


def make_estimate(
    job: TrainingJob, layout: Layout, gpu: Gpu, account: TrainingSum, *, language: Language, machines: int = 1
) -> Estimate:
    """The Estimate of a sum that is there already."""
    parts = {name: to_gib(size) for name, size in account.parts.items()}
    best, band = sum(parts.values()), measured_band(job, layout)
    return Estimate(
        job="llm_training",
        per_gpu_gib=Band(low=best * (1 + band.low_pct / 100), best=best, high=best * (1 + band.high_pct / 100)),
        gpus=layout.gpus,
        parts=parts,
        will_show_gib=best,
        assumptions=list(assumptions(job, layout, account, language)),
        error_band=ErrorBand(low_pct=band.low_pct, high_pct=band.high_pct, n=band.n, **{"from": band.measured_in}),
        command=train_command(job, layout, gpu, machines=machines),
        source_ids=_source_ids(job, gpu),
    )


def measured_band(job: TrainingJob, layout: Layout) -> MeasuredBand:
    """Range of measured runs of the same kind."""
    return error_bands()[f"training_{band_group(job, layout)}"]


def band_group(job: TrainingJob, layout: Layout) -> str:
    """Kind of run that a range stands for: megatron | sharded | quantised | adapter | full."""
    if layout.scheme == "megatron":
        return "megatron"
    if layout.gpus > 1 or layout.deepspeed:
        return "sharded"
    if not job.adapter:
        return "full"
    return "adapter" if job.base in ("bf16", "fp16", "fp32") else "quantised"


def assumptions(job: TrainingJob, layout: Layout, account: TrainingSum, language: Language) -> Iterator[str]:
    """What the figure takes for granted, in words."""
    table = read_phrases("tools", PHRASES)
    arguments = {
        "framework": job.framework, "method": job.method_row.label, "rank": job.lora_rank, "seq": job.seq, "batch": job.micro_batch,
        "targets": job.lora_targets or job.method_row.targets or "-", "accumulation": job.accumulation,
        "trained": f"{account.trained.all / 1e6:,.1f}", "optimizer": job.optimizer_row.label, "gpus": layout.gpus,
        "scheme": _scheme_words(layout), "tensor": layout.tensor, "pipeline": layout.pipeline, "expert": layout.expert,
        "data": layout.data_parallel, "objective": job.objective.upper(), "base": job.base,
        "host": f"{host_gib(job, layout):,.0f}", "metric": _metric_note(), "generations": job.generations,
        "total": job.micro_batch * job.accumulation * layout.data_parallel,
    }  # fmt: skip
    for code in _codes(job, layout, account):
        yield say(table, code, language, **arguments)


def _codes(job: TrainingJob, layout: Layout, account: TrainingSum) -> Iterator[str]:
    yield "assume_trainer"
    yield f"assume_method_{'adapter' if job.adapter else job.method_row.kind}"
    yield from _base_codes(job)
    yield "assume_batch"
    yield "assume_packed" if job.packing else "assume_unpacked"
    yield _state_code(job, layout)
    yield f"assume_checkpointing_{job.checkpointing}"
    yield "assume_flash" if job.flash_attention else "assume_no_flash"
    yield f"assume_loss_{loss_of(job)}"
    yield f"assume_layout_{layout.scheme}"
    if layout.offload != "none":
        yield f"assume_offload_{layout.offload}"
    if job.optimizer_row.paged:
        yield "assume_paged"
    if job.model.vision_params and not job.train_vision:
        yield "assume_vision_frozen"
    if job.model.moe:
        yield "assume_experts"
    yield from _objective_codes(job)
    yield f"assume_peak_{account.moment}"
    yield "assume_shown"


def _base_codes(job: TrainingJob) -> Iterator[str]:
    if job.adapter and job.base in precisions() and job.base not in ("bf16", "fp16"):
        yield "assume_base"


def _state_code(job: TrainingJob, layout: Layout) -> str:
    if layout.deepspeed or layout.scheme == "megatron":
        return "assume_states_master"
    if job.adapter:
        return "assume_states_adapter"
    return f"assume_states_{job.precision}"


def _objective_codes(job: TrainingJob) -> Iterator[str]:
    if job.objective in PAIRED:
        yield "assume_pairs_packed" if job.packing else "assume_pairs"
    if job.objective in REFERENCED:
        kind = "ppo" if job.objective == "ppo" else "reference"
        yield f"assume_{kind}_{'adapter' if job.adapter else 'copy'}"
    if job.objective == "grpo":
        yield f"assume_rollout_{job.rollout}"


def _scheme_words(layout: Layout) -> str:
    names = {"zero1": "ZeRO-1", "zero2": "ZeRO-2", "zero3": "ZeRO-3", "fsdp": "FSDP", "ddp": "DDP", "megatron": "Megatron"}
    return names.get(layout.scheme, layout.scheme)


def _metric_note() -> str:
    row = next(row for row in memory_metrics() if row.metric == "device")
    return f"{row.adds_gib:g} GiB + {row.adds_pct:g} %"


def _source_ids(job: TrainingJob, gpu: Gpu) -> list[str]:
    rows = (job.method_row.source_ids, job.optimizer_row.source_ids, job.framework_row.source_ids)
    named = (*job.model.source_ids, *(source for ids in rows for source in ids), "recompute-paper", *gpu.source_ids)
    return list(dict.fromkeys(named))
