"""Numbers with their role: context, users, batch, cards, disk, time, crop. The patterns are in quantities.toml."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from .durations import find_time
from .lexicon import read_table
from .normalise import tokens_of
from .numbers import Number, find_numbers

MAX_CONTEXT = 20_000_000
"""Tokens beyond which a figure is a data set or nonsense, not a context."""
MAX_SEQUENCES = 1_000_000
MAX_GPUS = 100_000
_LOOK_BACK = 32
_TOKEN_ROLES = ("context", "input", "output")
SHORTEST_CONTEXT = 128
"""Tokens below which a figure is a context only where the word token stands behind it: "上下文 8" may mean 8K."""
LARGEST_BARE_M = 16
"""Millions of tokens up to which a bare "10M" right after a model's name is its context."""
_BARE_LENGTHS = tuple(2**power for power in range(11, 21))
"""Lengths that nobody uses for anything else: 2,048, 4,096 … 1,048,576."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that has a role. `value` is in the role's own unit (tokens, sequences, GiB, hours …)."""

    role: str
    value: float
    start: int
    end: int
    text: str


@dataclass(slots=True)
class Quantities:
    """What the numbers of a text say; fields as in `Reading`."""

    context: int | None = None
    contexts: list[int] = field(default_factory=list)
    concurrency: int | None = None
    concurrencies: list[int] = field(default_factory=list)
    people: bool = False
    machines: int | None = None
    batch: int | None = None
    gpus: int | None = None
    tensor_parallel: int | None = None
    disk_gib: float | None = None
    hours: float | None = None
    months: float | None = None
    crop: tuple[int, int] | None = None
    absurd: list[str] = field(default_factory=list)
    found: list[Quantity] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Role:
    name: str
    after: tuple[re.Pattern[str], ...]
    before: tuple[re.Pattern[str], ...]
    guard: re.Pattern[str] | None  # what must follow the number for the last `before` pattern


@cache
def _roles() -> tuple[_Role, ...]:
    return tuple(
        _Role(
            name,
            tuple(re.compile(pattern) for pattern in row["after"]),
            tuple(re.compile(pattern) for pattern in row["before"]),
            re.compile(row["before_guard"]) if "before_guard" in row else None,
        )
        for name, row in read_table("quantities").items()
    )


@cache
def _bare_tokens() -> re.Pattern[str]:
    """What may not follow a bare 32k for it to be a context: a unit of something else."""
    return re.compile(
        r"\s?(?:[$¥€元块刀]|带宽|[mg]?bps|mib|gib|核|cores?|cuda|参数|params?|parameters?|模型|维|hidden|yuan|rmb|cny|usd|dollars?|bucks|qps|iops|steps?|步|条|张|个|images?|samples?|张图|人|users?|mb|gb|hz|次|行|rows?|以内|预算|/|per |a month|a year|resolution|分辨率|图|video|视频|显示)"
    )


@cache
def _area() -> re.Pattern[str]:
    return re.compile(r"(?<![\d.a-z])(\d{2,5})\s?(?:px)?\s?[x×*]\s?(\d{2,5})(?![\d.])")


_ONE = re.compile(r"(?<=for )a(?= (?:day|week|month|year)(?![a-z]))")


def read_quantities(lower: str) -> Quantities:
    """All quantities of a lower-case text in which the names of models, cards and instances are blanked out."""
    result = Quantities()
    area = _area().search(lower)
    if area and min(int(area[1]), int(area[2])) >= 64:
        result.crop = (int(area[1]), int(area[2]))
        lower = lower[: area.start()] + " " * len(area.group()) + lower[area.end() :]
    lower = _ONE.sub("1", lower)
    result.found = list(_find(lower, result.absurd))
    _fill(result)
    return result


def _find(lower: str, absurd: list[str]) -> Iterable[Quantity]:
    for number, role in _with_lists(lower):
        if role is None:
            continue
        value = _in_unit(role, number, lower)
        words = _words_around(lower, number)
        if role == "context" and _is_doubtful(value, number, lower):
            continue
        fault = _fault(role, value, number)
        if fault:
            absurd.append(f"{fault}:{words}")
        elif value is not None:
            yield Quantity(role, value, number.start, number.end, words)


def _with_lists(lower: str) -> list[tuple[Number, str | None]]:
    """Numbers with their roles; in "8、16、32 并发" and "8 or 64 users" the last one's role is that of all."""
    found: list[tuple[Number, str | None]] = []
    for number in reversed(list(find_numbers(lower))):
        role = _role_of(lower, number)
        after = found[-1] if found else None
        if role is None and after and after[1] in _LISTED and not number.glued:
            role = after[1] if _listed().fullmatch(lower[number.end : after[0].start]) else None
        found.append((number, role))
    return found[::-1]


_LISTED = ("concurrency", "users", "context")


@cache
def _listed() -> re.Pattern[str]:
    return re.compile(r"\s?(?:[、/]|or|或者?|还是)\s?")


def _is_doubtful(value: float | None, number: Number, lower: str) -> bool:
    """A context of a few tokens that does not say so, and the lower end of a range (4k-8k)."""
    few = value is not None and 0 < value < SHORTEST_CONTEXT and not number.negative
    return (few and not _tokens_behind().match(lower, number.end)) or bool(_range_behind().match(lower, number.end))


@cache
def _tokens_behind() -> re.Pattern[str]:
    return re.compile(r"[\s-]?(?:个)?\s?(?:tokens?|toks?|词元)(?![a-z])")


@cache
def _range_behind() -> re.Pattern[str]:
    return re.compile(r"\s?(?:-|~|到|至|to)\s?\d[\d.]*\s?[km]?(?![a-z])")


