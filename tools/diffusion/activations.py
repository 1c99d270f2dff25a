"""What one pass keeps alive besides weights: the denoiser's step, the VAE's decoding, a training step.

    denoise    c · h · tokens · samples               c bytes per token and unit of width
    decode     d · pixels · samples                   d bytes per output pixel; tiles bound the pixels
    train      c_layer · h · blocks · tokens          every block keeps what its backward needs
    checkpoint (2 · blocks + c_live) · h · tokens     only the input of each block (16 bit), and one block at work

For U-Nets the tokens of each level count with its width: k_r per residual block, k_t per transformer block.
Which constants are fitted, and on what, stands beside each.
"""

from __future__ import annotations

from tools.units import GIB, MIB

from .job import DiffusionJob

DENOISE_PER_HIDDEN = 65.0
"""General figure, the middle of those fitted on single models: 31 (Wan), 45 (CogVideoX), 83 (FLUX), 95, 96."""

DECODE_PER_PX = 4000.0
"""16-bit VAE of the Stable Diffusion kind: FLUX.1 at 1024 × 1024 peaks 4.7 GiB above its weights (hf-flux-quantization)."""

TRAIN_PER_HIDDEN = 70.0
"""General figure between 55 (Qwen-Image) and 78 (Lumina) kept per block without checkpointing."""

LIVE_PER_HIDDEN = 40.0
"""Working set of one checkpointed block: general figure among those fitted, 12 (Wan), 39 (Qwen-Image), 63 (Krea 2), 80 (Lumina)."""

RESNET_PER_CHANNEL, ATTENTION_PER_CHANNEL = 14.0, 58.0
"""Kept per pixel and channel by a residual block (norm, activation, convolution inputs) and a transformer block (16 bit)."""

UNET_BLOCKS = 5
"""Residual blocks of one level: two on the way down, three on the way up."""

UNET_PASS_SHARE = 0.12
"""Share of the kept activations alive in inference, where nothing is kept for a backward pass (a judgement)."""

TRAIN_BASE = {"dit": 1.0 * GIB, "unet": 0.3 * GIB}
"""Workspaces and caches of a training step, fitted on SimpleTuner's runs of Lumina, Qwen-Image and SD 1.5."""


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


def training_bytes(job: DiffusionJob, *, activation_factor: float) -> float:
    """What a training step keeps; `activation_factor` is that of quantised kernels."""
    kept = _unet_training(job) if job.model.architecture == "unet" else _dit_training(job)
    extra = (job.model.train_mib_per_sample or 0) * MIB * job.batch
    return kept * activation_factor + extra + TRAIN_BASE[job.model.architecture]


def unet_bytes(job: DiffusionJob) -> float:
    """Bytes kept by one sample over all levels: Σ pixels · channels · (k_r + depth · k_t) · blocks."""
    levels = zip(job.model.unet_channels, job.model.unet_depths, strict=True)
    kept = 0.0
    for level, (channels, depth) in enumerate(levels):
        per_channel = RESNET_PER_CHANNEL + depth * ATTENTION_PER_CHANNEL
        kept += UNET_BLOCKS * per_channel * channels * job.latent_px / 4**level
    return kept


def _unet_training(job: DiffusionJob) -> float:
    kept = unet_bytes(job) * job.batch
    return kept / UNET_BLOCKS if job.checkpointing else kept  # the dearest level works, one block of five at a time


def _dit_training(job: DiffusionJob) -> float:
    model, token_width = job.model, job.tokens * job.batch * job.model.hidden_size
    if job.checkpointing:
        live = model.checkpoint_bytes_per_hidden or LIVE_PER_HIDDEN
        return (2 * model.blocks + live) * token_width
    return (model.train_bytes_per_hidden or TRAIN_PER_HIDDEN) * model.blocks * token_width
