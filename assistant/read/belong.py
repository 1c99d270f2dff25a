"""Which fields of a reading belong to which job: what another job has no use for is dropped, a length becomes a side."""

from __future__ import annotations

from typing import Any

from knowledge.facts import families, instances

from .reading import Reading

LARGEST_SIDE = 8192
"""Pixels up to which a bare number beside a vision network is the side of its input."""

_TRAINING = ("method", "methods", "optimizer", "checkpointing", "sharding", "lora_rank", "packing", "accumulate", "objective", "cross_entropy", "global_batch", "generations")
_VISION = ("task", "classes", "amp", "inference", "networks")
_SERVING = (
    "qps", "ttft_s", "tokens_per_s", "total_tokens_per_s", "utilization", "enforce_eager", "max_num_seqs",
    "max_num_batched_tokens", "lora_adapters",
)  # fmt: skip
_LANGUAGE = ("input_tokens", "output_tokens", "pipeline_parallel", "expert_parallel", "data_parallel")
_PICTURES = ("resolution", "frames", "steps", "video_seconds", "diffusion_models")
_SOUND = ("beam", "speech_models")
_OF: dict[str, tuple[str, ...]] = {
    "llm_inference": (*_SERVING, *_LANGUAGE, "flash_attention"),
    "llm_training": (*_TRAINING, *_LANGUAGE, "offload", "flash_attention"),
    "vision_training": (*_TRAINING, *_VISION),
    "vision_inference": (*_VISION, "qps"),
    "encoder_inference": (*_SERVING, "flash_attention", "input_tokens"),
    "diffusion_inference": (*_PICTURES, "offload", "qps", "flash_attention"),
    "diffusion_training": (*_PICTURES, *_TRAINING, "offload", "flash_attention"),
    "asr_inference": (*_SOUND, "qps", "flash_attention"),
    "cpu_inference": (*_SERVING, *_LANGUAGE, *_VISION, *_PICTURES, *_SOUND),
}
_ALL = frozenset(name for names in _OF.values() for name in names)


def fit_to_job(reading: Reading, *, side: int | None = None, memory_gib: float | None = None, seconds: float | None = None) -> Reading:
    """The reading with what its job needs: lengths as sides, machines without a card as CPU, memory as RAM.

    `side` is a bare number that may be the side of a picture, `memory_gib` one said without a card, `seconds` such as
    may be of a video. Without a job,
    everything stays: the question before may say which it is.
    """
    job = _on_cpu_families(reading)
    reading = reading.model_copy(update={"job": job, **_sides(reading, job or "", side)})
    changes: dict[str, Any] = {}
    if job == "cpu_inference" and reading.ram_gib is None and memory_gib is not None:
        changes["ram_gib"] = memory_gib
    if job is not None and job.startswith("diffusion") and reading.video_seconds is None:
        changes["video_seconds"] = seconds
    return reading.model_copy(update=changes)


def drop_foreign(reading: Reading) -> Reading:
    """The reading without the fields that its job has no use for: classes of a language model, frames of a network."""
    if reading.job is None:
        return reading
    job = str(reading.job)
    if reading.crop is not None and job.startswith("diffusion"):  # said after the job: "480P 呢"
        carried = ["resolution" if name == "crop" else name for name in reading.carried]
        reading = reading.model_copy(update={"resolution": reading.crop, "crop": None, "carried": carried})
    if job.startswith("vision") and reading.amp is False and reading.weight_dtype in (None, "amp"):
        reading = reading.model_copy(update={"weight_dtype": "fp32"})
    others = _ALL - set(_OF[job])
    foreign = {name: Reading.model_fields[name].get_default(call_default_factory=True) for name in others if getattr(reading, name) not in (None, [])}
    if not foreign:
        return reading
    return reading.model_copy(update={**foreign, "carried": [name for name in reading.carried if name not in foreign]})


def _sides(reading: Reading, job: str, side: int | None) -> dict[str, Any]:
    """A length is a picture's side for vision ("UNet 512 输入") and means nothing to sound; a crop of a diffusion
    model is what it draws."""
    changes: dict[str, Any] = {}
    if not job.startswith(("vision", "diffusion", "asr")):
        return changes
    crop = reading.crop
    if crop is None and not job.startswith("asr"):
        length = side or (reading.context if (reading.context or LARGEST_SIDE) < LARGEST_SIDE else None)
        crop = (length, length) if length else None
    if reading.context:
        changes |= {"context": None, "contexts": []}
    if job.startswith("diffusion"):
        return {**changes, "resolution": reading.resolution or crop, "crop": None}
    return {**changes, "crop": crop}


SERVED = ("llm_inference", "encoder_inference", "vision_inference", "asr_inference")


def _on_cpu_families(reading: Reading) -> str | None:
    """A model on CPU families or types alone is served by the CPU."""
    rows = [families().get(mention.name) for mention in reading.families]
    rows += [families().get(instances()[mention.name].family) if mention.known else None for mention in reading.instances]
    alone = bool(rows) and not reading.cards and reading.card_memory_gb is None
    if reading.job in SERVED and alone and all(row is not None and row.kind == "cpu" for row in rows):
        return "cpu_inference"
    return reading.job
