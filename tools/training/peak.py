"""The peak of a training step on one card: the largest of four moments, not their sum.

    loss       weights + moments + activations of the forward pass + logits          (+ gradients of earlier micro-batches)
    backward   weights + moments + activations + the layer computed again + what is unpacked
    end        weights + moments + gradients + one layer
    step       weights + moments + gradients + what the optimizer borrows

and, whatever the moment, the buffers of the way it is cut and what the measure itself adds (CUDA context, workspaces).
"""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.training_facts import MemoryMetric, memory_metrics, training_constants
from tools.phrases import Language
from tools.units import from_gib

from .activations import Activations, activations_of
from .job import Layout, TrainingJob, check_job
from .rollout import rollout_bytes
from .shape import Shape, shape_of
from .states import States, base_bytes, states_of
from .trained import Trained, count_trained


@dataclass(frozen=True, slots=True)
class TrainingSum:
    """Bytes on one card at the peak; `parts` sum to `total`. `moment` is loss | backward | end | step | load."""

    parts: dict[str, float]
    moment: str
    trained: Trained
    shape: Shape
    states: States
    activations: Activations

    @property
    def total(self) -> float:
        """Bytes at the peak."""
        return sum(self.parts.values())


def training_sum(
    job: TrainingJob, layout: Layout, *, metric: str = "device", language: Language = "en"
) -> TrainingSum:
    """The account of one job cut that way. `metric` names a row of training_metrics.csv.

    Raises InputError with one sentence when the job cannot be asked for or be cut that way.
    """
    check_job(job, layout, language=language)
    shape = shape_of(job.model)
    trained = count_trained(job, shape)
    states = states_of(job, layout, shape, trained)
    kept = activations_of(job, layout, shape)
    moments = dict(_moments(job, layout, shape, states, kept))
    moment = max(moments, key=lambda name: sum(moments[name].values()))
    parts = {**moments[moment]}
    parts["weights"] += states.copies
    parts["buffers"] = parts.get("buffers", 0.0) + _buckets(layout, states)
    if rollout := rollout_bytes(job, layout, shape):
        parts["rollout"] = rollout
    if layout.expert > 1:
        parts["buffers"] += training_constants()["expert_fragments"] * sum(parts.values())
    parts["engine"] = _context(metric_row(metric), sum(parts.values()))
    return TrainingSum({k: v for k, v in parts.items() if v}, moment, trained, shape, states, kept)


def metric_row(name: str) -> MemoryMetric:
    """A way of measuring by its name."""
    return next(row for row in memory_metrics() if row.metric == name)


def _moments(
    job: TrainingJob, layout: Layout, shape: Shape, states: States, kept: Activations
) -> dict[str, dict[str, float]]:
    standing = {"weights": states.weights, "adapters": states.adapters, "optimizer": states.optimizer}
    gradients = 0.0 if job.step_in_backward else states.gradients
    earlier = gradients if _keeps_gradients(job, layout) else 0.0
    largest = 2.0 * max(shape.layer, shape.vocabulary * shape.hidden) / layout.tensor
    streamed = job.step_in_backward or (layout.offload != "none" and layout.scheme != "megatron")
    gathered = _gathered(job, layout, shape)
    one_layer = largest if streamed and not job.adapter else 0.0
    paged = 0.0 if job.step_in_backward else states.paged  # layer by layer, the moments can stay in main memory
    moments = {
        "loss": {
            "gradients": earlier, "activations": kept.kept, "logits": kept.logits, "buffers": states.cast + gathered,
        },
        "backward": {
            "gradients": max(earlier, one_layer), "activations": kept.kept + kept.live_layer,
            "buffers": _unpacked(job, shape, layout) + gathered,
        },
        "end": {
            "gradients": max(gradients, one_layer), "activations": kept.live_layer,
            "buffers": _unpacked(job, shape, layout) + gathered,
        },
        "step": {"gradients": gradients, "optimizer": states.optimizer + paged, "buffers": states.step},
    }  # fmt: skip
    found = {name: {**standing, **parts} for name, parts in moments.items()}
    if job.framework_row.fsdp_loads_whole and layout.scheme == "fsdp":
        flattened = _gathered(job, layout, shape)  # the unit that is being cut is there once more
        found["load"] = {**standing, "weights": states.weights * (1 + layout.data_parallel), "buffers": flattened}
    return found


def _keeps_gradients(job: TrainingJob, layout: Layout) -> bool:
    """Whether gradients stand while the loss is computed: from the micro-batch before, or in buffers made at the start."""
    return job.accumulation > 1 or layout.scheme == "megatron"


def _unpacked(job: TrainingJob, shape: Shape, layout: Layout) -> float:
    """Quantised weights are unpacked matrix by matrix."""
    if job.base in ("bf16", "fp16", "fp32"):
        return 0.0
    constant = training_constants()
    width = constant["dequantise" if job.base in ("gptq", "int4") else "dequantise_nf4"]
    return width * shape.largest_matrix / layout.tensor


def _gathered(job: TrainingJob, layout: Layout, shape: Shape) -> float:
    """Weights fetched from the other cards: layers, embedding and head; none are held in the optimizer step."""
    if layout.scheme not in ("zero3", "fsdp"):
        return 0.0
    constant, suffix = training_constants(), "" if layout.scheme == "zero3" else "_fsdp"
    quantised = base_bytes(job.model, job.base) / base_bytes(job.model, "bf16") if job.adapter else 1.0
    ahead = min(shape.layer, constant["live_elements"]) if layout.scheme == "zero3" else shape.layer
    layers = (2 * shape.layer + constant[f"gather_layers{suffix}"] * ahead) * quantised
    return layers + constant[f"gather_embedding{suffix}"] * shape.vocabulary * shape.hidden


def _buckets(layout: Layout, states: States) -> float:
    """Buckets in which gradients are exchanged, and NCCL."""
    constant, nccl = training_constants(), _collectives(layout)
    if layout.scheme in ("zero1", "zero2"):
        return nccl + min(constant["zero_bucket"] * constant["bucket_elements"], states.gradients * layout.data_parallel)
    return nccl + (constant["ddp_bucket"] * states.gradients if layout.scheme == "ddp" else 0.0)


def _collectives(layout: Layout) -> float:
    """Buffers of NCCL; Megatron has a group for every way of cutting, and workspaces of its kernels."""
    if layout.scheme == "megatron":
        return from_gib(training_constants()["megatron_gib"])
    return from_gib(training_constants()["nccl_gib"]) if layout.gpus > 1 and layout.scheme != "device_map" else 0.0


def _context(row: MemoryMetric, live: float) -> float:
    return from_gib(row.adds_gib) + live * row.adds_pct / 100
