"""What the backward pass needs of the forward pass: activations and logits, bytes on one card.

A layer with SwiGLU, RMSNorm and grouped attention keeps, per token in 16 bits (counted from the saved tensors; the method
is that of Korthikanti et al., arXiv 2205.05198; a, k and d are query heads, key heads and head width):

    trained                  16·h + 4·a·d + 4·k·d + 8·I         = 20·h + 8·I + 4·k·d where a·d = h
    fused norms              12·h + …                             (torch.compile, Liger)
    frozen, no adapter        8·h + 4·a·d + 4·k·d + 6·I           and the input of every adapted matrix
    without FlashAttention   + 5·a·s                              the scores of one sequence of s tokens
    experts                  I = chosen · I_expert + shared, + 4·chosen·h for the sorted inputs

    no checkpointing         L layers;      full checkpointing    2·h·L, and one layer while it is computed again
    selective                all but the scores (what FlashAttention never keeps anyway)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from knowledge.training_facts import training_constants

from .job import LOG_PROBABILITIES, Layout, Loss, TrainingJob
from .shape import ATTENTION_INPUTS, FEED_FORWARD_INPUTS, Shape, matrices_of, matrix_sizes


@dataclass(frozen=True, slots=True)
class Activations:
    """Bytes on one card: kept through the forward pass, of the one layer computed again, and of the loss."""

    kept: float
    live_layer: float
    logits: float


def activations_of(job: TrainingJob, layout: Layout, shape: Shape) -> Activations:
    """Activations of one forward pass of `job.tokens` tokens."""
    tokens = job.tokens / layout.sequence
    layer = (tokens * layer_bytes(job, shape) + rebuilt_bytes(job, shape)) / layout.tensor
    layers = -(-shape.layers // layout.pipeline)
    stages = min(layout.pipeline, job.accumulation)  # 1F1B: the first stage holds one micro-batch per stage behind it
    if layout.scheme == "device_map":
        layers = -(-shape.layers // layout.gpus)
    logits = tokens * logit_bytes(job, layout, shape) / layout.tensor
    if job.checkpointing != "full":
        return Activations(layers * layer * stages, 0.0, logits)
    kept = 0.0 if job.offload_activations else tokens * training_constants()["checkpoint"] * shape.hidden / layout.tensor
    return Activations(layers * kept * stages, layer, logits)


def layer_bytes(job: TrainingJob, shape: Shape) -> float:
    """Bytes that one layer keeps per token."""
    constant = training_constants()
    sorting = constant["permuted"] * shape.chosen * shape.hidden
    attention = constant["attention_output"] * shape.query + constant["attention_kv"] * shape.key
    total = _hidden_bytes(job, shape) + attention + _feed_forward_bytes(job, shape) + sorting
    total += 2 * job.method_row.kept_outputs * _outputs(job, shape) + _kept_by_bnb(job, shape)
    if not job.flash_attention and job.checkpointing != "selective":
        total += constant["scores"] * shape.heads * job.seq
    return total


def _outputs(job: TrainingJob, shape: Shape) -> int:
    """Width of the adapted matrices' outputs, one expert's of each."""
    names = matrices_of(job.lora_targets or job.method_row.targets)
    return sum(outputs for _, outputs, _ in matrix_sizes(shape, names))


def _kept_by_bnb(job: TrainingJob, shape: Shape) -> float:
    if not job.adapter or not job.base.startswith("nf4"):
        return 0.0
    return training_constants()["kept_by_bnb"] * (2 * shape.hidden + shape.feed_forward)


def rebuilt_bytes(job: TrainingJob, shape: Shape) -> float:
    """Matrices that an adapter is multiplied out to, of one layer."""
    names = matrices_of(job.lora_targets or job.method_row.targets)
    return job.method_row.rebuilt_bytes * sum(a * b * count for a, b, count in matrix_sizes(shape, names))


def _keeps_all(job: TrainingJob) -> bool:
    """Whether every linear layer's input is kept: it is trained, or the trainer keeps it beside an adapter anyway."""
    return not job.adapter or (job.framework_row.keeps_inputs and bool(job.method_row.targets))


def _hidden_bytes(job: TrainingJob, shape: Shape) -> float:
    constant = training_constants()
    if not shape.gated:
        return constant["layer_hidden_plain"] * shape.hidden
    norms = constant["layer_hidden_fused" if _is_fused(job) else "layer_hidden"]
    if _keeps_all(job):
        return norms * shape.hidden
    norms = constant["layer_hidden_frozen"] - (constant["layer_hidden"] - norms)
    names = frozenset(matrices_of(job.lora_targets or job.method_row.targets))
    inputs = bool(names & ATTENTION_INPUTS) + bool(names & FEED_FORWARD_INPUTS)
    return (norms + 2 * inputs) * shape.hidden


def _is_fused(job: TrainingJob) -> bool:
    return job.fused_layers or job.framework_row.fused_layers or loss_of(job) == "compiled"


def _feed_forward_bytes(job: TrainingJob, shape: Shape) -> float:
    constant = training_constants()
    if not shape.gated or job.framework_row.fused_layers:
        return constant["feed_forward_fused" if shape.gated else "feed_forward_plain"] * shape.feed_forward
    frozen = not _keeps_all(job) and "down" not in matrices_of(job.lora_targets or job.method_row.targets)
    return constant["feed_forward_frozen" if frozen else "feed_forward"] * shape.feed_forward


def logit_bytes(job: TrainingJob, layout: Layout, shape: Shape) -> float:
    """Bytes of logits and loss per token; heads other than the vocabulary's cost next to nothing."""
    if job.objective in ("rm", "classify"):
        return 0.0
    row, constant = job.framework_row, training_constants()
    eager = row.logits_deepspeed if layout.deepspeed else row.logits
    if job.objective in LOG_PROBABILITIES:
        eager = max(eager, constant["preference_logits"])
    per_entry = {
        "eager": eager,
        "compiled": min(eager, row.logits_compiled),
        "chunked": min(eager, row.logits_compiled) / constant["loss_chunks"],
        "fused": constant["fused_loss"],
    }[loss_of(job)]
    return per_entry * shape.vocabulary


def loss_of(job: TrainingJob) -> Loss:
    """How the loss is computed: as asked, else as the trainer does by itself."""
    return job.loss or cast(Loss, job.framework_row.loss)
