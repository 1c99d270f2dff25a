"""Main memory and disk beside the cards."""

from __future__ import annotations

from knowledge.training_facts import training_constants
from tools.units import to_gib

from .job import Layout, TrainingJob
from .shape import shape_of
from .trained import count_trained

SYSTEM_DISK_GIB = 60.0
"""System, image and Python packages of a trainer."""
CHECKPOINT_BYTES = 14
"""Bytes per trained weight of one saved state: 16-bit weights, fp32 master and moments (the trainer keeps them all)."""
KEPT_STATES = 2
"""Saved states on disk at once: the last one and the one being written."""


def host_gib(job: TrainingJob, layout: Layout) -> float:
    """Main memory: the 16-bit files while loading, and what is offloaded (DeepSpeed's estimator: x 1.5 for buffers)."""
    constant, shape = training_constants(), shape_of(job.model)
    trained = count_trained(job, shape).all
    factor = constant["offload_host_factor"]
    loading = 2.0 * shape.total
    if layout.offload == "none":
        return to_gib(loading)
    state = constant["offload_host_optimizer"] * trained * factor
    weights = 2.0 * shape.total * factor if layout.offload == "params" else 0.0
    return to_gib(max(loading, state + weights))


def disk_gib(job: TrainingJob) -> float:
    """Downloaded weights, two saved states, system; data sets are not counted."""
    shape = shape_of(job.model)
    saved = KEPT_STATES * CHECKPOINT_BYTES * count_trained(job, shape).all
    return SYSTEM_DISK_GIB + to_gib(1.2 * 2.0 * shape.total + saved)
