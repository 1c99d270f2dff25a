"""What is to be trained or run, and the limits of what can be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from knowledge.errors import InputError
from tools.phrases import Language, read_phrases, say

from .network import Network

Precision = Literal["fp32", "fp16", "bf16"]
"""fp16 and bf16 are mixed precision (autocast): weights, gradients and optimizer states stay fp32."""
Era = Literal["modern", "legacy"]

PHRASES = "phrases/vision.toml"
MAX_SIDE = 16_384
"""Pixels a side; the largest crops that networks are trained on are 2048, slides go beyond."""
LEAST_SIDE = 16
MAX_BATCH = 65_536
MAX_CLASSES = 100_000
MAX_ACCUMULATE = 100_000
OPTIMIZER_COPIES = {"sgd": 1, "sgd-plain": 0, "rmsprop": 1, "lion": 1, "adam": 2, "adamw": 2}
"""fp32 copies of the trained weights that an optimizer keeps: momentum; first and second moment."""


@dataclass(frozen=True, slots=True)
class VisionJob:
    """One network on one GPU. `batch` is per GPU and per step of the forward pass; `accumulate` > 1 steps make one update.

    `module` ("file.py:factory") names a user's own network instead, which only the tracer knows; `trace` wants the
    tracer for a named one too. `data_parallel` is DistributedDataParallel. `era` legacy reproduces runs before
    PyTorch 1.11.
    """

    network: Network | None
    batch: int
    height: int
    width: int
    classes: int
    precision: Precision = "fp32"
    training: bool = True
    optimizer: str = "sgd"
    checkpointing: bool = False
    accumulate: int = 1
    data_parallel: bool = False
    module: str = ""
    trace: bool = False
    era: Era = "modern"
    options: tuple[str, ...] = ()

    @property
    def amp(self) -> bool:
        return self.precision != "fp32"

    @property
    def pixels(self) -> int:
        """Of all images of the batch."""
        return self.batch * self.height * self.width

    @property
    def subject(self) -> str:
        return self.module or (self.network.label if self.network else "")


def check_job(job: VisionJob, *, language: Language = "en") -> None:
    """InputError with one sentence naming the limit when the job cannot be asked for."""
    code = _broken_limit(job)
    if code is None:
        return
    raise InputError(
        say(
            read_phrases("tools", PHRASES), code, language,
            batch=job.batch, height=job.height, width=job.width, classes=job.classes, accumulate=job.accumulate,
            optimizer=repr(job.optimizer[:40]), precision=repr(str(job.precision)[:40]), optimizers=", ".join(OPTIMIZER_COPIES),
            least_side=LEAST_SIDE, max_side=MAX_SIDE, max_batch=MAX_BATCH, max_classes=MAX_CLASSES,
            max_accumulate=MAX_ACCUMULATE,
        )
    )  # fmt: skip


def _broken_limit(job: VisionJob) -> str | None:
    limits = (
        ("batch_out_of_range", 1 <= job.batch <= MAX_BATCH),
        ("side_out_of_range", all(LEAST_SIDE <= side <= MAX_SIDE for side in (job.height, job.width))),
        ("classes_out_of_range", 1 <= job.classes <= MAX_CLASSES),
        ("accumulate_out_of_range", 1 <= job.accumulate <= MAX_ACCUMULATE),
        ("unknown_optimizer", job.optimizer in OPTIMIZER_COPIES),
        ("unknown_precision", job.precision in ("fp32", "fp16", "bf16")),
    )
    return next((code for code, holds in limits if not holds), None)
