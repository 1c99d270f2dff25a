"""Weights, gradients and optimizer state of one card.

    mixed precision, AdamW    2 w + 2 g + 12 (fp32 master, two moments) = 16 bytes per trained weight    (ZeRO, arXiv 1910.02054)
    fp32 gradients            2 w + 4 g + 12 = 18                          (Megatron; DeepSpeed's copy while it steps)
    pure bf16                 2 w + 2 g + 4  = 8
    fp32                      4 w + 4 g + 8  = 16, and 2 more for the 16-bit copies of autocast
    8-bit AdamW               2 in place of the moments' 8                 (arXiv 2110.02861)

    DDP      w + g + o          ZeRO-1   w + g + o/N          ZeRO-2   w + (g + o)/N          ZeRO-3, FSDP   (w + g + o)/N
    Megatron (w + g)/(tp·pp) + o/(tp·pp·dp), experts over ep instead of tp
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from knowledge.rows import Model
from knowledge.training_facts import training_constants
from tools.weights import weights_bytes

from .job import REFERENCED, Layout, TrainingJob
from .shape import MATRICES, Shape, matrix_sizes
from .trained import Trained


@dataclass(frozen=True, slots=True)
class States:
    """Bytes on one card. `paged` of the optimizer lies in host memory until the step; `step` is borrowed by it.

    `cast` are autocast's 16-bit copies of fp32 weights, alive from forward to backward. `adapters` are the trained
    extra weights themselves (their gradients and moments are in those fields).
    """

    weights: float
    adapters: float
    gradients: float
    optimizer: float
    paged: float
    step: float
    cast: float
    copies: float


@dataclass(frozen=True, slots=True)
class Widths:
    """Bytes per trained element."""

    weight: float
    gradient: float
    optimizer: float
    step: float
    cast: float = 0.0


def states_of(job: TrainingJob, layout: Layout, shape: Shape, trained: Trained) -> States:
    """All that lives between two steps, on one card of the largest stage."""
    local = Local(layout, shape)
    groups = _groups(job, layout, shape, trained, local)
    weight, gradient, _ = layout_shares(layout)
    frozen = _frozen_bytes(job, trained, shape) * local.frozen_share(trained)
    offloaded, on_host = layout.offload != "none", job.optimizer_row.paged
    left = 1.0 - layout.offload_share if offloaded else 1.0
    moments = sum(count * widths.optimizer * share for _, count, widths, share in groups)
    gradients = sum(count * widths.gradient for _, count, widths, _ in groups) * gradient
    stepping = sum(_stepping(layout, count * share) * widths.step for _, count, widths, share in groups)
    in_place = sum(count * widths.weight for inside, count, widths, _ in groups if inside)
    beside = sum(count * widths.weight for inside, count, widths, _ in groups if not inside)
    return States(
        weights=0.0 if layout.offload == "params" else (in_place + frozen) * weight,
        adapters=beside * weight,
        gradients=0.0 if offloaded and layout.scheme != "megatron" else gradients,
        optimizer=0.0 if on_host else left * moments,
        paged=moments if on_host and not offloaded else 0.0,
        step=left * stepping,
        cast=sum(count * widths.cast for _, count, widths, _ in groups) * weight,
        copies=_other_copies(job, frozen, local, trained) * weight,
    )


def _stepping(layout: Layout, count: float) -> float:
    """Elements updated at a time: ZeRO-3 steps in groups."""
    return min(count, training_constants()["step_group"]) if layout.scheme == "zero3" else count


def _groups(
    job: TrainingJob, layout: Layout, shape: Shape, trained: Trained, local: Local
) -> list[tuple[bool, float, Widths, float]]:
    """(in place?, elements on one card, bytes per element, share of the optimizer) of everything that is trained."""
    whole, added, copy = whole_widths(job, layout, shape), adapter_widths(job, layout), copy_widths(job, layout)
    dense, routed = layout_shares(layout)[2], expert_share(layout)
    models = 2 if job.objective == "ppo" and not job.adapter else 1  # the value model is trained as well
    full = trained.whole >= shape.language
    return [
        (True, models * local.count(trained.whole - trained.whole_routed, 0, full=full), whole, dense),
        (True, models * local.count(0, trained.whole_routed), whole, routed),
        (False, local.count(trained.adapter - trained.adapter_routed, 0), added, dense),
        (False, local.count(0, trained.adapter_routed), added, routed),
        (False, trained.copies / local.divisor, copy, dense),
    ]


def layout_shares(layout: Layout) -> tuple[float, float, float]:
    """Shares of weights, gradients and optimizer that a data-parallel rank holds."""
    ranks = max(1, layout.data_parallel)
    return {
        "zero1": (1.0, 1.0, 1 / ranks),
        "zero2": (1.0, 1 / ranks, 1 / ranks),
        "zero3": (1 / ranks, 1 / ranks, 1 / ranks),
        "fsdp": (1 / ranks, 1 / ranks, 1 / ranks),
        "megatron": (1.0, 1.0, 1 / ranks),
    }.get(layout.scheme, (1.0, 1.0, 1.0))


def expert_share(layout: Layout) -> float:
    """Share of the experts' optimizer: Megatron's experts have data-parallel ranks of their own."""
    if layout.scheme != "megatron":
        return layout_shares(layout)[2]
    return 1 / max(1, layout.gpus // (max(layout.expert, layout.tensor if layout.expert == 1 else 1) * layout.pipeline))


def whole_widths(job: TrainingJob, layout: Layout, shape: Shape) -> Widths:
    """Bytes per weight that is trained in place."""
    extra = _whole_moments(job, shape)
    if sixteen_bit_with_master(layout):
        return replace(_with_master(job, layout), optimizer=4 + _moments(job, 4) + extra)
    if job.precision == "bf16":
        return Widths(2, 2, _moments(job, 2) + extra, _borrowed(job, 2))
    return Widths(4, 4, _moments(job, 4) + extra, _borrowed(job, 4), 0 if job.precision == "fp32" else 2)


def sixteen_bit_with_master(layout: Layout) -> bool:
    """DeepSpeed and Megatron keep an fp32 master copy of everything that is trained."""
    return layout.deepspeed or layout.scheme == "megatron"


def _with_master(job: TrainingJob, layout: Layout) -> Widths:
    stepping = 4 + _borrowed(job, 4) if layout.deepspeed else 0.0  # the gradients of its share in fp32, and what AdamW borrows
    return Widths(2, job.framework_row.grad_bytes, 4 + _moments(job, 4), stepping)


def adapter_widths(job: TrainingJob, layout: Layout) -> Widths:
    """Bytes per adapter weight; Transformers keeps them in fp32, DeepSpeed and Megatron in 16 bits with a master copy."""
    if sixteen_bit_with_master(layout):
        return _with_master(job, layout)
    width = job.framework_row.adapter_bytes
    return Widths(width, width, _moments(job, width), _borrowed(job, width))


def copy_widths(job: TrainingJob, layout: Layout) -> Widths:
    """Bytes per element of a trained copy of embedding or head: of the base's own type, 16 bits."""
    if sixteen_bit_with_master(layout):
        return _with_master(job, layout)
    return Widths(2, 2, _moments(job, 2), _borrowed(job, 2))


