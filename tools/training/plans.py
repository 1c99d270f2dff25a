"""How a job is cut over a number of cards: as asked, else the plainest way that fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .job import Layout, Offload, Scheme, TrainingJob

PLAIN: tuple[Scheme, ...] = ("ddp", "zero2", "zero3")
"""Copies first: they exchange gradients only; ZeRO-3 exchanges weights in every layer."""
QUANTISED: tuple[Scheme, ...] = ("ddp", "fsdp")
"""4-bit and 8-bit weights are sharded by FSDP, not by DeepSpeed."""
UNSHARDED: tuple[Scheme, ...] = ("ddp",)
"""Optimizers that look at whole matrices are not sharded."""


def plan(
    job: TrainingJob, gpus: int, *, asked: Layout | None, offload: Offload, fits: Callable[[Layout], bool]
) -> Layout | None:
    """The layout on that many cards; None where the job cannot be cut that way.

    `asked` fixes scheme and degrees, its number of cards left aside; `fits` tells whether a card holds a layout.
    """
    if asked is not None and asked.scheme != "single":
        return _as_asked(asked, gpus, offload)
    if gpus == 1:
        return Layout("zero3" if offload == "params" else "zero2" if offload == "optimizer" else "single", 1, offload=offload)
    ways = [Layout(scheme, gpus, offload=offload) for scheme in schemes(job, offload)]
    return next((way for way in ways if fits(way)), ways[-1])


def schemes(job: TrainingJob, offload: Offload) -> tuple[Scheme, ...]:
    """Ways of using several cards, the plainest first."""
    if offload != "none":
        return ("zero3",) if offload == "params" else ("zero2", "zero3")
    if job.optimizer.startswith(("galore", "muon")):
        return UNSHARDED
    return QUANTISED if job.adapter and job.base not in ("bf16", "fp16", "fp32") else PLAIN


def _as_asked(asked: Layout, gpus: int, offload: Offload) -> Layout | None:
    cut = asked.tensor * asked.pipeline
    if gpus % cut or gpus < max(cut, asked.expert) or gpus % asked.sequence:
        return None
    if gpus == 1 and asked.scheme in ("ddp", "fsdp"):
        return Layout("single", 1, offload=offload)
    return replace(asked, gpus=gpus, offload=offload)
