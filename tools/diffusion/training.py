"""Peak memory of training the denoiser: weights, adapters, gradients, optimizer states, what a step keeps.

    LoRA   W + A·(2 + 2 + o)                     A = 8 · rank · h · blocks adapters on the attention projections
    full   P·(2 + g + 4 + o)                     mixed precision: 16-bit weights, a 32-bit copy and moments
    ZeRO-2 divides gradients and states over the cards, ZeRO-3 and FSDP the weights too, plus buckets

Without latents cached beforehand the text encoders and the VAE stay on the card.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from knowledge.other_facts import diffusion_kernels
from tools.units import GB

from .activations import training_bytes
from .inference import CONTEXT
from .job import OPTIMIZER_BYTES, DiffusionJob
from .weights import PipelineBytes, block_bytes, pipeline_bytes

ADAPTED_PROJECTIONS = 4
"""q, k, v and output of each block; each adapter has two matrices of rank × width."""

MASTER_BYTES = 4.0
"""fp32 copy of the trained weights in mixed precision; pure bf16 optimizers keep none."""

GRADIENT_BYTES = 2.0

BUCKETS = {"zero2": 3 * GB, "zero3": 3 * GB}
"""DeepSpeed's reduce and all-gather buckets of 5·10^8 elements: 16 bit, the former twice for overlap."""


@dataclass(frozen=True)
class TrainingPeak:
    """One job on `gpus` cards; every figure is bytes of one card."""

    job: DiffusionJob
    gpus: int = 1

    @cached_property
    def whole(self) -> PipelineBytes:
        return pipeline_bytes(self.job)

    @property
    def trained_params(self) -> float:
        """Parameters that the optimizer sees."""
        model = self.job.model
        if self.job.method == "full":
            return float(model.denoiser_params)
        return 2.0 * ADAPTED_PROJECTIONS * self.job.lora_rank * self._adapted_width()

    def parts(self) -> dict[str, float]:
        """Bytes by part; they sum to the peak."""
        job = self.job
        trained, share = self.trained_params, self._divided("zero2", "zero3", "fsdp")
        kernel = diffusion_kernels()["bf16" if job.parameter_offload else job.kernel]  # layers in main memory stay as they are
        named = "weights" if job.method == "full" else "adapters"
        parts = {
            "weights": self._weights(),
            "gradients": GRADIENT_BYTES * trained / share,
            "optimizer": 0.0 if job.optimizer_offload else self._state_bytes() * trained / share,
            "activations": training_bytes(job, kernel),
            "buffers": self._buffers(),
            "engine": CONTEXT,
        }
        if named == "adapters":
            parts["adapters"] = GRADIENT_BYTES * trained
        if not job.cached:
            parts |= {"text_encoder": self.whole.text_encoders if job.text_encoder == "gpu" else 0.0, "vae": self.whole.vae}
        return parts

    def _weights(self) -> float:
        job = self.job
        if job.parameter_offload:
            return 2 * block_bytes(job)
        kept = self.whole.denoiser - job.swapped_blocks * block_bytes(job)
        return kept / self._divided("zero3", "fsdp")

    def _buffers(self) -> float:
        """Buckets of DeepSpeed, gathered blocks of FSDP."""
        if self.job.shard == "fsdp":
            return 2 * block_bytes(self.job) if self.gpus > 1 else 0.0
        return BUCKETS.get(self.job.shard, 0.0)

    def _state_bytes(self) -> float:
        """Moments, and the fp32 copy where the optimizer does not work in 16 bits."""
        pure = self.job.optimizer.endswith("_bf16") or self.job.optimizer == "adafactor"
        return OPTIMIZER_BYTES[self.job.optimizer] + (0.0 if pure else MASTER_BYTES)

    def _divided(self, *ways: str) -> int:
        return self.gpus if self.job.shard in ways else 1

    def _adapted_width(self) -> float:
        """Width × blocks; for a U-Net of its transformer blocks, two attentions each."""
        model = self.job.model
        if model.architecture == "dit":
            return float(model.hidden_size * model.blocks)
        levels = zip(model.unet_channels, model.unet_depths, strict=True)
        return sum(2.0 * 5 * depth * channels for channels, depth in levels)
