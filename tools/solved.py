"""The largest value of one quantity that fits: the search, and what it found on a place."""

from __future__ import annotations

from collections.abc import Callable

from .results import Recommendation, Result


class Solved(Result):
    """The largest value of one quantity that fits on a place; 0 when not even the least does."""

    quantity: str
    value: int
    label: str
    instance_type: str | None
    gpu_id: str
    gpus: int
    required_gib: float | None
    limit_gib: float
    capped: bool = False  # the search ends here: more may fit
    blocked: str | None = None
    wished: int | None = None
    tokens_per_s: float | None = None  # each user gets it, by the slow end of the band; None where only memory decides
    next_machine: Recommendation | None = None  # takes the wish where this place does not


def largest(fits: Callable[[int], bool], *, low: int, high: int, step: int = 1) -> int | None:
    """The largest multiple of `step` from `low` to `high` that fits, by halving; None when `low` does not.

    `fits` must not turn true again once it was false.
    """
    least, most = -(-low // step), high // step
    if most < least or not fits(least * step):
        return None
    while least < most:
        middle = (least + most + 1) // 2
        if fits(middle * step):
            least = middle
        else:
            most = middle - 1
    return least * step
