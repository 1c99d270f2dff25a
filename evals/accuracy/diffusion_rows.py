"""Diffusion rows of other_models: from a row's words to the job that `size diffusion` would be asked."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from knowledge.errors import InputError
from knowledge.other_facts import DiffusionModel, diffusion_kernels, diffusion_models
from tools.diffusion.job import DiffusionJob
from tools.diffusion.names import find_diffusion_model

from .rows import Row, flag, need, text, whole

NAMED_SIZES = {"480p": (480, 832), "720p": (720, 1280), "1080p": (1080, 1920)}
_SIZE = re.compile(r"(\d{2,4})\s*[x×*]\s*(\d{2,4})")
_FRAMES = re.compile(r"(\d+)\s*f(?:rames)?\b")
_SWAP = re.compile(r"blocks_to_swap\s*(\d+)")
_EXAMPLE = re.compile(r"\bexample ([\w.+-]+)")
_RANK = re.compile(r"\br(?:ank)?\s*(\d+)\b")

CACHED_BEFORE = ("simpletuner", "musubi", "ai-toolkit", "diffusion-pipe", "onetrainer")
"""Trainers that encode pictures and prompts beforehand and drop the encoders."""


def diffusion_job(row: Row) -> tuple[DiffusionJob, str]:
    """The job of a row, and what was taken by default. Raises InputError naming the unknown model or the missing field."""
    need(row, "model")
    model = _model(str(row["model"]))
    (height, width), note = _size(row, model)
    frames = whole(row, "frames") or _frames_in(text(row, "resolution")) or model.default_frames
    if example := _example(row):
        height, width, frames = example.height, example.width, example.frames or frames
        note = f"size: {example.why}"
    job = DiffusionJob(model, height, width, frames=frames, batch=whole(row, "batch_size") or 1)
    precision, text_precision, kernel = _precisions(row, model)
    job = replace(job, program=_program(row), precision=precision, text_precision=text_precision, kernel=kernel)
    return (_training(row, job) if flag(row, "training") else _inference(row, job)), note


@dataclass(frozen=True)
class TrainedExample:
    """What an example of SimpleTuner trains on, where its page prints the size of its validation pictures instead."""

    example: str
    width: int
    height: int
    frames: int | None
    why: str


def _example(row: Row) -> TrainedExample | None:
    """The example that a row's note names, if the page prints another size than it trains on."""
    named = _EXAMPLE.search(text(row, "note") or "")
    return trained_examples().get(named[1]) if named else None


@cache
def trained_examples() -> dict[str, TrainedExample]:
    """Rows of simpletuner_examples.csv by example."""
    lines = files("evals").joinpath("accuracy", "simpletuner_examples.csv").read_text(encoding="utf-8").splitlines()
    return {
        row["example"]: TrainedExample(
            row["example"], int(row["width"]), int(row["height"]), int(row["frames"]) if row["frames"] else None, row["why"]
        )
        for row in csv.DictReader(lines)
    }


def without_own_constants(model: DiffusionModel) -> DiffusionModel:
    """The model as one of which no peak was ever published."""
    return replace(
        model,
        denoise_bytes_per_hidden=None,
        official_denoise_bytes_per_hidden=None,
        train_bytes_per_hidden=None,
        checkpoint_bytes_per_hidden=None,
        train_mib_per_sample=None,
    )


def _model(name: str) -> DiffusionModel:
    spans = find_diffusion_model(name)
    if not spans:
        raise InputError(f"unknown model: {name}")
    return diffusion_models()[spans[0].id]


def _size(row: Row, model: DiffusionModel) -> tuple[tuple[int, int], str]:
    written = (text(row, "resolution") or "").lower()
    found = _SIZE.search(written)
    if found:
        return (int(found[1]), int(found[2])), ""
    for name, size in NAMED_SIZES.items():
        if name in written:
            default = (model.default_height, model.default_width)
            return (default if name == "720p" and default[0] == 704 else size), ""
    if flag(row, "training"):
        need(row, "resolution")
    return (model.default_height, model.default_width), "size: the pipeline's default"


