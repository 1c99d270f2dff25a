"""How a follow-up changes a figure that was said before: "预算砍一半", "10 more users", "64?", "预算加到 8000", "forget the budget"."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from .carried import said
from .normalise import parse_number
from .pictures import LARGEST_SIDE, SMALLEST_SIDE
from .quantities import SHORTEST_CONTEXT
from .reading import Reading
from .replies import TERSE

MANY_USERS = 1000
"""Below which a bare number is one of users, where both users and a context were told."""
FIGURES = ("concurrency", "context", "batch", "gpus", "lora_rank", "machines", "steps", "frames", "epochs", "budget")
"""Fields that a bare number may change."""
_LISTS = {"concurrency": "concurrencies", "context": "contexts"}


def changed(reading: Reading, previous: Reading, cues: set[str], own: set[str]) -> dict[str, Any]:
    """The fields that the question changes by what they were before."""
    return (
        answered(reading, previous) | _scaled(reading, previous, cues, own) | _added(reading, previous) | _of_them(reading)
        | _kept_method(reading, previous) | _budget(reading, previous) | _hours_of_each(reading, previous)
    )  # fmt: skip


@cache
def _bare() -> re.Pattern[str]:
    return re.compile(
        r"\W{0,3}(?:那|要是|如果|换成?|改成?|改为|改回|换回|回到|就|还是|(?P<raise>提高到|提到|加到|涨到|放宽到|调到|降到|减到)"
        r"|(?:ok |and |or |what |how )*(?:about|if|with|back to|make (?:it|that)|go (?:back )?to|then|(?P<lift>(?:raise|lift|increase|lower|reduce|cut|bump)(?: (?:it|that))?(?: up)? to)))?\s?"
        r"(?P<number>\d{1,7})\s?(?:呢|吧|的话|行吗|可以吗|then|instead|please)?\W{0,3}"
    )


def bare_number(text: str) -> int | None:
    """The number of a short text that says nothing else: "64?", "back to 32", "提高到 30"."""
    match = _bare().fullmatch(text.lower())
    return int(match["number"]) if match else None


def answered(reading: Reading, previous: Reading) -> dict[str, Any]:
    """A bare number as the answer to what was missing: few are users, many are tokens; of a network, its input's side. Where
    nothing is missing it changes what the question before was about."""
    match = _bare().fullmatch(reading.normal.lower())
    number = int(match["number"]) if match else 0
    if match is None or not number:
        return {}
    alone = re.fullmatch(r"\W{0,3}\d{1,7}\W{0,3}", reading.normal) is not None
    if alone and SMALLEST_SIDE <= number <= LARGEST_SIDE and (previous.job or "").startswith(("vision", "diffusion")):
        return {"crop": (number, number)}
    if alone and "model" in previous.missing:
        return {}
    by_size = "concurrency" if number < SHORTEST_CONTEXT else "context"
    if alone and by_size in previous.missing:
        return _set(by_size, number, previous)
    # Between the two lie 128 users and a context of 1,024; what was said of both tells them apart.
    by_size = "concurrency" if number < MANY_USERS and previous.concurrency else by_size
    name = _spoken_of(previous, raised=bool(match["raise"] or match["lift"]), by_size=by_size)
    return _set(name, number, previous) if name else {}


def _spoken_of(previous: Reading, *, raised: bool, by_size: str) -> str | None:
    """The figure that the question before was about: the only one that it said itself, or the one of that size."""
    own = [name for name in FIGURES if said(previous, name) and name not in previous.carried]
    if len(own) == 1 and own[0] not in _LISTS:
        return own[0]
    if len(own) == 1:
        return by_size if said(previous, by_size) else own[0]
    if raised and previous.budget is not None:
        return "budget"
    return by_size if said(previous, by_size) and "budget" not in own else None


def _set(name: str, number: int, previous: Reading) -> dict[str, Any]:
    if name == "budget":
        return {"budget": previous.budget.model_copy(update={"amount": float(number)})} if previous.budget else {}
    return {name: number} | ({_LISTS[name]: [number]} if name in _LISTS else {})


def _scaled(reading: Reading, previous: Reading, cues: set[str], own: set[str]) -> dict[str, Any]:
    """"预算砍一半", "twice the users": the figure before, halved or doubled."""
    factor = 0.5 if "half" in cues else 2.0 if "double" in cues else None
    lower = reading.normal.lower()
    if factor is None:
        return {}
    if previous.budget and any(word in lower for word in ("预算", "budget", "钱", "money")):
        return {"budget": previous.budget.model_copy(update={"amount": previous.budget.amount * factor})}
    for name, words in _SCALABLE.items():
        value = getattr(previous, name)
        if value and name not in own and any(word in lower for word in words):
            return {name: max(1, int(value * factor))}
    return {}


_SCALABLE = {
    "concurrency": ("用户", "并发", "人", "users", "concurren", "people"),
    "context": ("上下文", "context", "长度"),
    "batch": ("batch", "批"),
    "gpus": ("卡", "gpu", "card"),
}
_MORE = re.compile(r"(?:再|多|另外?|额外|还要?)(?:加|多|来|增加|添)?(?:上|了)?\s?\d|增加(?:了)?\s?\d|\d[\d,.k]* more\b|\b(?:another|additional|extra|add|plus)\b(?: an?)?(?: extra| another| additional)? \d")


_MORE_USERS = re.compile(r"(?<![\d.])(\d{1,6}) more (?:concurrent )?(?:users?|people|requests?|sequences?|sessions?|of them)(?![a-z])")


def adds(reading: Reading) -> bool:
    """Whether a text says nothing but that there are more of something: "10 more users"."""
    return len(reading.normal) <= 2 * TERSE and _MORE_USERS.search(reading.normal.lower()) is not None


def _added(reading: Reading, previous: Reading) -> dict[str, Any]:
    """"再加 10 个用户", "10 more users": on top of those before."""
    more = _MORE_USERS.search(reading.normal.lower())
    if more and previous.concurrency:
        return _set("concurrency", int(more[1]) + previous.concurrency, previous)
    if not _MORE.search(reading.normal.lower()):
        return {}
    if reading.budget and previous.budget and reading.budget.currency == previous.budget.currency:
        return {"budget": previous.budget.model_copy(update={"amount": previous.budget.amount + reading.budget.amount})}
    if reading.concurrency and previous.concurrency:
        return _set("concurrency", reading.concurrency + previous.concurrency, previous)
    return {}


def _of_them(reading: Reading) -> dict[str, Any]:
    """"How much for two of them?": machines."""
    found = re.search(r"\b([a-z]+|\d{1,3}) of (?:them|those|these)\b", reading.normal.lower())
    count = parse_number(found[1]) if found else None
    return {"machines": int(count)} if count and count >= 1 else {}


def _kept_method(reading: Reading, previous: Reading) -> dict[str, Any]:
    """"LoRA rank 128" names the rank, not another method."""
    names_rank = re.search(r"lora\s?(?:的)?\s?(?:rank|r(?![a-z])|秩)", reading.normal.lower()) is not None
    rank_only = reading.lora_rank is not None and reading.method == "lora" and names_rank
    return {"method": previous.method} if rank_only and previous.method in ("qlora", "dora") else {}


def _hours_of_each(reading: Reading, previous: Reading) -> dict[str, Any]:
    """"500 小时呢" after hours of each month are such hours too."""
    alone = reading.hours and not (reading.hours_per_month or reading.months) and previous.hours_per_month
    return {"hours_per_month": reading.hours} if alone else {}


def _budget(reading: Reading, previous: Reading) -> dict[str, Any]:
    """No budget any more; or a new one without a time, which is of the same time as the one before."""
    if drops_budget(reading):
        return {"budget": None}
    now, before = reading.budget, previous.budget
    if now is None or before is None or now.per != "once" or now.currency != before.currency or _MORE.search(reading.normal.lower()):
        return {}
    return {"budget": now.model_copy(update={"per": before.per})}


@cache
def _no_budget() -> re.Pattern[str]:
    return re.compile(
        r"(?:不限|不考虑|不管|别管|不用管|去掉|取消|删掉|忽略|放开|无需考虑|没有)(?:掉|了)?(?:这个|那个)?\s?(?:预算|价钱|花费)|预算(?:不限|无所谓|不是问题|去掉|取消|放开|不管了|没有限制|随意)"
        r"|(?:forget|drop|ignore|remove|without|no|lift|skip)(?: about)?(?: the| a| any| my| our)? budget|budget (?:is no (?:object|issue|problem)|does not matter|doesn't matter)"
    )


def drops_budget(reading: Reading) -> bool:
    """Whether a short text takes back what may be spent."""
    return reading.budget is None and len(reading.normal) <= 2 * TERSE and _no_budget().search(reading.normal.lower()) is not None
