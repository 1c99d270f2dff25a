"""Single changes of a training job that save memory, the cheapest to the user first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tools.demand import Demand
from tools.jobs.ask import ChangedDemand, Solvable
from tools.phrases import read_phrases, say

from .activations import loss_of
from .demand import TrainingDemand
from .job import LOG_PROBABILITIES, MAX_RANK, PHRASES, Layout, TrainingJob

CUT_SEQ, CUT_RANKS = 16_384, 8
"""From this length on a sequence may be cut over the cards of a machine (ms-swift's `--sequence_parallel_size`)."""
LONGEST_SOLVED, MOST_SEQUENCES = 1 << 20, 4096
"""Where the search for the longest sequence and the largest batch ends."""


def single_changes(demand: TrainingDemand) -> tuple[ChangedDemand, ...]:
    """Changes in order of what they cost: none, some speed, some quality, much speed."""
    table = read_phrases("tools", PHRASES)
    return tuple(
        ChangedDemand(code, say(table, f"change_{code}", demand.language), _clean(changed)) for code, changed in _changes(demand)
    )


def solvables(demand: TrainingDemand, *, seq: int | None, batch: int | None, rank: int | None) -> tuple[Solvable, ...]:
    """Longest sequence, largest batch and, for LoRA, highest rank; the arguments are what was wished."""
    found = [
        Solvable("context", lambda value: _with(demand, replace(demand.job, seq=value)), 128, LONGEST_SOLVED, 128, seq),
        Solvable("batch", lambda value: _with(demand, replace(demand.job, micro_batch=value)), 1, MOST_SEQUENCES, 1, batch),
    ]
    if demand.job.adapter and demand.job.method_row.targets and demand.job.trainable is None:
        found.append(Solvable("lora-rank", lambda value: _with(demand, replace(demand.job, lora_rank=value)), 1, MAX_RANK, 1, rank))
    return tuple(found)


def _changes(demand: TrainingDemand) -> Iterator[tuple[str, TrainingDemand]]:
    job = demand.job
    yield from _free(demand)
    if job.micro_batch > 1:
        halved = replace(job, micro_batch=job.micro_batch // 2, accumulation=2 * job.accumulation)
        yield "half_batch", replace(demand, job=halved)
    if job.objective == "grpo" and job.rollout == "colocate":
        yield "sleep", replace(demand, job=replace(job, rollout="sleep"))
    if job.optimizer == "adamw" and not job.adapter:
        yield "adamw_8bit", replace(demand, job=replace(job, optimizer="adamw_8bit"))
    if job.precision == "mixed" and not job.adapter and demand.asked is None and demand.offload == "none":
        yield "bf16", replace(demand, job=replace(job, precision="bf16"))
    if demand.asked is not None and demand.asked.scheme in ("ddp", "zero1", "zero2"):
        yield "zero3", replace(demand, asked=Layout("zero3", demand.asked.gpus))
    if job.seq >= 1024:
        yield "half_seq", replace(demand, job=replace(job, seq=job.seq // 2))
    yield from _dear(demand)


def _free(demand: TrainingDemand) -> Iterator[tuple[str, TrainingDemand]]:
    """What costs no quality."""
    job = demand.job
    if not job.flash_attention:
        yield "flash", replace(demand, job=replace(job, flash_attention=True))
    if loss_of(job) != "fused" and job.objective not in ("rm", "classify", *LOG_PROBABILITIES):
        yield "fused_loss", replace(demand, job=replace(job, loss="fused", fused_layers=True))
    if job.seq >= CUT_SEQ and demand.asked is None and demand.offload == "none" and job.framework == "ms-swift":
        yield "sequence_parallel", replace(demand, asked=Layout("zero3", CUT_RANKS, sequence=CUT_RANKS))
    if job.checkpointing != "full":
        yield "checkpointing", replace(demand, job=replace(job, checkpointing="full"))


def _dear(demand: TrainingDemand) -> Iterator[tuple[str, TrainingDemand]]:
    """What changes the method, or takes the optimizer off the card."""
    job = demand.job
    if job.method in ("lora", "dora", "lora_8bit"):
        yield "qlora", replace(demand, job=replace(job, method="qlora", base_precision=None))
    if not job.adapter:
        yield "lora", replace(demand, job=replace(job, method="lora", trainable=None, base_precision=None))
    if not job.adapter and demand.offload == "none":
        yield "offload_optimizer", replace(demand, offload="optimizer")
    if demand.offload != "params" and (demand.asked is None or demand.asked.scheme != "megatron"):
        yield "offload_params", replace(demand, offload="params", asked=None)


def _with(demand: TrainingDemand, job: TrainingJob) -> Demand:
    return _clean(replace(demand, job=job))


def _clean(demand: TrainingDemand) -> TrainingDemand:
    """Without the sums of the demand it was made from."""
    return replace(demand, _seen={}, _sums={})
