"""Bytes of the parts of a pipeline: denoiser, text encoders, VAE."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.facts import precisions
from knowledge.other_facts import DiffusionModel, diffusion_encoders

from .job import DiffusionJob

LINEAR_SHARE = 0.97
"""Share of a transformer's weights that quantisers reach: its linear layers, all but embeddings and norms."""

LINEAR_PER_BLOCK = 20
"""Linear weights of a U-Net's transformer block in squares of its width: attention 4 and 4, gated feed-forward 12."""

BLOCKS_PER_LEVEL = 5
"""Transformer groups of one level of a U-Net: two on the way down, three on the way up."""

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
    return weight_bytes(model.denoiser_params, precision, quantised=linear_share(model))


def linear_share(model: DiffusionModel) -> float:
    """Share of the denoiser's weights that quantisers reach; a U-Net keeps its convolutions: SD 1.5 25 %, SDXL 67 %."""
    if model.architecture == "dit":
        return LINEAR_SHARE
    levels = zip(model.unet_channels, model.unet_depths, strict=True)
    linear = sum(LINEAR_PER_BLOCK * BLOCKS_PER_LEVEL * depth * channels**2 for channels, depth in levels)
    return linear / model.denoiser_params


def weight_bytes(params: int, precision: str, *, quantised: float = LINEAR_SHARE) -> float:
    """Bytes of `params` weights of which a share is quantised; 16 and 32 bits hold for all of them."""
    row = precisions()[precision]
    if row.kind == "float":
        return params * row.bits / 8
    return params * (quantised * row.bits + (1 - quantised) * 16) / 8


def block_bytes(job: DiffusionJob) -> float:
    """One block of the denoiser, what group offload and FSDP bring in at a time."""
    return denoiser_bytes(job.model, job.precision) / max(job.model.blocks, 1)
