"""Results of sizing inference on a CPU."""

from __future__ import annotations

from tools.results import Estimate, Job, Result, TokensPerSecond


class CpuChoice(Result):
    """One CPU family. Without an `instance_type` the reason says why none is named."""

    family: str
    instance_type: str | None
    vcpu: int | None
    memory_gib: float | None
    gib_per_vcpu: int
    arch: str
    kernels: str  # amx | avx512 | neon
    fits: bool
    tokens_per_s: TokensPerSecond | None = None  # one sequence
    reason: str
    cautions: list[str] = []
    source_ids: list[str] = []


class CpuChange(Result):
    """One single change and the main memory that is then needed."""

    code: str
    what: str
    memory_gib: float
    saves_gib: float


class CpuSizing(Result):
    """What a model needs on a CPU instance, and which one. `estimate.per_gpu_gib` is main memory; `gpus` is 0.

    `memory_gib` is what the instance must have: the sum and a tenth. `families` suit, the best first; `not_suited`
    are families that were named, or are often named, and why not.
    """

    job: Job
    subject: str
    settings: dict[str, str | int | float | bool | None]
    estimate: Estimate
    memory_gib: float
    families: list[CpuChoice]
    not_suited: list[CpuChoice]
    changes: list[CpuChange]
    assumed: list[str]
    cautions: list[str]
    source_ids: list[str]
