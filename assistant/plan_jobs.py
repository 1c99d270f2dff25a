"""From a reading to the tool calls of every job but serving a language model: training, vision, encoders, diffusion, speech."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from tools.diffusion.names import find_diffusion_model

from .filters import asks_in_ram, asks_which, trains_encoder
from .read.intents import TOPICAL
from .read.reading import Reading

MAX_SUBJECTS = 5
FEEL = ("7B", "14B", "72B")
"""Sizes that give a feel for the cards when somebody has not said which model is trained."""
FEEL_OF = {
    "segmentation": ("SegFormer-B2", "DeepLabV3+ R-101"), "detection": ("Faster R-CNN R-50", "Mask R-CNN R-101"), "classification": ("ResNet-50", "ViT-L"),
    "image": ("SDXL", "FLUX.1-dev"), "video": ("Wan2.1-T2V-1.3B", "Wan2.2-T2V-A14B"), "encoder": ("bge-m3", "Qwen3-Embedding-8B"), "speech": ("whisper-large-v3", "SenseVoiceSmall"),
}  # fmt: skip
"""Common networks and models that give a feel where none is named, by task."""
LADDER = ("7B", "14B", "32B", "72B")
"""Sizes tried for "what is the largest model that can be trained here"."""
TRAINING_OFFLOADS = {"optimizer": "optimizer", "params": "params", "model": "params"}
"""What of a training may live in main memory, by what the question says."""
BATCHED = ("size_asr", "size_encoder", "size_diffusion")
"""Tools whose batch is what users call requests at once: "一张 T4 能同时跑几路"."""
ON_GPUS = ("size_train", "size_vision", "size_encoder", "size_diffusion", "size_asr", "size_hybrid")
"""Tools that take cards, a region and a budget; the others are about main memory."""
Args = dict[str, Any]


def job_calls(
    reading: Reading, *, places: list[str], budget: dict[str, float], shared: Args
) -> Iterator[tuple[str, Args]]:
    """Tool and arguments for each model or network named; nothing where none is.

    `places` are the cards, families and types named and `budget` what they may cost, as the tools take them; `shared` region
    and language.
    """
    kind = kind_of(reading)
    if kind not in _JOBS:
        return
    tool, subjects, args = _JOBS[kind](reading)
    if tool in ON_GPUS:
        solve = (reading.solve or "").replace("_", "-") or None
        solve = "batch" if solve == "concurrency" and tool in BATCHED else solve
        args = {**args, "on": places, **budget, "solve": solve}
    else:
        shared = {name: value for name, value in shared.items() if name != "region"}
    for subject in subjects[:MAX_SUBJECTS]:
        yield tool, {**{name: value for name, value in args.items() if value is not None}, **subject, **shared}


def kind_of(reading: Reading) -> str:
    """The job as these tools tell it apart: an encoder is trained, a mixture of experts lives in main memory."""
    if trains_encoder(reading):
        return "encoder_training"
    return "hybrid" if asks_in_ram(reading) else reading.job or ""


def names_subject(reading: Reading) -> bool:
    """Whether a model or network is named that these tools could size."""
    return bool(reading.models or reading.config_json or reading.networks or reading.diffusion_models or reading.speech_models)


def asks_for_machine(reading: Reading) -> bool:
    """Whether a machine is asked for a kind of job of which nothing is named: then common models give a feel."""
    topics = set(reading.topics)
    return kind_of(reading) in _JOBS and not names_subject(reading) and bool({"memory", "gpu", "family"} & topics) and not TOPICAL & topics and asks_which(reading)


def batch_of(reading: Reading) -> int | None:
    """Samples of one card at once: as said, or the global batch shared by cards and accumulated steps."""
    if reading.batch is not None or reading.global_batch is None:
        return reading.batch
    return max(1, reading.global_batch // ((reading.gpus or 1) * (reading.accumulate or 1)))


Planned = tuple[str, list[Args], Args]


def _training(reading: Reading) -> Planned:
    return "size_train", _trained(reading), {
        "method": reading.method,
        "objective": reading.objective,
        "seq": reading.context,
        "micro_batch": batch_of(reading),
        "optimizer": reading.optimizer,
        "checkpointing": reading.checkpointing,
        "sharding": reading.sharding,
        "offload": TRAINING_OFFLOADS.get(reading.offload or ""),
        "lora_rank": reading.lora_rank,
        "precision": reading.weight_dtype if reading.weight_dtype in ("bf16", "fp16", "fp32") else None,
        "packing": reading.packing,
        "flash_attention": reading.flash_attention,
        "cross_entropy": reading.cross_entropy,
        "accumulate": reading.accumulate,
        "generations": reading.generations,
        "tensor_parallel": reading.tensor_parallel,
        "pipeline_parallel": reading.pipeline_parallel,
        "gpus": gpus_of(reading),
    }  # fmt: skip


def _trained(reading: Reading) -> list[Args]:
    """The models named; one model by each method named; sizes where the largest is asked for or none is named."""
    models = _models(reading)
    if len(models) == 1 and reading.methods:
        return [{**models[0], "method": method} for method in reading.methods]
    if not models and asks_largest(reading):
        return [{"model": size, "method": reading.method or "qlora"} for size in LADDER]
    return models or [{"model": size} for size in FEEL]


def gpus_of(reading: Reading) -> int | None:
    """Cards in all: those of one machine at each of the machines named ("两台 8 卡 A100")."""
    return reading.gpus and reading.gpus * (reading.machines or 1)


def asks_largest(reading: Reading) -> bool:
    """Whether the largest model is asked for that a place or a budget takes: "一张 A10 能微调多大的模型"."""
    return "model_choice" in reading.topics


def _vision(reading: Reading) -> Planned:
    networks = reading.networks or ([reading.network] if reading.network else list(FEEL_OF[reading.task or "segmentation"]))
    return "size_vision", [{"arch": name} for name in networks], {
        "task": reading.task,
        "inference": reading.job == "vision_inference",
        "crop": list(reading.crop) if reading.crop else None,
        "batch": batch_of(reading),
        "classes": reading.classes,
        "precision": "amp" if reading.amp else reading.weight_dtype,
        "optimizer": reading.optimizer,
        "checkpointing": None if reading.checkpointing is None else reading.checkpointing != "none",
        "accumulate": reading.accumulate,
        "gpus": gpus_of(reading),
    }  # fmt: skip


def _encoder(reading: Reading) -> Planned:
    return "size_encoder", _models(reading) or [{"model": name} for name in FEEL_OF["encoder"]], {
        "dtype": reading.weight_dtype,
        "batch": reading.batch or reading.concurrency,
        "seq": reading.context,
        "training": reading.job == "llm_training",
        "method": reading.method,
    }  # fmt: skip


def _hybrid(reading: Reading) -> Planned:
    return "size_hybrid", _models(reading), {
        "dtype": reading.weight_dtype,
        "context": reading.context,
        "concurrency": reading.concurrency,
        "engine": reading.engine if reading.engine in ("ktransformers", "llama.cpp") else None,
    }  # fmt: skip


def _diffusion(reading: Reading) -> Planned:
    drawn = FEEL_OF["video" if re.search("视频|video", reading.normal.lower()) else "image"]
    names = reading.diffusion_models or [mention.text for mention in reading.models] or list(drawn)
    return "size_diffusion", [{"model": _from_picture(name, reading)} for name in names], {
        "training": reading.job == "diffusion_training",
        "method": reading.method,
        "resolution": list(reading.resolution or reading.crop or ()) or None,
        "frames": reading.frames,
        "batch": reading.batch,
        "dtype": reading.weight_dtype,
        "offload": reading.offload if reading.offload in ("model", "sequential") else None,
        "lora_rank": reading.lora_rank,
        "optimizer": reading.optimizer,
        "checkpointing": None if reading.checkpointing is None else reading.checkpointing != "none",
        "gpus": reading.gpus,
    }  # fmt: skip


def _from_picture(name: str, reading: Reading) -> str:
    """The image-to-video version of a video model, where that is what is to be made: "Wan2.2 14B 图生视频"."""
    found = find_diffusion_model(name)
    other = found[0].id.replace("T2V", "I2V") if found else name
    drawn = re.search(r"图生视频|图片生成视频|image[ -]to[ -]video|i2v", reading.normal.lower())
    return other if drawn and found and other != found[0].id and find_diffusion_model(other) else name


def _speech(reading: Reading) -> Planned:
    names = reading.speech_models or [mention.text for mention in reading.models] or list(FEEL_OF["speech"])
    return "size_asr", [{"model": name} for name in names], {
        "dtype": reading.weight_dtype,
        "batch": reading.batch or reading.concurrency,
        "beam": reading.beam,
    }  # fmt: skip


def _cpu(reading: Reading) -> Planned:
    named = _models(reading) or [{"model": name} for name in reading.speech_models]
    return "size_cpu", named, {
        "dtype": reading.weight_dtype,
        "context": reading.context,
        "concurrency": reading.concurrency,
        "families": [mention.name for mention in reading.families],
    }  # fmt: skip


def _models(reading: Reading) -> list[Args]:
    if reading.config_json:
        return [{"config_json": reading.config_json}]
    return [{"model": mention.model_id if mention.text[:1].isdigit() and mention.model_id else mention.text} for mention in reading.models]


_JOBS: dict[str, Callable[[Reading], Planned]] = {
    "llm_training": _training,
    "encoder_training": _encoder,
    "hybrid": _hybrid,
    "vision_training": _vision,
    "vision_inference": _vision,
    "encoder_inference": _encoder,
    "diffusion_inference": _diffusion,
    "diffusion_training": _diffusion,
    "asr_inference": _speech,
    "cpu_inference": _cpu,
}
