"""The kind of job, the training method, the engine and the vision network of a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from tools.results import Job

from .lexicon import Hit

_IMPLIES_TRAINING = {"qlora", "lora", "full", "pretrain", "rlhf", "dpo"}
_FOUR_BIT = {"int4", "nf4", "awq", "gptq"}


def names_of(hits: Iterable[Hit], table: str) -> list[str]:
    """Names of one table, each once, in the order of the text."""
    return list(dict.fromkeys(hit.name for hit in hits if hit.table == table))


def is_training(hits: Sequence[Hit]) -> bool:
    """Whether the question is about training; "训练好的模型" and "a pretrained model" are not."""
    jobs = names_of(hits, "jobs")
    taken = any(name in _IMPLIES_TRAINING for name in names_of(hits, "methods"))
    return "training" in jobs or taken


def find_method(hits: Sequence[Hit], dtypes: Sequence[str]) -> str | None:
    """Training method; LoRA on 4-bit weights is QLoRA."""
    methods = names_of(hits, "methods")
    if not methods:
        return None
    method = "qlora" if "qlora" in methods else methods[0]
    return "qlora" if method == "lora" and _FOUR_BIT & set(dtypes) else method


def find_engine(hits: Sequence[Hit]) -> str | None:
    """The first inference engine named."""
    engines = names_of(hits, "engines")
    return engines[0] if engines else None


@cache
def _suffix() -> re.Pattern[str]:
    part = r"(?:(?<! )v?\d{1,3}(?:\.\d)?[a-z]{0,3}|[bmslnxt]\d?|tiny|small|base|large|huge|nano|r-?\d{2,3}(?:-?d8)?|w\d{2}s?|3d|2d|fullres|lowres|seg|swin-?[tsbl]?|resnet-?\d{2,3}|convnext-?[tsbl]?|vit-?[bl]?|mask2former|deeplabv3|upernet|maskformer|fcn|ocr|mit-?b\d|d8)"
    return re.compile(rf"(?:[ _+\-/]?{part}(?![a-z0-9]|\s?[x×*]\s?\d)){{1,4}}\+?")


def find_network(text: str, hits: Sequence[Hit]) -> tuple[str, str] | None:
    """The first vision network as typed, with its suffix, and its task: ("SegFormer-B5", "segmentation")."""
    for hit in hits:
        if hit.table == "networks":
            suffix = _suffix().match(text.lower(), hit.end)
            end = suffix.end() if suffix else hit.end
            return text[hit.start : end].strip(), hit.name
    return None


_BY_MODALITY: dict[str, tuple[Job, Job]] = {
    "text": ("llm_inference", "llm_training"),
    "vision-language": ("llm_inference", "llm_training"),
    "diffusion": ("diffusion_inference", "diffusion_training"),
    "encoder": ("encoder_inference", "llm_training"),
    "asr": ("asr_inference", "llm_training"),
}
_BY_WORD = {"diffusion": "diffusion", "encoder": "encoder", "asr": "asr", "llm": "text"}


def find_job(
    hits: Sequence[Hit], *, modality: str | None, has_network: bool, sized: bool, about_llm: bool, batched: bool = False
) -> Job | None:
    """Kind of job. The model's modality goes before words; `sized` is a bare size (7B), `about_llm` a context or users;
    a vision network with a batch and no word of serving is trained.
    """
    jobs = names_of(hits, "jobs")
    serves = bool({"inference", "running"} & set(jobs))
    training = is_training(hits) and not ("inference" in jobs and "training" not in jobs)
    if modality is None:
        modality = next((_BY_WORD[word] for word in _BY_WORD if word in jobs), None)
    if has_network or ("vision" in jobs and modality in (None, "text") and not sized):
        return "vision_training" if training or (batched and not serves) else _on_cpu(jobs, "vision_inference")
    if modality is None and (sized or about_llm or training):
        modality = "text" if sized or about_llm or names_of(hits, "methods") else None
    if modality is None:
        return "cpu_inference" if "cpu_only" in jobs else None
    serving, learning = _BY_MODALITY[modality]
    return learning if training else _on_cpu(jobs, serving)


def _on_cpu(jobs: Sequence[str], job: Job) -> Job:
    return "cpu_inference" if "cpu_only" in jobs else job
