"""Peak memory of generating: the largest of three moments, each with the parts that are on the card then.

    encode    text encoders
    denoise   denoiser + its step                (+ the other parts, unless offload has moved them away)
    decode    VAE + its decoding                 (+ the other parts)

FSDP divides the weights over the cards and gathers two blocks at a time; Ulysses divides the tokens of the denoiser's
step. Decoding is not divided: every card, or the first, decodes the whole video.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tools.units import GIB

from .activations import decode_bytes, denoise_bytes
from .job import DiffusionJob
from .weights import PipelineBytes, block_bytes, pipeline_bytes, weight_bytes

CONTEXT = 0.5 * GIB
"""CUDA context and libraries of one process; allocator figures do not hold it."""

GATHERED_BLOCKS = 2
"""FSDP holds the block at work and the next one, in 16 bits."""

COMFYUI_RESERVE = 0.6 * GIB
"""ComfyUI keeps about this much free and moves blocks of the model out for it (`--reserve-vram`, a judgement)."""


@dataclass(frozen=True)
class InferencePeak:
    """One job on `gpus` cards; every figure is bytes of one card."""

    job: DiffusionJob
    gpus: int = 1

    @cached_property
    def whole(self) -> PipelineBytes:
        return pipeline_bytes(self.job)

    @property
    def sharded(self) -> bool:
        return self.gpus > 1 and "fsdp" in self.job.shard

    @cached_property
    def denoiser(self) -> float:
        """Weights of the denoiser on the card while it works."""
        job, model = self.job, self.job.model
        one = self._as_loaded()
        if self.sharded:
            return one * model.denoiser_copies / self.gpus + GATHERED_BLOCKS * block_bytes(job)
        if job.offload in ("group", "sequential"):
            return GATHERED_BLOCKS * block_bytes(job)
        copies = model.denoiser_copies if job.offload == "none" else 1
        return one * copies - job.swapped_blocks * block_bytes(job)

    @cached_property
    def text_encoders(self) -> float:
        """Weights of the text encoders while they work; 0 when they work on the CPU."""
        if self.job.text_encoder == "cpu":
            return 0.0
        if self.sharded:
            return self.whole.text_encoders / self.gpus
        if self.job.offload in ("group", "sequential"):
            return min(self.whole.text_encoders, 0.5 * GIB)
        return self.whole.text_encoders

    def parts(self) -> dict[str, float]:
        """Parts of the largest moment, and the CUDA context."""
        peak = max(self._moments(), key=lambda moment: sum(moment.values()))
        return {**peak, "engine": CONTEXT + (COMFYUI_RESERVE if self.job.program == "comfyui" else 0.0)}

    def _moments(self) -> Iterable[dict[str, float]]:
        job = self.job
        step = denoise_bytes(job) / (self.gpus if self.gpus > 1 and "ulysses" in job.shard else 1)
        if job.offload == "none":
            held = {"weights": self.denoiser, "text_encoder": self.text_encoders, "vae": self.whole.vae}
            yield {**held, "activations": max(step, decode_bytes(job))}
            return
        yield {"text_encoder": self.text_encoders}
        if job.model.swaps_with_text_encoder and job.offload == "model":
            yield {"weights": self.denoiser, "text_encoder": self.text_encoders}
        yield {"weights": self.denoiser, "activations": step}
        yield {"vae": self.whole.vae, "activations": decode_bytes(job)}

    def _as_loaded(self) -> float:
        """One denoiser: the publishers' own programs hold 16-bit weights as their files do, where these are fp32."""
        job, model = self.job, self.job.model
        if job.program == "official" and job.precision == "fp32":
            return float(weight_bytes(model.denoiser_params, "fp32"))
        return self.whole.denoiser


def host_bytes(job: DiffusionJob) -> float:
    """Main memory that loading touches, and what offload keeps there: all parts."""
    whole = pipeline_bytes(job)
    return whole.denoiser * job.model.denoiser_copies + whole.text_encoders + whole.vae
