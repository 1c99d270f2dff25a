"""The workload of an official statement as a job of ours: the very functions that `size …` uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from knowledge.errors import InputError
from tools.lookup import look_up_model
from tools.places import Place
from tools.units import GIB

from .official_places import is_slice, on_name
from .rows import Row, number, text

SHORT_CONTEXT = 2048
"""Tokens of prompt and answer where a page states none: "short context, one user"."""

PRECISIONS = (("fp8", "fp8"), ("int8", "int8"), ("fp16", "fp16"), ("bf16", "bf16"), ("int4", "int4"))
"""Words of the field `precision`, the first that occurs; "as released" is the model's own."""


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
        on=(on_name(place),),
        wish=Wish(utilization=utilization),
    )
    sizing = size_llm(request)
    check = sizing.checks[0]
    return Judged(
        check.fits, check.required_gib, check.limit_gib, f"{sizing.weight_dtype}, {sizing.context} tokens, {sizing.concurrency} user",
        check.blocked or (f"fits with {check.fits_with}" if check.fits_with else ""),
    )  # fmt: skip


JUDGES: dict[str, Judge] = {"llm_inference": _serving}
