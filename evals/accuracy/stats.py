"""Errors of many rows in a few figures. Percent are signed (predicted / measured − 1) unless named absolute."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, median

from pydantic import BaseModel, ConfigDict

from .rows import Measure

CLOSE_PCT = 10
"""What counts as close in `within_10_pct`."""


class Figures(BaseModel):
    """Errors of one quantity. `carried`: rows whose source prints the figure; `in_band`: share of the rows with a
    printed band that lie inside it, null where none has one."""

    model_config = ConfigDict(extra="forbid")

    n: int
    carried: int | None = None
    median_abs_pct: float
    mean_abs_pct: float
    p90_abs_pct: float
    max_abs_pct: float
    bias_pct: float
    within_10_pct: float
    in_band: float | None


class Count(BaseModel):
    """Rows, and how many of them are judged as they turned out."""

    n: int
    agree: int


class Agreement(Count):
    """Rows that ran must fit, rows that did not must not."""

    ran: Count
    failed: Count


def error_pct(measure: Measure) -> float:
    """Signed error in percent of the measured figure."""
    return 100 * (measure.predicted / measure.measured - 1)


def percentile(values: Sequence[float], share: float) -> float:
    """Linear between the two nearest ranks, as numpy does."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below, above = math.floor(place), math.ceil(place)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def figures(measures: Sequence[Measure], *, carried: int | None = None) -> Figures:
    """Errors of measures of one quantity; at least one."""
    errors = [error_pct(measure) for measure in measures]
    absolute = [abs(error) for error in errors]
    return Figures(
        n=len(errors),
        carried=carried,
        median_abs_pct=median(absolute),
        mean_abs_pct=fmean(absolute),
        p90_abs_pct=percentile(absolute, 0.9),
        max_abs_pct=max(absolute),
        bias_pct=fmean(errors),
        within_10_pct=fmean(error <= CLOSE_PCT for error in absolute),
        in_band=_in_band(measures),
    )


def _in_band(measures: Iterable[Measure]) -> float | None:
    inside = [m.low <= m.measured <= m.high for m in measures if m.low is not None and m.high is not None]
    return fmean(inside) if inside else None


def agreement(measures: Sequence[Measure]) -> Agreement:
    """How many are judged right, in both directions."""
    ran, failed = (_count([m for m in measures if bool(m.measured) is outcome]) for outcome in (True, False))
    return Agreement(n=ran.n + failed.n, agree=ran.agree + failed.agree, ran=ran, failed=failed)


def agrees(measure: Measure) -> bool:
    """Whether a `fits` row is judged as it turned out."""
    return bool(measure.measured) == bool(measure.predicted)


def _count(measures: Sequence[Measure]) -> Count:
    return Count(n=len(measures), agree=sum(map(agrees, measures)))


def quantities(measures: Iterable[Measure], *, carried: dict[str, int] | None = None) -> dict[str, Figures | Agreement]:
    """Figures of each quantity that occurs."""
    found: dict[str, list[Measure]] = defaultdict(list)
    for measure in measures:
        found[measure.quantity].append(measure)
    return {
        name: agreement(rows) if name == "fits" else figures(rows, carried=(carried or {}).get(name))
        for name, rows in found.items()
    }


def by_group(measures: Iterable[Measure]) -> dict[str, dict[str, Figures | Agreement]]:
    """Figures of each group, "name: value"; the groups of one name together, larger ones first."""
    found: dict[tuple[str, str], list[Measure]] = defaultdict(list)
    for measure in measures:
        for name, value in measure.groups.items():
            found[name, value].append(measure)
    order = sorted(found, key=lambda key: (key[0], -len(found[key]), key[1]))
    return {f"{name}: {value}": quantities(found[name, value]) for name, value in order}


def is_usable(measure: Measure) -> bool:
    """Whether an error can be told: finite figures, and a measured one above zero (but for `fits`)."""
    finite = math.isfinite(measure.measured) and math.isfinite(measure.predicted)
    return finite and (measure.quantity == "fits" or measure.measured > 0)
