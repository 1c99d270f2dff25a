"""An Estimate of its parts in bytes, with the band that measured rows give; and limits of what may be asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from knowledge.errors import InputError
from knowledge.facts import error_bands

from .phrases import Language, read_phrases, say
from .results import Band, ErrorBand, Estimate, Job
from .units import GIB

WIDE = 0.25
"""Share by which an unmeasured figure may be off, either way (a judgement, said as such)."""


def sum_parts(
    job: Job,
    parts: Mapping[str, float],
    *,
    gpus: int,
    band: str,
    assumptions: list[str],
    command: str | None,
    source_ids: Iterable[str],
) -> Estimate:
    """The Estimate of one GPU. `band` names a row of error_bands.csv; without such a row ±25 % is taken."""
    gib = {name: size / GIB for name, size in parts.items() if size > 0}
    best = sum(gib.values())
    row = error_bands().get(band)
    low, high = (row.low_pct / 100, row.high_pct / 100) if row else (-WIDE, WIDE)
    return Estimate(
        job=job,
        per_gpu_gib=Band(low=best * (1 + min(low, 0.0)), best=best, high=best * (1 + max(high, 0.0))),
        gpus=gpus,
        parts=gib,
        will_show_gib=best,
        assumptions=assumptions,
        basis="formula",
        error_band=ErrorBand(low_pct=row.low_pct, high_pct=row.high_pct, n=row.n, **{"from": row.measured_in}) if row else None,
        command=command,
        source_ids=list(dict.fromkeys(source_ids)),
    )


def check_range(what: str, given: int, *, low: int, high: int, language: Language) -> None:
    """InputError naming the limits when a number lies outside them."""
    if not low <= given <= high:
        table = read_phrases("tools", "phrases/tables.toml")
        shown = f"{given:,}" if abs(given) < 10**15 else f"{given:.1e}"
        raise InputError(say(table, "out_of_range", language, what=what, low=f"{low:,}", high=f"{high:,}", given=shown))


def check_choice(what: str, given: str, choices: Iterable[str], *, language: Language) -> None:
    """InputError naming the choices when a word is none of them."""
    known = list(choices)
    if given not in known:
        table = read_phrases("tools", "phrases/tables.toml")
        raise InputError(say(table, "not_a_choice", language, what=what, choices=", ".join(known), given=repr(given[:40])))
