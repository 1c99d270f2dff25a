"""Bytes of the parts of a pipeline: denoiser, text encoders, VAE."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.facts import precisions
from knowledge.other_facts import DiffusionModel, diffusion_encoders

from .job import DiffusionJob

QUANTISED_SHARE = {"dit": 0.97, "unet": 0.5}
"""Share of the weights that quantisers reach: linear layers. A DiT keeps its embeddings and norms, a U-Net its convolutions."""

FP32_PROGRAM = "official"
"""The publishers' own Wan program holds the weights as its files do, fp32, unless they are converted or quantised."""


@dataclass(frozen=True, slots=True)
class PipelineBytes:
    """Bytes of each part, whole and on one card."""

    denoiser: float
    text_encoders: float
    vae: float

    @property
    def largest(self) -> float:
        return max(self.denoiser, self.text_encoders, self.vae)


def pipeline_bytes(job: DiffusionJob) -> PipelineBytes:
    """The parts in the precisions of the job; the experts of a mixture count once (see `denoiser_copies`)."""
    return PipelineBytes(
        denoiser=denoiser_bytes(job.model, job.precision),
        text_encoders=sum(weight_bytes(diffusion_encoders()[name].params, job.text_precision) for name in job.model.text_encoders),
        vae=job.model.vae_params * float(job.model.vae_bytes),
    )


def denoiser_bytes(model: DiffusionModel, precision: str) -> float:
    """One denoiser. Quantisers leave what is no linear layer in 16 bits."""
    return weight_bytes(model.denoiser_params, precision, quantised=QUANTISED_SHARE[model.architecture])


def weight_bytes(params: int, precision: str, *, quantised: float = QUANTISED_SHARE["dit"]) -> float:
    """Bytes of `params` weights of which a share is quantised; 16 and 32 bits hold for all of them."""
    row = precisions()[precision]
    if row.kind == "float":
        return params * row.bits / 8
    return params * (quantised * row.bits + (1 - quantised) * 16) / 8


def block_bytes(job: DiffusionJob) -> float:
    """One block of the denoiser, what group offload and FSDP bring in at a time."""
    return denoiser_bytes(job.model, job.precision) / max(job.model.blocks, 1)
