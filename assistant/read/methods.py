"""The kind of job, the training method and the engine of a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from tools.results import Job

from .lexicon import Hit

TUNING = ("qlora", "lora", "dora", "freeze", "full")
"""What of the weights is trained; the other methods of the table say to what end, and stand for the method where nothing else is said."""
_IMPLIES_TRAINING = {*TUNING, "pretrain", "rlhf", "dpo"}
SHORTEST = 24
"""Characters up to which a processor named last is where it is to run: "SenseVoice CPU"."""
_FOUR_BIT = {"int4", "nf4", "awq", "gptq"}


def names_of(hits: Iterable[Hit], table: str) -> list[str]:
    """Names of one table, each once, in the order of the text."""
    return list(dict.fromkeys(hit.name for hit in hits if hit.table == table))


def is_training(hits: Sequence[Hit]) -> bool:
    """Whether the question is about training; "训练好的模型" and "a pretrained model" are not."""
    jobs = names_of(hits, "jobs")
    taken = any(name in _IMPLIES_TRAINING for name in names_of(hits, "methods"))
    return bool({"training", "diffusion_training"} & set(jobs)) or taken


def find_method(hits: Sequence[Hit], dtypes: Sequence[str]) -> str | None:
    """Training method; LoRA on 4-bit weights is QLoRA."""
    methods = names_of(hits, "methods")
    if not methods:
        return None
    method = "qlora" if "qlora" in methods else next((name for name in methods if name in TUNING), methods[0])
    return "qlora" if method == "lora" and _FOUR_BIT & set(dtypes) else method


def find_methods(hits: Sequence[Hit]) -> list[str]:
    """What of the weights may be trained, where several ways are named side by side: full, LoRA, QLoRA."""
    methods = [name for name in names_of(hits, "methods") if name in TUNING]
    return methods if len(methods) > 1 else []


def find_engine(hits: Sequence[Hit]) -> str | None:
    """The first inference engine named."""
    engines = names_of(hits, "engines")
    return engines[0] if engines else None


_BY_MODALITY: dict[str, tuple[Job, Job]] = {
    "text": ("llm_inference", "llm_training"),
    "vision-language": ("llm_inference", "llm_training"),
    "diffusion": ("diffusion_inference", "diffusion_training"),
    "encoder": ("encoder_inference", "llm_training"),
    "asr": ("asr_inference", "llm_training"),
}
_BY_WORD = {"diffusion": "diffusion", "diffusion_training": "diffusion", "encoder": "encoder", "asr": "asr", "llm": "text"}


def find_job(
    hits: Sequence[Hit], *, modality: str | None, has_network: bool, sized: bool, about_llm: bool, batched: bool = False, adapters: bool = False, settings: bool = False, on_cpu: bool = False
) -> Job | None:
    """Kind of job. The model's modality goes before words; `sized` is a bare size (7B), `about_llm` a context or users;
    a vision network with a batch and no word of serving is trained; `adapters` are LoRAs that are served, `settings`
    such that only training has, `on_cpu` says that a processor serves.
    """
    jobs = [*names_of(hits, "jobs"), *(["cpu_only"] if on_cpu else [])]
    serves = bool({"inference", "running"} & set(jobs))
    trains = "training" in jobs or "diffusion_training" in jobs
    training = (is_training(hits) or settings) and not (("inference" in jobs or adapters) and not trains)
    if modality is None:
        modality = next((_BY_WORD[word] for word in _BY_WORD if word in jobs), None)
    if has_network or ("vision" in jobs and modality in (None, "text") and not sized):
        return "vision_training" if training or (batched and not serves) else _on_cpu(jobs, "vision_inference")
    if modality is None and (sized or about_llm or training):
        modality = "text" if sized or about_llm or settings or names_of(hits, "methods") or "model_choice" in names_of(hits, "topics") else None
    if modality is None:
        return "cpu_inference" if "cpu_only" in jobs else None
    serving, learning = _BY_MODALITY[modality]
    return learning if training else _on_cpu(jobs, serving)


@cache
def _cpu() -> re.Pattern[str]:
    return re.compile(
        r"^(?:那|换成?|改成?|改用|用|只用|和|and |what about |how about |on |with |only |(?:an? )){0,3}(?:纯 ?)?cpu(?: ?only)?(?: ?(?:呢|行吗|可以吗|行不行))?\W{0,3}$|(?<![a-z])cpu ?\d{1,3} ?核[^,.;?]{0,4}(?:够|行|能|跑)|(?<![a-z])cpu ?(?:实例|服务器|机器|主机|节点|版|上|云主机)? ?(?:上|来)?(?:能不能|能否|能|可以|行不行|行|够|跑|推|部署|上线|做)(?!卸载)"
        r"|(?:用|靠|拿|在|放) ?(?:普通|纯|单纯|一般)?(?:的)? ?cpu(?! ?(?:offload|卸载|内存|占用|利用率|核|数))(?: ?(?:实例|服务器|机器|主机|节点))? ?(?:上)?(?:跑|推理|部署|做|上|服务|来)"
        r"|(?<!offload )(?<!offloaded )(?<!offloading )(?<!optimizer )(?<!states )(?<!weights )(?:on|using|via) (?:an? |the |our |my |pure |plain |just |only |intel |amd |xeon |epyc |arm |\d{1,3}[ -]cores? ){0,3}cpus?(?![a-z])(?! ?(?:offload|memory|ram|usage|adam|utili))"
    )


def speaks_of_cpu(lower: str) -> bool:
    """Whether a processor is to serve: "CPU 行吗", "on a 32-core CPU"; what is offloaded to it is not meant."""
    if len(lower) <= SHORTEST and re.search(r"(?<![a-z])(?<!to )(?<!offload )(?<!到)cpu\W{0,3}$", lower):
        return True
    return "cpu" in lower and _cpu().search(lower) is not None


def _on_cpu(jobs: Sequence[str], job: Job) -> Job:
    return "cpu_inference" if "cpu_only" in jobs else job
