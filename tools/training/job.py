"""What is to be trained, how it is cut over cards, and the limits of what can be asked."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Literal

from knowledge.errors import InputError
from knowledge.rows import Model
from knowledge.training_facts import (
    TrainingFramework,
    TrainingMethod,
    TrainingOptimizer,
    training_frameworks,
    training_methods,
    training_optimizers,
)
from tools.architecture import GENERATIVE
from tools.phrases import Language, read_phrases, say

PHRASES = "phrases/training.toml"

Checkpointing = Literal["none", "selective", "full"]
Loss = Literal["eager", "compiled", "chunked", "fused"]
Precision = Literal["mixed", "bf16", "fp32"]
Objective = Literal["sft", "pretrain", "dpo", "orpo", "kto", "rm", "ppo", "grpo", "classify"]
Scheme = Literal["single", "ddp", "zero1", "zero2", "zero3", "fsdp", "megatron", "device_map"]
Offload = Literal["none", "optimizer", "params"]

MAX_SEQ = 100_000_000
MAX_BATCH = 100_000
MAX_RANK = 16_384
MAX_GPUS = 100_000

PAIRED = ("dpo", "orpo", "rm")
"""Objectives that put a chosen and a rejected text through the model at once."""
LOG_PROBABILITIES = ("dpo", "orpo", "kto", "ppo", "grpo")
"""Objectives whose loss is made of log-probabilities, computed outside the model."""
REFERENCED = ("dpo", "kto", "ppo", "grpo")
"""Objectives that hold the answers against a frozen copy of the model."""

OBJECTIVE_WORDS: dict[str, Objective] = {
    "sft": "sft", "dpo": "dpo", "orpo": "orpo", "simpo": "orpo", "cpo": "orpo", "kto": "kto", "rm": "rm", "ppo": "ppo", "grpo": "grpo",
    "gspo": "grpo", "dapo": "grpo",
}  # fmt: skip
"""Objectives that are said in the place of a method: `--method dpo`, `--method "dpo lora"`."""
GALORE_WORDS = ("galore", "q-galore", "qgalore")
"""An optimizer that is said in the place of a method."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a job is cut. `sharded` schemes divide over `gpus / (tensor · pipeline · sequence)` data-parallel ranks.

    `offload_share` of the optimizer goes to main memory where it is offloaded (Megatron's `optimizer_offload_fraction`).
    """

    scheme: Scheme = "single"
    gpus: int = 1
    tensor: int = 1
    pipeline: int = 1
    expert: int = 1
    sequence: int = 1
    offload: Offload = "none"
    offload_share: float = 1.0

    @property
    def data_parallel(self) -> int:
        """Copies of the model, whole or sharded."""
        return max(1, self.gpus // (self.tensor * self.pipeline))

    @property
    def deepspeed(self) -> bool:
        """Whether DeepSpeed runs it."""
        return self.scheme in ("zero1", "zero2", "zero3")


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """One training run; sizes are per card. `seq` tokens a sequence, `micro_batch` sequences (or pairs) at once.

    `precision` mixed: fp32 master weights; bf16: weights, gradients and moments in 16 bits; fp32: all in 32.
    `trainable` overrides the counted number of adapter weights; `base_precision` the base weights' precision.
    `generations` are the answers of one prompt that GRPO rolls out at once; `rollout` where the engine runs.
    """

    model: Model
    method: str = "lora"
    seq: int = 2048
    micro_batch: int = 1
    accumulation: int = 8
    optimizer: str = "adamw"
    precision: Precision = "mixed"
    base_precision: str | None = None
    checkpointing: Checkpointing = "full"
    flash_attention: bool = True
    loss: Loss | None = None
    fused_layers: bool = False
    packing: bool = False
    objective: Objective = "sft"
    lora_rank: int = 8
    lora_targets: str | None = None
    trainable: int | None = None
    train_vision: bool = False
    vision_checkpointing: bool = True
    step_in_backward: bool = False
    offload_activations: bool = False
    framework: str = "ms-swift"
    generations: int = 8
    rollout: Literal["colocate", "sleep", "server"] = "colocate"

    @property
    def method_row(self) -> TrainingMethod:
        """Facts about the method."""
        return training_methods()[self.method]

    @property
    def optimizer_row(self) -> TrainingOptimizer:
        """Facts about the optimizer."""
        return training_optimizers()[self.optimizer]

    @property
    def framework_row(self) -> TrainingFramework:
        """Facts about the trainer."""
        return training_frameworks()[self.framework]

    @property
    def adapter(self) -> bool:
        """Whether the base weights stay frozen."""
        return self.method_row.kind == "adapter"

    @property
    def tokens(self) -> int:
        """Tokens of one forward pass."""
        pair = 2 if self.objective in PAIRED and not self.packing else 1  # packed pairs share the length
        return self.seq * self.micro_batch * pair

    @property
    def base(self) -> str:
        """Precision of the frozen weights, by its name in precisions.csv."""
        return self.base_precision or self.method_row.base


def method_name(typed: str, *, language: Language = "en") -> str:
    """Canonical name of a method. InputError when unknown."""
    return _named(typed, "method", _methods(), list(training_methods()), language)


def optimizer_name(typed: str, *, language: Language = "en") -> str:
    """Canonical name of an optimizer. InputError when unknown."""
    return _named(typed, "optimizer", _optimizers(), list(training_optimizers()), language)


def framework_name(typed: str, *, language: Language = "en") -> str:
    """Canonical name of a trainer. InputError when unknown."""
    return _named(typed, "framework", _frameworks(), list(training_frameworks()), language)


def tell_apart(method: str | None, optimizer: str | None) -> tuple[str | None, Objective | None, str | None]:
    """Method, objective and optimizer, where the latter two were said in the place of the method."""
    words = (method or "").casefold().replace("+", " ").split()
    if len(words) == 1 and words[0] in GALORE_WORDS:
        return "full", None, optimizer or "galore"
    said = [OBJECTIVE_WORDS[word] for word in words if word in OBJECTIVE_WORDS]
    if not said:
        return method, None, optimizer
    return " ".join(word for word in words if word not in OBJECTIVE_WORDS) or None, said[0], optimizer


def check_job(job: TrainingJob, layout: Layout, *, language: Language = "en") -> None:
    """InputError with one sentence naming the limit when the job cannot be asked for."""
    code = _broken_limit(job, layout)
    if code is None:
        return
    table = read_phrases("tools", PHRASES)
    raise InputError(
        say(
            table, code, language, model=job.model.id, seq=job.seq, batch=job.micro_batch, rank=job.lora_rank,
            gpus=layout.gpus, tensor=layout.tensor, pipeline=layout.pipeline, expert=layout.expert,
            heads=job.model.heads or "?", layers=job.model.layers or "?", max_seq=MAX_SEQ, max_batch=MAX_BATCH,
            max_rank=MAX_RANK, max_gpus=MAX_GPUS, accumulation=job.accumulation, generations=job.generations,
        )
    )  # fmt: skip


def _broken_limit(job: TrainingJob, layout: Layout) -> str | None:
    model, cut = job.model, layout.tensor * layout.pipeline
    limits = (
        ("not_a_language_model", model.modality in (*GENERATIVE, "encoder")),
        ("seq_out_of_range", 0 < job.seq <= MAX_SEQ),
        ("batch_out_of_range", 0 < job.micro_batch <= MAX_BATCH),
        ("rank_out_of_range", 0 < job.lora_rank <= MAX_RANK),
        ("accumulation_out_of_range", 0 < job.accumulation <= MAX_BATCH),
        ("generations_out_of_range", 0 < job.generations <= MAX_BATCH),
        ("gpus_out_of_range", 0 < layout.gpus <= MAX_GPUS),
        ("tensor_does_not_divide", layout.tensor >= 1 and (model.heads or layout.tensor) % layout.tensor == 0),
        ("pipeline_out_of_range", 1 <= layout.pipeline <= (model.layers or layout.pipeline)),
        ("expert_out_of_range", layout.expert >= 1),
        ("cut_exceeds_gpus", 1 <= cut <= layout.gpus and layout.gpus % cut == 0),
    )
    return next((code for code, holds in limits if not holds), None)


def _named(typed: str, what: str, names: dict[str, str], known: list[str], language: Language) -> str:
    found = names.get(_key(typed))
    if found is None:
        table = read_phrases("tools", PHRASES)
        raise InputError(say(table, f"unknown_{what}", language, name=repr(typed[:40]), known=", ".join(known)))
    return found


def _key(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in folded if letter not in " -_")


@cache
def _methods() -> dict[str, str]:
    rows = training_methods().values()
    return {_key(name): row.method for row in rows for name in (row.method, *row.aliases)}


@cache
def _optimizers() -> dict[str, str]:
    rows = training_optimizers().values()
    return {_key(name): row.optimizer for row in rows for name in (row.optimizer, *row.aliases)}


@cache
def _frameworks() -> dict[str, str]:
    rows = training_frameworks().values()
    return {_key(name): row.framework for row in rows for name in (row.framework, *row.aliases)}