def _frames_in(resolution: str | None) -> int | None:
    found = _FRAMES.search(resolution or "")
    return int(found[1]) if found else None


def _program(row: Row) -> str:
    framework = (text(row, "framework") or "").lower()
    if "official" in framework:
        return "official"
    return "comfyui" if "comfy" in framework else "diffusers"


def _precisions(row: Row, model: DiffusionModel) -> tuple[str, str, str]:
    """Precision of the denoiser and of the encoders, and the kernel of training."""
    offload = (text(row, "offload") or "").lower()
    said = (text(row, "quantization") or "").lower()
    kernel = _kernel(said) if said else None
    if kernel:
        precision = diffusion_kernels()[kernel].precision
        return precision, precision, kernel
    as_files = _program(row) == "official" and model.official_weight_bytes == 4 and "convert_model_dtype" not in offload
    return "fp32" if as_files else "bf16", "bf16", "bf16"


def _kernel(said: str) -> str:
    plain = said.split("(")[0].strip()
    for row in diffusion_kernels().values():
        if plain == row.kernel or plain in row.aliases:
            return row.kernel
    starts = [row.kernel for row in diffusion_kernels().values() if plain.startswith((row.precision, row.kernel))]
    if not starts:
        raise InputError(f"unknown quantization: {said}")
    return starts[0]


def _inference(row: Row, job: DiffusionJob) -> DiffusionJob:
    offload = f"{text(row, 'offload') or ''} {text(row, 'vae_tiling_slicing') or ''}".lower()
    tiled = "tiling" in offload
    return replace(
        job,
        offload=_offload(offload),
        shard="+".join(word for word in ("fsdp", "ulysses") if word in offload) or "none",
        text_encoder="cpu" if "t5_cpu" in offload or "dropped" in (text(row, "text_encoder") or "") else "gpu",
        vae_tiling=tiled or job.model.id == "HunyuanVideo" and job.program == "official",  # its program tiles by itself
        vae_slicing=tiled or "slicing" in offload,
    )


def _offload(said: str) -> str:
    if "sequential" in said or "slicing" in said and said.strip().startswith("+") or "vae.enable_tiling" in said:
        return "sequential"
    if "group" in said or "block" in said:
        return "group"
    words = ("offload_model true", "model_cpu_offload", "model offload", "cpu offload", "official default")
    return "model" if any(word in said for word in words) else "none"


def _training(row: Row, job: DiffusionJob) -> DiffusionJob:
    need(row, "method", "gradient_checkpointing")
    offload, method = (text(row, "offload") or "").lower(), (text(row, "method") or "").lower()
    swapped, rank = _SWAP.search(offload), _RANK.search(method)
    stage = next((f"zero{n}" for n in (2, 3) if f"zero-{n}" in offload or f"zero{n}" in offload), "none")
    framework = (text(row, "framework") or "").lower()
    return replace(
        job,
        training=True,
        method="lora" if "lora" in method else "full",
        lora_rank=whole(row, "lora_rank") or (int(rank[1]) if rank else 16),
        optimizer=_optimizer(text(row, "optimizer") or ("adamw" if "lora" not in method else "adamw_bf16")),
        checkpointing=bool(flag(row, "gradient_checkpointing")),
        cached=any(name in framework for name in CACHED_BEFORE),
        swapped_blocks=int(swapped[1]) if swapped else 0,
        shard="fsdp" if "fsdp" in offload else stage,
        optimizer_offload="optimizer" in offload and "offload" in offload,
        parameter_offload="parameter offload" in offload or "ramtorch" in offload,
    )


def _optimizer(said: str) -> str:
    plain = said.lower().replace("-", "_")
    if "lion" in plain:
        return "lion8bit" if "8" in plain else "lion_bf16"
    if "8bit" in plain or "8_bit" in plain:
        return "adamw8bit"
    for name in ("adafactor", "prodigy", "sgd"):
        if name in plain:
            return name
    return "adamw_bf16" if "bf16" in plain or "optimi" in plain else "adamw"
