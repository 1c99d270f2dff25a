"""Rates that are asked for: requests and tokens per second, and the time to the first token."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Protocol

from .lexicon import read_table

FASTEST_READER = 400
"""Tokens per second above which a rate without a word is that of the whole service: no single stream is asked for that fast."""


class Rated(Protocol):
    """A number with its role and its place."""

    @property
    def role(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


@cache
def _words(key: str) -> re.Pattern[str]:
    return re.compile(read_table("rates_of")[key])


def find_rates(found: Iterable[Rated], lower: str) -> dict[str, float]:
    """`qps`, `ttft_s`, `tokens_per_s` (of one user) and `total_tokens_per_s`, the first of each that is said."""
    rates: dict[str, float] = {}
    for quantity in found:
        field, value = _rate(quantity, lower)
        if field and value > 0:
            rates.setdefault(field, value)
    return rates


def _rate(quantity: Rated, lower: str) -> tuple[str, float]:
    in_ms = re.match(r"\s?(?:ms|毫秒)", lower[quantity.end : quantity.end + 4]) is not None
    seconds = quantity.value / 1000 if in_ms else quantity.value
    match quantity.role:
        case "qps":
            return "qps", quantity.value
        case "qps_minute":
            return "qps", quantity.value / 60
        case "ttft":
            return "ttft_s", seconds
        case "tpot":
            return "tokens_per_s", round(1 / seconds, 3) if seconds > 0 else 0.0
        case "token_rate":
            return _of_one_or_all(quantity, lower), quantity.value
    return "", 0.0


def _of_one_or_all(quantity: Rated, lower: str) -> str:
    """Whether a rate of tokens is that of each user: by the words of its clause, else by its size."""
    behind = re.split(r"[,，。;；\n?!]", lower[max(0, quantity.start - 40) : quantity.start])[-1]
    after = re.split(r"[,，。;；\n?!]", lower[quantity.end : quantity.end + 40])[0]
    clause = f"{behind} {after}"
    if _words("each").search(clause):
        return "tokens_per_s"
    return "total_tokens_per_s" if _words("all").search(clause) or quantity.value > FASTEST_READER else "tokens_per_s"
