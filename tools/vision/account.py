"""The account of one job on one GPU, in bytes, whichever way it was made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tools.units import from_gib

Basis = Literal["formula", "measured coefficients", "traced"]

CONTEXT_BYTES = from_gib(0.5)
"""CUDA context and libraries outside PyTorch's allocator. Our assumption; nvidia-smi counts it, PyTorch does not."""
CACHED_PCT = 8.0
"""What the caching allocator reserves beyond what is allocated, where no trace says: median of 179 replayed steps."""
ELEMENT = 4
"""Bytes of fp32: weights, gradients and optimizer states, also under AMP."""


@dataclass(frozen=True, slots=True)
class VisionAccount:
    """Bytes at the moment of the peak. `activations` is all that lives besides: inputs, saved tensors, the loss,
    gradients in flight, and in legacy coefficients cuDNN's workspace.

    `way` is how it was found: coefficients | fitted | traced | preset | step; `allocated` is what
    `torch.cuda.max_memory_allocated()` reports; nvidia-smi shows the cached share and the CUDA context too.
    """

    weights: int
    gradients: int
    optimizer: int
    buckets: int
    activations: int
    workspace: int = 0
    cached_pct: float = CACHED_PCT
    way: str = "coefficients"
    outside: int = CONTEXT_BYTES
    heldout_pct: float = 0.0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def allocated(self) -> int:
        return self.weights + self.gradients + self.optimizer + self.buckets + self.activations + self.workspace

    @property
    def cached(self) -> int:
        """Held by PyTorch's allocator and not in use at the peak."""
        return round(self.allocated * self.cached_pct / 100)

    @property
    def required(self) -> int:
        """What the card must have: reserved by the allocator, and the CUDA context."""
        return self.allocated + self.cached + self.outside

    @property
    def basis(self) -> Basis:
        return {"traced": "traced", "coefficients": "measured coefficients", "fitted": "measured coefficients"}.get(
            self.way, "formula"
        )  # type: ignore[return-value]
