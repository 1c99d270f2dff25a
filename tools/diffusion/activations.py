"""What one pass keeps alive besides weights: the denoiser's step, the VAE's decoding, a training step.

    denoise    c · h · tokens · samples               c bytes per token and unit of width
    decode     d · pixels · samples                   d bytes per output pixel; tiles bound the pixels
    train      c_layer · h · blocks · tokens          every block keeps what its backward needs
    checkpoint (2 · blocks + c_live) · h · tokens     only the input of each block (16 bit), and one block at work; quantised
               kernels make c_layer and c_live larger, not the inputs

For U-Nets the tokens of each level count with its width: k_r per residual block, k_t per transformer block.
Which constants are fitted, and on what, stands beside each.
"""

from __future__ import annotations

from knowledge.other_facts import DiffusionKernel
from tools.units import GIB, MIB

from .job import DiffusionJob

DENOISE_PER_HIDDEN = 65.0
"""General figure, the middle of those fitted on single models: 31 (Wan), 45 (CogVideoX), 83 (FLUX), 95, 96."""

DECODE_PER_PX = 4000.0
"""16-bit VAE of the Stable Diffusion kind: FLUX.1 at 1024 × 1024 peaks 4.7 GiB above its weights (hf-flux-quantization)."""

TRAIN_PER_HIDDEN = 52.0
"""Kept per block without checkpointing: the middle of 14 models of SimpleTuner's sweep, 33 (LongCat-Image) to 76 (Lumina)."""

LIVE_PER_HIDDEN = 80.0
"""Working set of one checkpointed block, its gradients included: the middle of the same sweep, 10 (LongCat-Image) to 226
(PixArt) for images and 49 (LTX) to 134 (HunyuanVideo 1.5) for most videos."""

RESNET_PER_CHANNEL, ATTENTION_PER_CHANNEL = 20.0, 84.0
"""Kept per pixel and channel by a residual block and a transformer block in 16 bits: counted as 14 and 58, and both times
1.44, by which SD 1.5, SDXL and Kolors exceed the count (norms in fp32, the inputs of adapters)."""

UNET_BLOCKS = 5
"""Residual blocks of one level: two on the way down, three on the way up."""

UNET_PASS_SHARE = 0.083
"""Share of the kept activations alive in inference, where nothing is kept for a backward pass (a judgement)."""

TRAIN_BASE = {"dit": 0.25 * GIB, "unet": 0.15 * GIB}
"""Workspaces and caches of a training step: what the smallest checkpointed runs of SimpleTuner's sweep hold beside weights."""


def denoise_bytes(job: DiffusionJob) -> float:
    """One step of the denoiser on the whole sample, before it is cut over cards."""
    model, samples = job.model, job.batch * job.model.passes
    if model.architecture == "unet":
        return UNET_PASS_SHARE * unet_bytes(job) * samples
    given = model.official_denoise_bytes_per_hidden if job.program == "official" else None
    per_hidden = given or model.denoise_bytes_per_hidden or DENOISE_PER_HIDDEN
    return per_hidden * model.hidden_size * job.tokens * samples


def decode_bytes(job: DiffusionJob) -> float:
    """Decoding of the latents: pictures all at once unless sliced, a video held by its widest layers."""
    model = job.model
    pixels = job.height * job.width
    if job.vae_tiling:
        pixels = min(pixels, model.decode_tile_px)
    samples = 1 if job.vae_slicing else job.batch
    return (model.decode_bytes_per_px or DECODE_PER_PX) * model.vae_bytes / 2 * pixels * samples


def training_bytes(job: DiffusionJob, kernel: DiffusionKernel) -> float:
    """What a training step keeps; quantised kernels keep more of each layer than those of 16 bits."""
    kept = _unet_training(job, kernel) if job.model.architecture == "unet" else _dit_training(job, kernel)
    extra = (job.model.train_mib_per_sample or 0) * MIB * job.batch
    return kept + extra + TRAIN_BASE[job.model.architecture]


def unet_bytes(job: DiffusionJob) -> float:
    """Bytes kept by one sample over all levels: Σ pixels · channels · (k_r + depth · k_t) · blocks."""
    levels = zip(job.model.unet_channels, job.model.unet_depths, strict=True)
    kept = 0.0
    for level, (channels, depth) in enumerate(levels):
        per_channel = RESNET_PER_CHANNEL + depth * ATTENTION_PER_CHANNEL
        kept += UNET_BLOCKS * per_channel * channels * job.latent_px / 4**level
    return kept


def _unet_training(job: DiffusionJob, kernel: DiffusionKernel) -> float:
    kept = unet_bytes(job) * job.batch
    if job.checkpointing:  # the dearest level works, one block of five at a time
        return kept / UNET_BLOCKS
    return kept * kernel.activation_factor


def _dit_training(job: DiffusionJob, kernel: DiffusionKernel) -> float:
    model, token_width = job.model, job.tokens * job.batch * job.model.hidden_size
    if job.checkpointing:
        live = model.checkpoint_bytes_per_hidden or LIVE_PER_HIDDEN
        return (2 * model.blocks + live * kernel.live_factor) * token_width
    return (model.train_bytes_per_hidden or TRAIN_PER_HIDDEN) * kernel.activation_factor * model.blocks * token_width