def _words_around(lower: str, number: Number) -> str:
    """The number with the words beside it, up to the next name or clause."""
    before = re.split(r"[\x00,，。;；\n]", lower[max(0, number.start - 8) : number.start])[-1]
    after = re.split(r"[\x00,，。;；\n?]", lower[number.start : number.end + 12])[0]
    return _LOOSE_END.sub("", f"{before}{after}".strip())


_LOOSE_END = re.compile(r"(?:\s(?:for|with|to|of|on|in|and|the|a|at)|[\s跑用在的给])+$")


def _role_of(lower: str, number: Number) -> str | None:
    behind = lower[max(0, number.start - _LOOK_BACK) : number.start]
    behind = re.sub(r"[-+~≈]$", "", behind)
    for role in _roles():
        if any(pattern.search(behind) for pattern in _before(role, lower, number)):
            return role.name
        if not number.glued and any(pattern.match(lower, number.end) for pattern in role.after):
            if role.name in _PRICED_BY and _is_a_rate(lower, number):
                return _PRICED_BY[role.name]
            return role.name
    if _is_bare_length(lower, number) and not _bare_tokens().match(lower, number.end):
        return "context" if not behind.rstrip().endswith(("$", "¥", "预算", "pl", "budget")) else None
    return None


_PRICED_BY = {"hours": None, "days": "per_day", "weeks": "per_week", "months": "per_month", "years": "per_year"}
"""What "多少钱一天" asks for; an hour is the unit of the prices themselves."""


def _is_bare_length(lower: str, number: Number) -> bool:
    """A number without a word that can only be a context: 32k, 4096, and 10M right after a model's name."""
    if number.glued or number.value < 1:
        return False
    if number.scale == "m":
        return number.value <= LARGEST_BARE_M and re.search(r"\x00[\s,:(-]{0,3}$", lower[: number.start][-6:]) is not None
    return (number.scale == "k" and number.value <= 2048) or (not number.scale and number.value in _BARE_LENGTHS)


def _before(role: _Role, lower: str, number: Number) -> Iterable[re.Pattern[str]]:
    if role.guard is None or role.guard.match(lower, number.end):
        return role.before
    return role.before[:-1]


def _is_a_rate(lower: str, number: Number) -> bool:
    """一小时 in "多少钱一小时", "15 块一小时", "an hour", "per 1 hour": a price's unit, not a length of time."""
    behind = lower[max(0, number.start - 6) : number.start].rstrip()
    return bool(re.search(r"(?:[钱块元刀/每]|per|费用?|成本|价格?)$", behind))


def _in_unit(role: str, number: Number, lower: str) -> float | None:
    if role in _TOKEN_ROLES:
        return tokens_of(number.value, number.scale)
    if role == "disk":
        unit = re.match(r"\s?(gi?b?|ti?b?)?", lower[number.end :])
        return number.amount * (1024 if unit and (unit[1] or "").startswith("t") else 1)
    return number.amount


_COUNTS = {"context", "concurrency", "users", "people", "machines", "batch", "gpus", "tensor_parallel", "input", "output", "disk", "hours", "months"}
_LIMITS = {
    "context": (1e12, "huge_context"), "concurrency": (MAX_SEQUENCES, "huge_concurrency"),
    "users": (MAX_SEQUENCES, "huge_concurrency"), "people": (1e10, "huge_concurrency"), "machines": (MAX_GPUS, "huge_gpus"), "gpus": (MAX_GPUS, "huge_gpus"), "batch": (MAX_SEQUENCES, "huge_batch"),
    "disk": (1e9, "huge_disk"), "hours": (1e7, "huge_time"), "months": (1e4, "huge_time"),
}  # fmt: skip


def _fault(role: str, value: float | None, number: Number) -> str | None:
    if role not in _COUNTS or value is None:
        return None
    if number.negative:
        return "negative_quantity"
    if value == 0:
        return "zero_quantity"
    limit, code = _LIMITS.get(role, (float("inf"), ""))
    return code if value >= limit else None


def _fill(result: Quantities) -> None:
    """The first of each role, the larger end of a range; input and output tokens together are a context."""
    values: dict[str, list[float]] = {}
    for quantity in result.found:
        values.setdefault(quantity.role, []).append(quantity.value)
    contexts = [v for v in values.get("context", []) if v <= MAX_CONTEXT]
    spoken = sum(max(values[role]) for role in ("input", "output") if role in values)
    spoken = spoken if spoken >= SHORTEST_CONTEXT else 0
    result.contexts = list(dict.fromkeys(int(value) for value in contexts or [spoken] if value))
    result.context = result.contexts[0] if result.contexts else None
    users = next((values[role] for role in ("concurrency", "users", "people") if role in values), [])
    result.concurrencies = list(dict.fromkeys(max(1, int(value)) for value in users))
    result.concurrency = result.concurrencies[0] if users else None
    result.people = "people" in values and not {"concurrency", "users"} & set(values)
    result.machines = _first(values, "machines")
    result.batch = _first(values, "batch")
    result.gpus = _first(values, "gpus")
    result.tensor_parallel = _first(values, "tensor_parallel")
    result.disk_gib = values.get("disk", [None])[0]
    if result.crop is None and "crop" in values and 32 <= values["crop"][0] <= 20_000:
        result.crop = (int(values["crop"][0]), int(values["crop"][0]))
    result.hours, result.months = find_time(values)


def _first(values: dict[str, list[float]], role: str) -> int | None:
    return max(1, int(values[role][0])) if role in values else None
