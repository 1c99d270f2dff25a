"""What can be traced and what comes back: plain data, without torch, and as JSON for the worker process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Literal

from knowledge.errors import InputError
from tools.phrases import Language, read_phrases, say

Precision = Literal["fp32", "fp16", "bf16"]
"""fp16 and bf16 are mixed precision by autocast: weights, gradients and optimizer states stay fp32."""
Option = str | int | float | bool

MAX_SIDE = 16_384
"""Pixels a side; the largest crops that segmentation networks are trained on are 2048, medical slides go beyond."""
MAX_BATCH = 4_096
MAX_CLASSES = 100_000
OPTIMIZER_STATES = {"sgd": 1, "sgd-plain": 0, "adam": 2, "adamw": 2, "rmsprop": 1, "lion": 1}
"""fp32 copies of the trained weights that the optimizer keeps: momentum; first and second moment."""


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """One training step (or forward pass) on one GPU of a named network or of a user's own module.

    `network` as people write it ("deeplabv3+ r101"); `module` is "file.py:factory". `options` are details of the network
    (networks.py). `old_torch` reproduces runs of PyTorch before 1.11; `workspace` adds cuDNN's Winograd buffers.
    `gradients_stay`: zero_grad() zeroes gradients and keeps them, as before PyTorch 2.0 (`old_torch` and `accumulate` imply it).
    `data_parallel` is DistributedDataParallel with its buckets. `accumulate` > 1 keeps gradients through the forward pass.
    """

    network: str = ""
    module: str = ""
    classes: int = 19
    height: int = 512
    width: int = 512
    channels: int = 3
    batch: int = 2
    training: bool = True
    precision: Precision = "fp32"
    optimizer: str = "sgd"
    data_parallel: bool = False
    accumulate: int = 1
    checkpointing: bool = False
    frozen_stages: int = 0
    sync_bn: bool = False
    old_torch: bool = False
    gradients_stay: bool = False
    workspace: bool = True
    options: Mapping[str, Option] = field(default_factory=dict)

    @classmethod
    def from_json(cls, values: Mapping[str, object]) -> TraceRequest:
        """From parsed JSON. InputError names fields that do not exist."""
        known = {item.name for item in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise InputError(f"A trace request has no field {', '.join(unknown)}.")
        return replace(cls(), **values)  # type: ignore[arg-type]

    def as_json(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TraceParts:
    """Bytes at the moment of the peak; they sum to `allocated`.

    `activations` is everything alive besides the other parts: inputs, saved tensors, gradients in flight.
    """

    weights: int
    gradients: int
    optimizer: int
    buckets: int
    activations: int
    workspace: int

    @property
    def total(self) -> int:
        return self.weights + self.gradients + self.optimizer + self.buckets + self.activations + self.workspace


@dataclass(frozen=True, slots=True)
class TraceResult:
    """Bytes of one GPU: `allocated` as max_memory_allocated() reports it, `reserved` what the caching allocator takes from
    the card (the CUDA context comes on top). `saved` is what the forward pass leaves alive for the backward pass.
    `peak_at` names the operation and `phase` the part of the step where the peak is; `notes` are codes of phrases/trace.toml.
    """

    network: str
    parameters: int
    parts: TraceParts
    allocated: int
    reserved: int
    saved: int
    phase: str
    peak_at: str
    seconds: float
    notes: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, values: Mapping[str, object]) -> TraceResult:
        plain = dict(values)
        parts = plain.pop("parts")
        notes = plain.pop("notes")
        assert isinstance(parts, dict) and isinstance(notes, list)
        return cls(parts=TraceParts(**parts), notes=tuple(notes), **plain)  # type: ignore[arg-type]

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def phrase_table() -> dict[str, dict[str, str]]:
    return read_phrases("tools", "phrases/trace.toml")


def check_request(request: TraceRequest, *, language: Language = "en") -> None:
    """InputError with one sentence naming the limit when the request cannot be asked for."""
    code = _broken_limit(request)
    if code is None:
        return
    raise InputError(
        say(
            phrase_table(), code, language,
            height=request.height, width=request.width, batch=request.batch, classes=request.classes, max_side=MAX_SIDE,
            max_batch=MAX_BATCH, max_classes=MAX_CLASSES, optimizer=repr(request.optimizer[:40]),
            optimizers=", ".join(OPTIMIZER_STATES), precision=repr(str(request.precision)[:40]),
        )
    )  # fmt: skip


def _broken_limit(request: TraceRequest) -> str | None:
    limits = (
        ("names_one", bool(request.network) != bool(request.module)),
        ("side_out_of_range", all(16 <= side <= MAX_SIDE for side in (request.height, request.width))),
        ("batch_out_of_range", 1 <= request.batch <= MAX_BATCH),
        ("classes_out_of_range", 1 <= request.classes <= MAX_CLASSES),
        ("channels_out_of_range", 1 <= request.channels <= 1_000),
        ("unknown_optimizer", request.optimizer in OPTIMIZER_STATES),
        ("unknown_precision", request.precision in ("fp32", "fp16", "bf16")),
        ("accumulate_out_of_range", request.accumulate >= 1),
    )
    return next((code for code, holds in limits if not holds), None)
