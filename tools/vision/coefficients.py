"""Memory of a named network by the coefficients of our own tracer. Needs no torch.

    training:   peak = max( P + B + O + D + [G] + dynamic ,  P + B + O + D + G + step )
    inference:  peak = P + B + dynamic
    dynamic  =  max( loss_a + (loss_b + loss_k · classes) · N·px + loss_c · N·px² ,  body_a + body_b · N·px + body_c · N·px² )

P weights, G gradients, O optimizer states, D buckets of DistributedDataParallel (4 bytes each), B buffers. G stands
through the whole step only where gradients are kept (accumulation; old PyTorch zeroed them in place); else `dynamic`
counts the gradients alive at the peak.
"""

from __future__ import annotations

from knowledge.vision_facts import VisionMemory, vision_memory

from .account import ELEMENT, VisionAccount
from .job import OPTIMIZER_COPIES, VisionJob

STEP_COPIES = 1
"""fp32 copies of the trained weights that a fused-by-lists ("foreach") optimizer step needs for a moment."""


def find_coefficients(job: VisionJob) -> VisionMemory | None:
    """The row of the job's network in its era, phase and precision; None where there is none.

    Legacy rows exist for training only and modern ones stand in elsewhere.
    """
    if job.network is None:
        return None
    phase = "training" if job.training else "inference"
    precision = "amp" if job.amp else "fp32"
    eras = ("legacy", "modern") if job.era == "legacy" else ("modern",)
    keys = [(job.network.id, era, phase, precision, job.checkpointing and job.training) for era in eras]
    return next((vision_memory()[key] for key in keys if key in vision_memory()), None)


def by_coefficients(job: VisionJob, row: VisionMemory) -> VisionAccount:
    """The account of a job by the coefficients of its network."""
    extra = round(row.parameters_per_class * (job.classes - row.classes))
    weights = ELEMENT * (row.parameters + extra) + row.buffers
    trained = ELEMENT * (row.trained + extra)
    dynamic = round(dynamic_bytes(job, row))
    if not job.training:
        return VisionAccount(weights, 0, 0, 0, dynamic, cached_pct=row.cached_pct, heldout_pct=row.heldout_pct)
    optimizer = OPTIMIZER_COPIES[job.optimizer] * trained
    buckets = trained if job.data_parallel else 0
    kept = trained if job.accumulate > 1 or row.era == "legacy" else 0
    step = trained * (1 + STEP_COPIES)
    if kept + dynamic < step:
        return VisionAccount(
            weights, trained, optimizer, buckets, step - trained, cached_pct=row.cached_pct, way="coefficients",
            heldout_pct=row.heldout_pct, notes=("peak_in_step",),
        )  # fmt: skip
    return VisionAccount(
        weights, kept, optimizer, buckets, dynamic, cached_pct=row.cached_pct, heldout_pct=row.heldout_pct
    )


def dynamic_bytes(job: VisionJob, row: VisionMemory) -> float:
    """Bytes that live only within a step, at their peak."""
    pixels, squared = job.pixels, job.pixels**2 / job.batch
    loss = row.loss_a + (row.loss_b + row.loss_k * job.classes) * pixels + row.loss_c * squared
    body = row.body_a + row.body_b * pixels + row.body_c * squared
    return max(loss, body)
