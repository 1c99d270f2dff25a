"""Which kind of job a question is about that leans on the one before: training stays training, the kind of model stays."""

from __future__ import annotations

from collections.abc import Sequence

from tools.encoders.names import find_encoder

from .belong import SERVED
from .lexicon import Hit
from .methods import is_training, names_of
from .reading import Reading
from .replies import HARDWARE, SUBJECT

_TRAINED = ("llm", "vision", "diffusion")
"""Kinds that have a job of training by their own name."""


def job_in_thread(reading: Reading, previous: Reading, hits: Sequence[Hit]) -> str | None:
    """The job before, turned to training or to serving where this question says so; the kind of model stays."""
    if reading.job is not None and any(getattr(reading, name) for name in SUBJECT):
        if _names_what_was_to_be_trained(reading, previous, hits):
            kind = reading.job.rpartition("_")[0]
            return f"{kind}_training" if kind in _TRAINED else "llm_training"
        placed = any(getattr(reading, name) for name in HARDWARE)
        if previous.job == "cpu_inference" and not placed and reading.job in SERVED:
            return "cpu_inference"
        same = reading.job.rpartition("_")[0] == (previous.job or "").rpartition("_")[0]
        return previous.job if same and not _says_job(reading, hits) else reading.job
    if reading.job == "cpu_inference" or previous.job is None:
        return reading.job or previous.job
    if previous.job == "cpu_inference" and any(getattr(reading, name) for name in HARDWARE):
        return _served_on_cards(previous)
    kind = previous.job.rpartition("_")[0]
    if is_training(hits):
        return f"{kind}_training" if kind in _TRAINED else "llm_training"
    if "inference" in names_of(hits, "jobs") and kind in _TRAINED:
        return f"{kind}_inference"
    return previous.job


def _served_on_cards(previous: Reading) -> str | None:
    """The job of what a processor was asked to serve, once a card is named."""
    if previous.speech_models:
        return "asr_inference"
    if previous.networks:
        return "vision_inference"
    if previous.diffusion_models:
        return "diffusion_inference"
    named = [mention.text for mention in previous.models]
    return "encoder_inference" if named and all(find_encoder(name) for name in named) else "llm_inference"


def _names_what_was_to_be_trained(reading: Reading, previous: Reading, hits: Sequence[Hit]) -> bool:
    """"我要微调一个模型", then "7B": the model's name, where training was spoken of and nothing was named yet."""
    spoken = "training" in previous.topics and (previous.job is None or previous.job.endswith("training"))
    return spoken and not any(getattr(previous, name) for name in SUBJECT) and not _says_job(reading, hits)


def _says_job(reading: Reading, hits: Sequence[Hit]) -> bool:
    """Whether training or serving is said, or users that only serving has: "换成 DeepLabV3+" says neither."""
    served = {"inference", "running"} & set(names_of(hits, "jobs"))
    return is_training(hits) or bool(served) or reading.concurrency is not None
