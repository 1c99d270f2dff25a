"""What our sums say of one place, and how an official row's words become settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from knowledge.errors import InputError
from tools.jobs.ask import JobAsk
from tools.jobs.places import fit_on, reason
from tools.places import Place

from .rows import Row, text

PRECISIONS = (("fp8", "fp8"), ("int8", "int8"), ("fp16", "fp16"), ("bf16", "bf16"), ("int4", "int4"))
"""Words of the field `precision`, the first that occurs; "as released" is the model's own."""

CLIPS = {"480": (480, 832), "720": (720, 1280), "1080": (1080, 1920)}
"""Height and width of clips by their usual names."""


@dataclass(frozen=True)
class Judged:
    """Our sum for one place."""

    fits: bool
    required_gib: float | None
    limit_gib: float
    settings: str
    why: str = ""


Judge = Callable[[Row, Place, float], Judged]
"""A row's job on a place, at a share of the card."""


def judge_ask(ask: JobAsk, place: Place, utilization: float, shown: tuple[str, ...]) -> Judged:
    """The job's own sum on the place; `shown` are the settings worth naming."""
    fit = fit_on(ask.demand, place, utilization)
    settings = ", ".join(f"{name} {ask.settings[name]}" for name in shown if ask.settings.get(name) is not None)
    return Judged(fit.fits, fit.required_gib, fit.limit_gib, settings, reason(ask, fit, place, "en") or "")


def model_of(row: Row) -> str:
    """The model's name. Raises InputError when there is none."""
    name = text(row, "model")
    if name is None:
        raise InputError("missing: model")
    return name


def precision_of(row: Row) -> str | None:
    """Precision of the weights as the row states it; None is the model's own."""
    words = (text(row, "precision") or "").lower()
    return next((precision for word, precision in PRECISIONS if word in words), None)


def size_of(row: Row) -> tuple[int, int] | None:
    """Height and width: 512x512 or 720p anywhere in the row, or the (224) behind a classifier's name."""
    words = f"{model_of(row)} {text(row, 'note') or ''}"
    if found := re.search(r"\b(\d{3,4})\s*[x×]\s*(\d{3,4})\b", words):
        return int(found[1]), int(found[2])
    if found := re.search(r"\b(480|720|1080)p\b", words.lower()):
        return CLIPS[found[1]]
    side = re.search(r"\((\d{3,4})\)", words)
    return (int(side[1]), int(side[1])) if side else None


def batch_of(row: Row) -> int | None:
    """Images or sequences per GPU, where the row says so."""
    found = re.search(r"\bbatch (\d+)\b", f"{text(row, 'load') or ''} {text(row, 'note') or ''}")
    return int(found[1]) if found else None
