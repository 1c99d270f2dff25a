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


def _of_a_rate(lower: str, match: re.Match[str]) -> bool:
    """Requests in a second are a rate ("一秒能顶多少个请求"); users who each get some tokens a second are not."""
    if not re.search(r"请求|request", match.group()):
        return False
    return re.search(r"[一每]秒|每?分钟|per (?:second|minute|day)|a second|/s|qps|[每一]天", lower[max(0, match.start() - 8) : match.end() + 12]) is not None


@cache
def _asks() -> re.Pattern[str]:
    """Words without one of which nothing is solved for."""
    return re.compile(r"多|几|最|极限|上限|how |max|largest|longest|biggest|highest|what |peak|fits|can ")


@cache
def _between_scripts() -> re.Pattern[str]:
    """A space beside a Chinese character says nothing: 多大的 crop."""
    return re.compile(r"(?<=[\u4e00-\u9fff]) (?=\S)|(?<=\S) (?=[\u4e00-\u9fff])")


def find_solve(lower: str) -> Solve | None:
    """`context`, `concurrency`, `batch`, `crop` or `lora_rank` where a question asks for the largest; the first asked."""
    if not _asks().search(lower):
        return None
    lower = _between_scripts().sub("", lower)
    found = [
        (match.start(), match.end(), quantity)
        for quantity, pattern in _patterns()
        if (match := pattern.search(lower)) and not (quantity == "concurrency" and _of_a_rate(lower, match))
    ]
    first = min(found, default=None)
    if first is None:
        return None
    return max(one for one in found if one[0] < first[1])[2]  # "crop 512 时 batch 能多大": what stands nearest
