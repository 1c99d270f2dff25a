"""The workload of an official statement as a job of ours: the very functions that `size …` uses."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from knowledge.errors import InputError
from tools.jobs.ask import JobAsk
from tools.lookup import look_up_model
from tools.places import Place
from tools.units import GIB

from .official_places import is_slice, on_name
from .rows import Row, number, text

SHORT_CONTEXT = 2048
"""Tokens of prompt and answer where a page states none: "short context, one user"."""

PRECISIONS = (("fp8", "fp8"), ("int8", "int8"), ("fp16", "fp16"), ("bf16", "bf16"), ("int4", "int4"))
"""Words of the field `precision`, the first that occurs; "as released" is the model's own."""

ENGINES = ("vllm", "sglang")
PLAIN_ENGINE = "transformers"
METHODS = (("qlora", "qlora"), ("lora", "lora"), ("p-tuning", "p-tuning v2"), ("full", "full"), ("sft", "full"))
"""Words of the field `method`, the first that occurs: "QLoRA/LoRA (gallery default)" of a 16 GB line is QLoRA."""


@dataclass(frozen=True)
class Judged:
    """Our sum for one place."""

    fits: bool
    required_gib: float | None
    limit_gib: float
    settings: str
    why: str = ""


Judge = Callable[[Row, Place, float], Judged]


def judge(row: Row, place: Place, *, utilization: float) -> Judged:
    """Our sum for the row's job on the place. Raises InputError for a workload, model or method that is not known."""
    workload = text(row, "workload") or "not stated"
    if workload not in JUDGES:
        raise InputError(f"workload {workload} is not one that is sized")
    return JUDGES[workload](row, place, utilization)


def weights_gib(row: Row) -> float | None:
    """Weights by plain arithmetic, for language models whose row has none; None for all else."""
    if not (text(row, "workload") or "").startswith("llm"):
        return None
    from tools.architecture import complete_shape
    from tools.weights import weights_bytes

    model = complete_shape(look_up_model(_model(row)).model)
    return weights_bytes(model, "int4" if _is_quantised(row) else precision_of(row) or "bf16") / GIB


def precision_of(row: Row) -> str | None:
    """Precision of the weights as the row states it; None is the model's own."""
    words = (text(row, "precision") or "").lower()
    return next((precision for word, precision in PRECISIONS if word in words), None)


def _is_quantised(row: Row) -> bool:
    return "qlora" in (text(row, "method") or "").lower() or "int4" in (text(row, "precision") or "").lower()


def _model(row: Row) -> str:
    name = text(row, "model")
    if name is None:
        raise InputError("missing: model")
    return name


def _serving(row: Row, place: Place, utilization: float) -> Judged:
    """By the engine that the page names; where it names none, by vLLM, and by plain generation where vLLM does not do."""
    named = _engine(row)
    judged = _served(row, place, utilization, named or "vllm")
    if named or judged.fits:
        return judged
    plain = _served(row, place, utilization, PLAIN_ENGINE)
    return plain if plain.fits else judged


def _served(row: Row, place: Place, utilization: float, engine: str) -> Judged:
    from tools.advise import Wish
    from tools.sizing import LlmRequest, size_llm

    if is_slice(place):
        raise InputError(f"a slice of {place.gpu.memory_gb:g} GB is no place to serve a language model from")
    context = number(row, "context_tokens")
    request = LlmRequest(
        model=_model(row),
        weight_dtype=precision_of(row),
        context=int(context) if context else SHORT_CONTEXT,
        concurrency=1,
        engine=engine,
        on=(on_name(place),),
        wish=Wish(utilization=utilization),
    )
    sizing = size_llm(request)
    check = sizing.checks[0]
    settings = f"{engine}, {sizing.weight_dtype}, {sizing.context} tokens, {sizing.concurrency} user"
    why = check.blocked or (f"fits with {check.fits_with}" if check.fits_with else "")
    return Judged(check.fits, check.required_gib, check.limit_gib, settings, why)


def _engine(row: Row) -> str | None:
    words = (text(row, "engine") or "").lower()
    return next((engine for engine in ENGINES if engine in words), None)


def _training(row: Row, place: Place, utilization: float) -> Judged:
    from tools.training.ask import TrainRequest, train_ask

    context, method = number(row, "context_tokens"), method_of(row)
    request = TrainRequest(
        model=_model(row),
        method=method,
        seq=int(context) if context else SHORT_CONTEXT,
        micro_batch=batch_of(row) or 1,
        precision="int4" if method != "full" and _is_quantised(row) else None,
        gpus=place.gpus,
    )
    return _asked(train_ask(request), place, utilization, ("method", "base", "seq", "micro_batch"))


def method_of(row: Row) -> str:
    """Method of the row in one word of ours. Raises InputError when it states none, or is no training."""
    words = (text(row, "method") or "").lower()
    if not words:
        raise InputError("missing: method")
    if "conversion" in words:
        raise InputError(f"method {text(row, 'method')}: converting a checkpoint is not sized")
    found = next((method for word, method in METHODS if word in words), None)
    if found is None:
        raise InputError(f"method {text(row, 'method')} is not known")
    return found


def _vision(row: Row, place: Place, utilization: float) -> Judged:
    from tools.vision.ask import vision_ask
    from tools.vision.request import VisionRequest

    training = text(row, "workload") == "vision_train"
    request = VisionRequest(
        arch=_model(row),
        crop=crop_of(row),
        batch=batch_of(row),
        precision=precision_of(row) if text(row, "precision") in ("fp16", "bf16") else None,
        training=training,
        gpus=place.gpus if training else None,
    )
    return _asked(vision_ask(request), place, utilization, ("batch", "height", "width", "precision"))


def _asked(ask: JobAsk, place: Place, utilization: float, shown: tuple[str, ...]) -> Judged:
    """The job's own sum on the place; `shown` are the settings worth naming."""
    from tools.jobs.places import fit_on, reason

    fit = fit_on(ask.demand, place, utilization)
    settings = ", ".join(f"{name} {ask.settings[name]}" for name in shown if ask.settings.get(name) is not None)
    return Judged(fit.fits, fit.required_gib, fit.limit_gib, settings, reason(ask, fit, place, "en") or "")


def crop_of(row: Row) -> tuple[int, int] | None:
    """512x512 anywhere in the row, or the (224) behind a classifier's name."""
    words = f"{text(row, 'model') or ''} {text(row, 'note') or ''}"
    found = re.search(r"\b(\d{3,4})\s*[x×]\s*(\d{3,4})\b", words)
    if found:
        return int(found[1]), int(found[2])
    side = re.search(r"\((\d{3,4})\)", words)
    return (int(side[1]), int(side[1])) if side else None


def batch_of(row: Row) -> int | None:
    """Images or sequences per GPU, where the row says so."""
    words = f"{text(row, 'load') or ''} {text(row, 'note') or ''}"
    found = re.search(r"\bbatch (\d+)\b", words)
    return int(found[1]) if found else None


JUDGES: dict[str, Judge] = {"llm_inference": _serving, "llm_finetune": _training, "vision_train": _vision, "vision_infer": _vision}
