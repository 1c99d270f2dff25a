"""Facts about training language models: methods, optimizers, frameworks, and the constants of the memory sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache

from .tables import read_csv


@dataclass(frozen=True, slots=True)
class TrainingMethod:
    """What is trained. `kind` is full | freeze | blocks | adapter; `base` is the precision in which frozen weights lie.

    `targets` of an adapter: all-linear, names of matrices, or empty for none; `embeddings`: whether copies of embedding
    and output head are trained beside it; `kept_outputs`: 16-bit copies of the adapted matrices' outputs that a layer
    keeps; `rebuilt_bytes`: bytes per element of the adapted matrices where the adapter is multiplied out to a matrix.
    """

    method: str
    label: str
    kind: str
    base: str
    targets: str
    embeddings: bool
    kept_outputs: float
    rebuilt_bytes: float
    aliases: tuple[str, ...]
    trainer_flags: str  # of `swift sft`
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class TrainingOptimizer:
    """State of an optimizer. `states` tensors as wide as the master weights, or `state_bytes` per parameter where fixed.

    `factored`: next to nothing is kept; `paged`: states lie in pinned host memory until the step.
    """

    optimizer: str
    label: str
    states: int
    state_bytes: float | None
    paged: bool
    aliases: tuple[str, ...]
    trainer_flag: str  # `--optim` of `swift sft`
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class TrainingFramework:
    """What a trainer keeps besides what the sums say for all.

    `logits` are bytes per token and vocabulary entry of the plain loss, `logits_deepspeed` under DeepSpeed,
    `logits_compiled` with torch.compile; `loss` is what the trainer uses unless told otherwise. `pure_precision`: what full training of a bf16 checkpoint keeps on one card
    (bf16: no fp32 master; mixed). `step_copies`: temporary tensors, as wide as a moment, that the optimizer step borrows (`foreach`).
    """

    framework: str
    aliases: tuple[str, ...]
    logits: float
    logits_deepspeed: float
    logits_compiled: float
    adapter_bytes: int
    single_precision: str
    step_copies: float
    keeps_inputs: bool
    fsdp_loads_whole: bool
    fused_layers: bool
    loss: str
    grad_bytes: int
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class TrainingConstant:
    """A number of the sums with its meaning. `fitted`: chosen on measured rows, else counted or taken from a source."""

    name: str
    value: float
    fitted: bool
    source_ids: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class MemoryMetric:
    """How a figure was taken: what it holds over the tensors alive at the peak, in GiB and in percent."""

    metric: str
    words: tuple[str, ...]
    adds_gib: float
    adds_pct: float
    source_ids: tuple[str, ...]
    note: str


@cache
def training_methods() -> dict[str, TrainingMethod]:
    """Methods by name, in the table's order."""
    return {row.method: row for row in read_csv(TrainingMethod, "training_methods.csv")}


@cache
def training_optimizers() -> dict[str, TrainingOptimizer]:
    """Optimizers by name."""
    return {row.optimizer: row for row in read_csv(TrainingOptimizer, "training_optimizers.csv")}


@cache
def training_frameworks() -> dict[str, TrainingFramework]:
    """Trainers by name."""
    return {row.framework: row for row in read_csv(TrainingFramework, "training_frameworks.csv")}


@cache
def training_constant_rows() -> tuple[TrainingConstant, ...]:
    """The constants with their meaning."""
    return read_csv(TrainingConstant, "training_constants.csv")


def training_constants() -> Mapping[str, float]:
    """Values of the constants by name."""
    return _TRIED.get() or _shipped_constants()


@contextmanager
def try_constants(changed: Mapping[str, float]) -> Iterator[None]:
    """Other values of some constants inside the block: for fitting them, never for an answer."""
    token = _TRIED.set({**training_constants(), **changed})
    try:
        yield
    finally:
        _TRIED.reset(token)


_TRIED: ContextVar[Mapping[str, float] | None] = ContextVar("tried training constants", default=None)


@cache
def _shipped_constants() -> Mapping[str, float]:
    return {row.name: row.value for row in training_constant_rows()}


@cache
def memory_metrics() -> tuple[MemoryMetric, ...]:
    """Ways of taking a memory figure, the first whose words are in the description counts."""
    return read_csv(MemoryMetric, "training_metrics.csv")
