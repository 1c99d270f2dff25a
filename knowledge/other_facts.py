"""Facts of encoders, diffusion, speech and CPU families, loaded once each. Sizes in elements unless the name says bytes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .tables import read_csv, read_jsonl


@dataclass(frozen=True, slots=True)
class DiffusionModel:
    """An image or video model: denoiser, text encoders, VAE, and what they keep alive.

    Figures `…_per_hidden` are bytes per token and unit of width; None takes the general figure of the formula. Those
    that are given were fitted on published peaks of this very model. `tokens = frames/vae_time_scale · pixels /
    (vae_scale · patch)²`.
    """

    id: str
    hf_id: str
    aliases: tuple[str, ...]
    family: str
    kind: str  # image | video
    architecture: str  # dit | unet
    denoiser_params: int
    denoiser_copies: int  # experts used one after the other, each a whole denoiser
    params_source: str  # config | published | computed | estimated
    official_weight_bytes: int  # bytes per weight in the publisher's files, as their own program loads them
    hidden_size: int
    blocks: int
    unet_channels: tuple[int, ...]
    unet_depths: tuple[int, ...]
    patch: int
    vae_scale: int
    vae_time_scale: int
    text_tokens: int
    text_encoders: tuple[str, ...]
    vae_params: int
    vae_bytes: int  # bytes per weight and activation that the VAE is run in
    decode_bytes_per_px: float | None  # of output, in 16 bits; videos: held whatever the number of frames
    decode_tile_px: int
    default_height: int
    default_width: int
    default_frames: int
    passes: int  # copies of the sample in one pass: 2 where guidance is batched
    denoise_bytes_per_hidden: float | None
    official_denoise_bytes_per_hidden: float | None  # in the publisher's own program
    train_bytes_per_hidden: float | None  # kept by one block without checkpointing
    checkpoint_bytes_per_hidden: float | None  # the working set beside the kept inputs
    train_mib_per_sample: int | None
    reference_tokens: int  # of an input picture, beside those of the output
    swaps_with_text_encoder: bool  # published peaks with offload equal denoiser and text encoder together
    native_dtype: str
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class TextEncoder:
    """A text (or image) encoder that a diffusion pipeline loads."""

    id: str
    name: str
    params: int
    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiffusionKernel:
    """How quantised linear layers run in training, and how much more a layer then keeps than in bf16.

    `live_factor`: the same of the working set of one checkpointed block.
    """

    kernel: str
    precision: str
    activation_factor: float
    live_factor: float
    aliases: tuple[str, ...]
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class SpeechModel:
    """`kind`: whisper (encoder and decoder with beams), nar (all text at once), llm (audio encoder before a language model)."""

    id: str
    hf_id: str
    aliases: tuple[str, ...]
    family: str
    kind: str
    params: int
    encoder_layers: int
    decoder_layers: int
    hidden_size: int
    heads: int
    audio_positions: int
    text_positions: int
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class EncoderModel:
    """A text encoder, embedding model or reranker. `decoder`: a language model of which the last state is used."""

    id: str
    hf_id: str
    aliases: tuple[str, ...]
    family: str
    role: str  # encoder | embedding | reranker | late interaction
    params: int
    hidden_size: int
    layers: int
    heads: int
    kv_heads: int
    intermediate_size: int
    vocab_size: int
    max_tokens: int
    gated: bool
    decoder: bool
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class CpuFamily:
    """A CPU family as a place for inference. `socket_gb_s` is the memory bandwidth of a socket of `socket_vcpus`."""

    family: str
    gib_per_vcpu: int
    arch: str
    kernels: str  # amx | avx512 | neon
    suits: bool
    socket_gb_s: float | None
    socket_vcpus: int | None
    reason_zh: str
    reason_en: str
    source_ids: tuple[str, ...]
    note: str


@cache
def diffusion_models() -> dict[str, DiffusionModel]:
    """Image and video models by id."""
    return {row.id: row for row in read_jsonl(DiffusionModel, "diffusion_models.jsonl")}


@cache
def diffusion_encoders() -> dict[str, TextEncoder]:
    """Text encoders of diffusion pipelines by id."""
    return {row.id: row for row in read_csv(TextEncoder, "diffusion_encoders.csv")}


@cache
def diffusion_kernels() -> dict[str, DiffusionKernel]:
    """Quantised kernels of training by name."""
    return {row.kernel: row for row in read_csv(DiffusionKernel, "diffusion_kernels.csv")}


@cache
def speech_models() -> dict[str, SpeechModel]:
    """Speech recognition models by id."""
    return {row.id: row for row in read_csv(SpeechModel, "speech_models.csv")}


@cache
def encoder_models() -> dict[str, EncoderModel]:
    """Encoders, embedding models and rerankers by id."""
    return {row.id: row for row in read_csv(EncoderModel, "encoders.csv")}


@cache
def cpu_families() -> dict[str, CpuFamily]:
    """CPU families by name, those that do not suit inference included."""
    return {row.family: row for row in read_csv(CpuFamily, "cpu_families.csv")}
