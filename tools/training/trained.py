"""How many weights a method trains, and how many it leaves frozen. Elements of the whole model, before any cut."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.training_facts import training_constants

from .job import TrainingJob
from .shape import Shape, matrices_of, matrix_sizes


@dataclass(frozen=True, slots=True)
class Trained:
    """Elements by what is kept of them.

    `whole`: trained in place, with their experts `whole_routed`; `adapter`: added beside the frozen weights, with
    `adapter_routed` of them on experts; `copies`: trained copies of embedding and output head; `frozen`: the rest.
    """

    whole: int = 0
    whole_routed: int = 0
    adapter: int = 0
    adapter_routed: int = 0
    copies: int = 0
    frozen: int = 0

    @property
    def all(self) -> int:
        """Everything with a gradient."""
        return self.whole + self.adapter + self.copies


def count_trained(job: TrainingJob, shape: Shape) -> Trained:
    """Trained and frozen elements of the job's method."""
    kind = job.method_row.kind
    if kind == "full":
        whole = shape.total if job.train_vision else shape.language
        return Trained(whole=whole, whole_routed=shape.routed, frozen=shape.total - whole)
    if kind in ("freeze", "blocks"):
        return _some_layers(job, shape)
    adapter, routed = _adapter(job, shape)
    vision = shape.vision if job.method == "lora_vision" or job.train_vision else 0
    copies = shape.vocabulary * shape.hidden * 2 if job.method_row.embeddings else 0
    return Trained(
        whole=vision, adapter=adapter, adapter_routed=routed, copies=copies, frozen=shape.total - vision
    )


def _some_layers(job: TrainingJob, shape: Shape) -> Trained:
    """The last layers trained in place, or whole layers added."""
    added = job.method_row.kind == "blocks"
    layers = training_constants()["pro_blocks" if added else "freeze_layers"]
    whole = job.trainable or round(min(layers, shape.layers) * shape.layer)
    return Trained(whole=whole, frozen=shape.total if added else shape.total - whole)


def _adapter(job: TrainingJob, shape: Shape) -> tuple[int, int]:
    """(elements, those on experts): sum of r·(in + out) over the target matrices (LoRA, arXiv 2106.09685)."""
    if job.trainable is not None:
        return job.trainable, 0
    targets = job.lora_targets or job.method_row.targets
    if not targets:
        return _virtual_tokens(shape), 0
    names = matrices_of(targets)
    sizes = list(matrix_sizes(shape, names))
    per_layer = sum(job.lora_rank * (inputs + outputs) * count for inputs, outputs, count in sizes)
    routed = sum(job.lora_rank * (inputs + outputs) * count for inputs, outputs, count in sizes if count > 1)
    head = job.lora_rank * (shape.hidden + shape.vocabulary) if "output" in targets or "lm_head" in targets else 0
    return shape.layers * per_layer + head, shape.layers * routed


def _virtual_tokens(shape: Shape) -> int:
    """Trained keys and values of every layer."""
    return round(training_constants()["virtual_tokens"]) * shape.layers * 2 * shape.key
