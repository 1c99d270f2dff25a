"""`xuanka size diffusion`: the memory of image and video models, generating or training, and the machines they fit on."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated

import typer

from .budget import BudgetOption, wish_for
from .options import Json, Lang, Region, shortened
from .speech import choose_language

NAMED_SIZES = {"480p": (832, 480), "720p": (1280, 720), "1080p": (1920, 1080), "2k": (2048, 2048)}
_SIZE = re.compile(r"(\d{1,6})\s*[x×*]\s*(\d{1,6})")


def picture_size(text: str) -> tuple[int, int]:
    """1024, 1024x1024, 1280×720, 720p → width and height."""
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    if plain in NAMED_SIZES:
        return NAMED_SIZES[plain]
    both = _SIZE.fullmatch(plain)
    if both:
        return int(both[1]), int(both[2])
    if plain.isdecimal() and len(plain) <= 6:
        return int(plain), int(plain)
    raise typer.BadParameter(f"{shortened(text)!r} is not a size such as 1024x1024, 1280x720 or 720p")


def diffusion(
    model: Annotated[str, typer.Option("--model", "-m", help="Model name, e.g. SDXL, FLUX.1-dev, Qwen-Image, Wan2.2-TI2V-5B.")],
    size: Annotated[str | None, typer.Option("--size", "-s", metavar="WxH", help="Pixels: 1024x1024, 1280x720, 720p.")] = None,
    frames: Annotated[int | None, typer.Option("--frames", "-f", help="Frames of a video.")] = None,
    batch: Annotated[int | None, typer.Option("--batch", "-b", help="Pictures or clips at once, per card.")] = None,
    dtype: Annotated[str | None, typer.Option("--dtype", help="Denoiser: bf16, fp16, fp8, int8, nf4, q8_0, …")] = None,
    program: Annotated[str | None, typer.Option("--program", help="diffusers, official or comfyui.")] = None,
    offload: Annotated[str | None, typer.Option("--offload", help="none, model, group or sequential.")] = None,
    text_encoder: Annotated[str | None, typer.Option("--text-encoder", help="gpu or cpu.")] = None,
    vae_tiling: Annotated[bool, typer.Option("--vae-tiling", help="Decode in tiles.")] = False,
    shard: Annotated[str | None, typer.Option("--shard", help="none, fsdp, ulysses, fsdp+ulysses, zero2, zero3.")] = None,
    train: Annotated[bool, typer.Option("--train", help="Train instead of generating.")] = False,
    method: Annotated[str | None, typer.Option("--method", help="lora or full (with --train).")] = None,
    lora_rank: Annotated[int | None, typer.Option("--lora-rank", "-r", help="Rank of the LoRA (with --train).")] = None,
    optimizer: Annotated[str | None, typer.Option("--optimizer", help="adamw, adamw_bf16, adamw8bit, adafactor, lion, …")] = None,
    checkpointing: Annotated[bool, typer.Option("--checkpointing/--no-checkpointing", help="Gradient checkpointing.")] = True,
    cached: Annotated[bool, typer.Option("--cached/--not-cached", help="Latents and prompts encoded beforehand.")] = True,
    swap: Annotated[int, typer.Option("--swap", help="Blocks of the denoiser kept in main memory.")] = 0,
    gpus: Annotated[int | None, typer.Option("--gpus", help="Number of cards; videos are cut over them.")] = None,
    on: Annotated[
        list[str] | None, typer.Option("--on", help="Card, count of cards, family or type to check: A10, 4xA10, gn7e (repeatable).")
    ] = None,
    solve: Annotated[str | None, typer.Option("--solve", help="Largest value that fits: batch, frames, crop (side of a square) or lora-rank.")] = None,
    budget: BudgetOption = None,
    region: Region = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Size an image or video model: generating or training."""
    language = choose_language(lang)
    from tools.diffusion.ask import DiffusionRequest, diffusion_ask

    from .jobs import show_job
    from .places import places

    request = DiffusionRequest(
        model=model,
        size=None if size is None else picture_size(size),
        frames=frames,
        batch=batch,
        precision=dtype,
        program=program,
        offload=offload,
        text_encoder=text_encoder,
        vae_tiling=vae_tiling,
        shard=shard,
        training=train,
        method=method,
        lora_rank=lora_rank,
        optimizer=optimizer,
        checkpointing=checkpointing,
        cached=cached,
        swapped_blocks=swap,
        gpus=gpus,
        on=tuple(place for name in on or [] for place in places(name, language)),
        wish=wish_for(region, budget, gpu_count=gpus),
    )
    show_job(diffusion_ask(request, language=language), solve=solve, language=language, as_json=as_json)
