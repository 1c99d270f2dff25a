"""The engine that writes GRPO's answers, where it shares the card with the trainer."""

from __future__ import annotations

from knowledge.training_facts import training_constants
from tools.architecture import complete_shape
from tools.kv_cache import kv_layout
from tools.units import from_gib

from .job import Layout, TrainingJob
from .shape import Shape

STEP_TOKENS = 2048


def rollout_bytes(job: TrainingJob, layout: Layout, shape: Shape) -> float:
    """Weights in 16 bits, KV cache of the answers written at once, graphs and sampler of the rollout engine.

    An engine on cards of its own (server) or asleep while the trainer works (sleep) takes nothing at the trainer's peak.
    """
    if job.objective != "grpo" or job.rollout != "colocate":
        return 0.0
    cut = layout.tensor if layout.scheme == "megatron" else 1
    cache = kv_layout(complete_shape(job.model), 2.0)
    answers = job.generations * cache.sequence_bytes(job.seq, step_tokens=STEP_TOKENS)
    return (2.0 * shape.total + answers) / cut + from_gib(training_constants()["rollout_engine_gib"])
