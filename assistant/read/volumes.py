"""How many tokens: of a day or a month of a service, and of a training: "每天 5000 万 token", "on 100B tokens"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from .durations import DAYS_PER_MONTH
from .lexicon import read_table
from .normalise import parse_number, scale_of

LEAST_OF_A_TRAINING = 1_000_000
"""Tokens from which a bare figure ("微调 7B，500 万 token") is a data set, not a context."""
SURE = 20_000_000
"""Tokens from which a bare figure is no context, whatever is spoken of."""
LEAST_OF_A_DAY = 10_000
"""Tokens below which input and output are those of one request, even where a day is spoken of."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Volumes:
    """Tokens. `spans` are the stretches of the text that say them."""

    tokens_per_month: float | None = None
    input_per_month: float | None = None
    output_per_month: float | None = None
    training_tokens: float | None = None
    by_day: bool = False
    spans: tuple[Span, ...] = ()


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    table = read_table("volumes")
    return {name: re.compile(table[name].replace("<number>", table["number"])) for name in table if name != "number"}


def find_volumes(lower: str, *, training: bool, priced: bool) -> Volumes:
    """Volumes of tokens in lower-case text.

    `training`: a training is spoken of, so that smaller figures are a data set; `priced`: a price of tokens is told, so that
    a bare figure of a day counts them.
    """
    patterns = _patterns()
    if not priced and not patterns["token_word"].search(lower):
        return Volumes()
    service = _of_service(lower, patterns, bare=priced)
    if service:
        return service
    for match in patterns["tokens"].finditer(lower):
        amount = _amount(match)
        if amount >= (LEAST_OF_A_TRAINING if training else SURE) and not patterns["no_data"].search(lower[: match.start()][-16:]):
            return Volumes(training_tokens=amount, spans=(match.span(),))
    return Volumes()


def _of_service(lower: str, patterns: dict[str, re.Pattern[str]], *, bare: bool) -> Volumes | None:
    """Tokens of a day or a month, in sentences that speak of one; input and output apart where said."""
    found: dict[str, float] = {}
    spans: list[Span] = []
    by_day, start = False, 0
    for sentence in re.split(r"(?<=[?!。;\n])", lower):
        period = patterns["day"].search(sentence) or patterns["month"].search(sentence)
        if period:
            factor = DAYS_PER_MONTH if patterns["day"].search(sentence) else 1
            figures = _figures(sentence, patterns, period, bare=bare)
            for kind, match in figures:
                found.setdefault(kind, _amount(match) * factor)
                by_day = by_day or factor > 1
            spans += [(start + match.start(), start + match.end()) for match in [*(m for _, m in figures), period] if figures]
        start += len(sentence)
    if not found:
        return None
    parts = [found[name] for name in ("input", "output") if name in found]
    total = found.get("all") or (sum(parts) if parts else None)
    return Volumes(total, found.get("input"), found.get("output"), by_day=by_day, spans=tuple(spans))


def _figures(
    sentence: str, patterns: dict[str, re.Pattern[str]], period: re.Match[str], *, bare: bool
) -> list[tuple[str, re.Match[str]]]:
    """The figures of a sentence that count tokens of its period, each as input, output or all; `bare`: without the word too."""
    for place in ("before_", ""):  # "输入 8000 万、输出 2000 万", else "8000 万输入、2000 万输出"
        kinds = [(kind, match) for kind in ("input", "output") for match in patterns[place + kind].finditer(sentence)]
        kinds = [(kind, match) for kind, match in kinds if _amount(match) >= LEAST_OF_A_DAY]
        if kinds:
            return kinds
    plain = patterns["bare"].finditer(sentence) if bare and not patterns["token_word"].search(sentence) else ()
    after = [*plain] or [match for match in patterns["tokens"].finditer(sentence) if not patterns["no_volume"].match(sentence, match.end())]
    beside = [m for m in after if abs(m.start() - period.end()) <= _NEAR or abs(period.start() - m.end()) <= _NEAR]
    return [("all", match) for match in beside[:1]]


_NEAR = 24
"""Characters between a figure and the day or month that it is of."""


def _amount(match: re.Match[str]) -> float:
    return (parse_number(match["value"]) or 0.0) * scale_of(match["scale"] or "")
