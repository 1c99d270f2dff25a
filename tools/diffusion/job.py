"""What is to be generated or trained, and the limits of what can be asked."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.other_facts import DiffusionModel
from tools.part_sum import check_choice, check_range
from tools.phrases import Language, read_phrases, say

OFFLOADS = ("none", "model", "group", "sequential")
"""model: the part at work is on the card; group: one block at a time; sequential: one layer at a time."""

PROGRAMS = ("diffusers", "official", "comfyui")
TEXT_ENCODERS = ("gpu", "cpu")
SHARDS = ("none", "fsdp", "ulysses", "fsdp+ulysses", "zero2", "zero3")
METHODS = ("lora", "full")
OPTIMIZER_BYTES = {"adamw": 8.0, "adamw_bf16": 4.0, "adamw8bit": 2.0, "adafactor": 0.1, "lion": 4.0, "lion_bf16": 2.0, "lion8bit": 1.0, "prodigy": 16.0, "sgd": 0.0}
"""State per trained parameter: two or one moments in 4, 2 or 1 bytes; Adafactor keeps rows and columns only."""

MAX_SIDE, MAX_FRAMES, MAX_BATCH, MAX_RANK = 8192, 2000, 256, 4096


@dataclass(frozen=True)
class DiffusionJob:
    """One run. Sizes in pixels; `precision` is a name of precisions.csv for the denoiser, `text_precision` for its encoders.

    Training trains the denoiser; `cached`: latents and prompts were encoded beforehand, so that nothing else is loaded.
    `swapped_blocks` of the denoiser live in main memory.
    """

    model: DiffusionModel
    height: int
    width: int
    frames: int = 1
    batch: int = 1
    precision: str = "bf16"
    text_precision: str = "bf16"
    program: str = "diffusers"
    offload: str = "none"
    swapped_blocks: int = 0
    text_encoder: str = "gpu"
    vae_tiling: bool = False
    vae_slicing: bool = False
    shard: str = "none"
    training: bool = False
    method: str = "lora"
    lora_rank: int = 16
    optimizer: str = "adamw_bf16"
    checkpointing: bool = True
    cached: bool = True
    kernel: str = "bf16"
    optimizer_offload: bool = False
    parameter_offload: bool = False

    @property
    def latent_px(self) -> int:
        """Cells of the latent picture (of one frame)."""
        scale = self.model.vae_scale
        return max(1, self.height // scale) * max(1, self.width // scale)

    @property
    def image_tokens(self) -> int:
        """Tokens of one sample: latent frames × patches."""
        frames = (self.frames - 1) // self.model.vae_time_scale + 1
        return max(1, self.latent_px // self.model.patch**2) * frames

    @property
    def tokens(self) -> int:
        """All tokens of one sample: picture, reference picture, prompt."""
        return self.image_tokens + self.model.reference_tokens + self.model.text_tokens


def check_diffusion_job(job: DiffusionJob, *, language: Language) -> None:
    """InputError with one sentence for what cannot be asked."""
    words = read_phrases("tools", "phrases/diffusion.toml")
    for code, given, high in (
        ("height", job.height, MAX_SIDE), ("width", job.width, MAX_SIDE), ("frames", job.frames, MAX_FRAMES),
        ("batch", job.batch, MAX_BATCH), ("rank", job.lora_rank, MAX_RANK),
    ):  # fmt: skip
        low = 64 if code in ("height", "width") else 1
        check_range(say(words, f"what_{code}", language), given, low=low, high=high, language=language)
    check_range(say(words, "what_swapped", language), job.swapped_blocks, low=0, high=max(job.model.blocks - 1, 0), language=language)
    for code, word, choices in (
        ("offload", job.offload, OFFLOADS), ("program", job.program, PROGRAMS), ("text_encoder", job.text_encoder, TEXT_ENCODERS),
        ("shard", job.shard, SHARDS), ("method", job.method, METHODS), ("optimizer", job.optimizer, tuple(OPTIMIZER_BYTES)),
    ):  # fmt: skip
        check_choice(say(words, f"what_{code}", language), word, choices, language=language)
