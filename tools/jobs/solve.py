"""The largest value of a quantity that still fits: largest batch, longest sequence, highest rank."""

from __future__ import annotations

import unicodedata

from knowledge.errors import InputError
from tools.phrases import Language, read_phrases, say
from tools.places import Place, places
from tools.results import Recommendation
from tools.solved import Solved
from tools.solved import largest as largest

from .ask import JobAsk, Solvable
from .places import fit_on, reason

PHRASES = "phrases/jobs.toml"

OTHER_NAMES = {
    "seq": "context", "sequence": "context", "length": "context", "tokens": "context", "max-length": "context",
    "seq-len": "context", "seq-length": "context", "context-length": "context", "上下文": "context", "序列长度": "context", "长度": "context",
    "bs": "batch", "batch-size": "batch", "micro-batch": "batch", "micro-batch-size": "batch", "批量": "batch", "批大小": "batch",
    "rank": "lora-rank", "r": "lora-rank", "lora": "lora-rank", "秩": "lora-rank", "lora-秩": "lora-rank",
    "side": "crop", "size": "crop", "resolution": "crop", "pixels": "crop", "分辨率": "crop", "边长": "crop",
    "frame": "frames", "帧数": "frames", "num-frames": "frames",
}  # fmt: skip
"""Other names of what may be solved for, in the spelling of `quantity_name`."""


def solve_for(
    ask: JobAsk, quantity: str, named: list[Place], *, first: Recommendation | None, language: Language
) -> list[Solved]:
    """The largest value on each place. `first` is the machine that takes the job as asked.

    Raises InputError, naming what can be solved for, when the job has no such quantity.
    """
    named_so = quantity_name(quantity)
    solvable = next((item for item in ask.solve if item.quantity == named_so), None)
    if solvable is None:
        known = ", ".join(item.quantity for item in ask.solve) or "-"
        raise InputError(say(read_phrases("tools", PHRASES), "cannot_solve", language, quantity=quantity[:40], known=known))
    return [_solve(ask, solvable, place, first, language) for place in named]


def quantity_name(given: str) -> str:
    """The name of a quantity, whatever its spelling: `lora_rank`, `LoRA rank` and `rank` are `lora-rank`."""
    plain = "-".join(unicodedata.normalize("NFKC", given).casefold().replace("_", " ").replace("-", " ").split())
    return OTHER_NAMES.get(plain, plain)


def places_of(names: tuple[str, ...]) -> list[Place]:
    """All places of the names, each card and count once."""
    found = [place for name in names for place in places(name)]
    return list({(place.gpu.gpu_id, place.gpu.memory_gb, place.gpus): place for place in reversed(found)}.values())[::-1]


def _solve(
    ask: JobAsk, solvable: Solvable, place: Place, first: Recommendation | None, language: Language
) -> Solved:
    share = ask.wish.utilization
    value = largest(
        lambda tried: fit_on(solvable.demand_of(tried), place, share).fits,
        low=solvable.low, high=solvable.high, step=solvable.step,
    )  # fmt: skip
    fit = fit_on(solvable.demand_of(value or solvable.low), place, share)
    short = solvable.wished is not None and (value or 0) < solvable.wished
    return Solved(
        quantity=solvable.quantity,
        value=value or 0,
        label=place.label,
        instance_type=place.instance_type,
        gpu_id=place.gpu.gpu_id,
        gpus=place.gpus,
        required_gib=fit.required_gib,
        limit_gib=fit.limit_gib,
        capped=value is not None and value + solvable.step > solvable.high,
        blocked=reason(ask, fit, place, language),
        wished=solvable.wished,
        next_machine=first if short else None,
    )
