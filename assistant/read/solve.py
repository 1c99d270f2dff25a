"""What is to be solved for: the largest context, number of users, batch, crop or LoRA rank that fits."""

from __future__ import annotations

import re
from functools import cache
from typing import get_args

from .lexicon import read_table
from .reading import Solve


@cache
def _patterns() -> tuple[tuple[Solve, re.Pattern[str]], ...]:
    table = read_table("solve")

    def compiled(patterns: list[str]) -> re.Pattern[str]:
        joined = "|".join(f"(?:{pattern})" for pattern in patterns)
        for name in ("most", "can", "gap"):
            joined = joined.replace(f"<{name}>", table[name])
        return re.compile(joined)

    return tuple((quantity, compiled(table["patterns"][quantity])) for quantity in get_args(Solve))


@cache
def _asks() -> re.Pattern[str]:
    """Words without one of which nothing is solved for."""
    return re.compile(r"多|几|最|极限|上限|how |max|largest|longest|biggest|highest|what |peak|fits|can ")


def find_solve(lower: str) -> Solve | None:
    """`context`, `concurrency`, `batch`, `crop` or `lora_rank` where a question asks for the largest; the first asked."""
    if not _asks().search(lower):
        return None
    found = [(match.start(), quantity) for quantity, pattern in _patterns() if (match := pattern.search(lower))]
    return min(found)[1] if found else None
