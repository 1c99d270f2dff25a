"""A training run as it is asked for, and what it comes to: tokens, parameters, method, or hours that are known already."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.errors import InputError
from knowledge.rows import Model
from tools.lookup import look_up_model
from tools.phrases import Language
from tools.training.job import method_name

from .figures import sentence
from .limits import positive
from .training_work import Work, work_of

PASS_TOKENS = 2048
"""Of one forward pass where no length is said: what trainers usually take."""
MOST = {
    "tokens": 1e15, "samples": 1e12, "sample_tokens": 1e8, "epochs": 1e5, "parameters": 1e14, "per_second": 1e9,
}  # fmt: skip
QUANTISED_BASES = ("bf16", "fp16", "fp32")


@dataclass(frozen=True)
class TrainingRun:
    """What is trained; None was not said.

    Tokens of one epoch as `tokens`, or `samples` of `sample_tokens` each; parameters as such or as `model`. `pass_tokens` are
    those of one forward pass (sequence × micro-batch). `hours` of the whole run or `gpu_hours` stand for all of it;
    `images` and the measured `images_per_s` of all cards together for a vision run (`vision`).
    """

    tokens: float | None = None
    samples: float | None = None
    sample_tokens: float | None = None
    epochs: float = 1
    model: str = ""
    parameters: float | None = None
    method: str | None = None
    checkpointing: bool = True
    pass_tokens: int | None = None
    hours: float | None = None
    gpu_hours: float | None = None
    images: float | None = None
    images_per_s: float | None = None
    vision: bool = False


@dataclass(frozen=True)
class TokenRun:
    """A run over tokens, settled."""

    tokens: float
    work: Work
    kind: str  # full | adapter
    label: str  # the method as one writes it
    quantised: bool
    pass_tokens: int
    sequence: int
    recompute: bool
    whole: int  # parameters that must lie somewhere
    moe: bool
    shape_known: bool


def check_run(run: TrainingRun, language: Language) -> TrainingRun:
    """The run with every number in its limits. Raises InputError."""
    for name in ("tokens", "samples", "sample_tokens", "epochs", "parameters"):
        value = getattr(run, name)
        if value is not None:
            positive(value, name, MOST[name], language)
    for name, limit in (("hours", "hours"), ("gpu_hours", "hours"), ("images", "samples"), ("images_per_s", "per_second")):
        value = getattr(run, name)
        if value is not None:
            positive(value, limit, MOST.get(limit, 1e9), language)
    if run.pass_tokens is not None:
        positive(run.pass_tokens, "sample_tokens", MOST["sample_tokens"], language)
    return run


def token_run(run: TrainingRun, language: Language) -> TokenRun:
    """Tokens, work and method of a run. Raises InputError for one that says too little, UnknownModel for an unknown model."""
    tokens = run.tokens if run.tokens is not None else _of_samples(run)
    model = look_up_model(run.model, language=language).model if run.model else None
    if tokens is None or (model is None and run.parameters is None):
        raise InputError(sentence("train.vision" if run.vision or run.images else "train.nothing", language))
    kind, label, quantised = _method(run.method, language)
    sequence = int(run.sample_tokens or run.pass_tokens or PASS_TOKENS)
    work = work_of(model) if model and run.parameters is None else Work(int(run.parameters or 0))
    return TokenRun(
        tokens=tokens * run.epochs, work=work, kind=kind, label=label, quantised=quantised,
        pass_tokens=int(run.pass_tokens or sequence), sequence=sequence, recompute=run.checkpointing,
        whole=model.params_total if model else work.parameters, moe=_is_mixture(model), shape_known=work.layers > 0,
    )  # fmt: skip


def _is_mixture(model: Model | None) -> bool:
    return bool(model and model.params_active and model.params_active < model.params_total)


def _of_samples(run: TrainingRun) -> float | None:
    if run.samples is None or run.sample_tokens is None:
        return None
    return run.samples * run.sample_tokens


def _method(typed: str | None, language: Language) -> tuple[str, str, bool]:
    """(full or adapter, label, whether the base lies in few bits). LoRA where nothing was said."""
    from knowledge.training_facts import training_methods

    row = training_methods()[method_name(typed or "lora", language=language)]
    return ("full" if row.kind == "full" else "adapter"), row.label, row.kind == "adapter" and row.base not in QUANTISED_BASES