def _moments(job: TrainingJob, width: int) -> float:
    row = job.optimizer_row
    return row.state_bytes if row.state_bytes is not None else row.states * width


def _borrowed(job: TrainingJob, width: int) -> float:
    row = job.optimizer_row
    return 0.0 if row.state_bytes is not None or not row.states else width * job.framework_row.step_copies


def _whole_moments(job: TrainingJob, shape: Shape) -> float:
    """Bytes per weight over the optimizer's own width: GaLore's moments, and the fp32 ones of embeddings."""
    if job.optimizer.startswith("galore"):
        return galore_bytes(job, shape, 1 if job.optimizer.endswith("8bit") else 2) / shape.language
    if job.optimizer == "muon":
        return 4.0 * shape.embeddings / shape.language  # embeddings are left to AdamW: one moment more
    fixed = job.optimizer_row.state_bytes
    if not fixed or not job.optimizer_row.states or job.method_row.kind != "full":
        return 0.0
    table = shape.vocabulary * shape.hidden / shape.language
    return table * (training_constants()["embedding_moments"] * job.optimizer_row.states / 2 - fixed)


def galore_bytes(job: TrainingJob, shape: Shape, width: int) -> float:
    """Two moments of r x max(m, n) and a projection of r x min(m, n) per matrix; embeddings keep two full moments."""
    rank = training_constants()["galore_rank"] if job.lora_rank < 32 else job.lora_rank
    per_layer = sum(
        count * rank * (2 * max(inputs, outputs) * width + min(inputs, outputs) * 2)
        for inputs, outputs, count in matrix_sizes(shape, MATRICES)
    )
    return shape.layers * per_layer + shape.embeddings * 2 * width


@dataclass(frozen=True, slots=True)
class Local:
    """What one card holds of the model before data-parallel sharding."""

    layout: Layout
    shape: Shape

    @property
    def divisor(self) -> int:
        if self.layout.scheme == "device_map":
            return self.layout.gpus
        return self.layout.tensor

    def count(self, dense: float, routed: float, *, full: bool = False) -> float:
        """Elements on the largest stage: routed experts are divided over expert-parallel ranks, the rest over tensor ranks."""
        pipeline = self.layout.pipeline
        if self.layout.scheme == "device_map":
            return (dense + routed) / self.layout.gpus
        experts = routed / (max(self.layout.expert, self.layout.tensor if self.layout.expert == 1 else 1) * pipeline)
        ends = self.shape.embeddings if full and pipeline > 1 else 0
        body = (dense - ends) / (self.layout.tensor * pipeline)
        return body + ends / 2 / self.layout.tensor + experts

    def whole_share(self) -> float:
        """Share of the whole model on one card."""
        shape = self.shape
        return self.count(shape.total - shape.routed, shape.routed) / shape.total

    def frozen_share(self, trained: Trained) -> float:
        """Share of the frozen weights on one card: all of the model, or a part without experts."""
        if trained.frozen >= self.shape.routed:
            return self.whole_share()
        return self.count(trained.frozen, 0) / max(trained.frozen, 1)


def _frozen_bytes(job: TrainingJob, trained: Trained, shape: Shape) -> float:
    if not trained.frozen:
        return 0.0
    return base_bytes(job.model, job.base) * trained.frozen / shape.total


def base_bytes(model: Model, precision: str) -> float:
    """Bytes of all weights as a trainer loads them: 16 bits, or quantised with 16-bit embeddings."""
    if precision in ("bf16", "fp16"):
        return 2.0 * model.params_total
    return 4.0 * model.params_total if precision == "fp32" else float(weights_bytes(model, precision))


def _other_copies(job: TrainingJob, frozen: float, local: Local, trained: Trained) -> float:
    """Other models beside the policy: its frozen reference; for PPO a reward model and, beside adapters, a value model."""
    if job.objective not in REFERENCED:
        return 0.0
    if job.adapter:  # without its adapter the policy is its own reference
        return 2 * frozen if job.objective == "ppo" else 0.0
    one = base_bytes(job.model, "bf16") * local.whole_share()
    return 2 * one if job.objective == "ppo" else one
