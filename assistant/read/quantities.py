"""Numbers with their role: context, users, batch, cards, disk, time, crop. The patterns are in quantities.toml."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from .durations import PRICED_BY, find_time, is_a_rate
from .lexicon import read_table
from .normalise import kilobytes_as_k, tokens_of
from .numbers import Number, find_numbers, is_bare_length, is_joined, is_plain_count, joined, rises

MAX_CONTEXT = 20_000_000
"""Tokens beyond which a figure is a data set or nonsense, not a context."""
MAX_SEQUENCES = 1_000_000
MAX_GPUS = 100_000
_LOOK_BACK = 32
_TOKEN_ROLES = ("context", "input", "output")
SHORTEST_CONTEXT = 128
"""Tokens below which a figure is a context only where the word token stands behind it: "上下文 8" may mean 8K."""

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


_AREA = re.compile(r"(?<![\d.a-z])(\d{2,5})\s?(?:px)?\s?[x×*]\s?(\d{2,5})(?![\d.]|\s?k(?![a-z]))")


def _is_picture(width: int, height: int) -> bool:
    """Sides of a picture: neither is tiny, nor one far longer than the other (64 × 8192 are sequences of tokens)."""
    return min(width, height) >= 64 and max(width, height) <= 16 * min(width, height)


_ONE = re.compile(r"(?<=for )a(?= (?:day|week|month|year)(?![a-z]))")


def read_quantities(lower: str) -> Quantities:
    """All quantities of a lower-case text in which the names of models, cards and instances are blanked out."""
    result = Quantities()
    area = _AREA.search(lower)
    if area and _is_picture(int(area[1]), int(area[2])):
        result.crop = (int(area[1]), int(area[2]))
        lower = lower[: area.start()] + " " * len(area.group()) + lower[area.end() :]
    lower = _ONE.sub("1", lower)
    lower = kilobytes_as_k(lower, result.absurd)
    result.found = list(_find(lower, result.absurd))
    _fill(result)
    return result


def _find(lower: str, absurd: list[str]) -> Iterable[Quantity]:
    for number, role in _with_roles(lower):
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


def _with_roles(lower: str) -> list[tuple[Number, str | None]]:
    """Numbers with their roles: each by its own words, then by the number that it stands beside."""
    numbers, found, taken = find_numbers(lower), list[tuple[Number, str | None]](), 0
    for at, number in enumerate(numbers):
        then = numbers[at + 1] if at + 1 < len(numbers) else None
        role, taken = _role_of(lower, number, then, taken)
        found.append((number, role))
    for at in range(len(found) - 1, 0, -1):  # from the end: the last one's role is that of all before
        found[at - 1], found[at] = _side_by_side(lower, found[at - 1], found[at])
    return found


_LISTED = ("concurrency", "users", "context")
_COUNTED = ("concurrency", "users", "people", "batch")
"""Roles that count sequences, and that a length like 32k is easily taken for."""


def _side_by_side(
    lower: str, first: tuple[Number, str | None], then: tuple[Number, str | None]
) -> tuple[tuple[Number, str | None], tuple[Number, str | None]]:
    """8、16 并发 are both users, the larger end of 4-8 users counts, and 8k × 32 is a context and how many."""
    (left, role), (right, role_then) = first, then
    if role is None and role_then in _LISTED and not left.glued and is_joined("list", lower, left, right):
        return (left, role_then), then
    of_each = role is None and role_then == "context" and joined("how_many", "unit").match(lower, right.end)
    if of_each and joined("how_many", "count").fullmatch(lower, left.end, right.start) and is_plain_count(lower, left):
        return (left, None if left.glued else "users"), then
    if is_joined("product", lower, left, right) and not (left.glued or right.glued):
        many = left if role_then == "context" else right
        if sorted((role or "", role_then or "")) == ["", "context"] and is_plain_count(lower, many):
            return (left, role or "concurrency"), (right, role_then or "concurrency")
    if left.glued or right.glued or not is_joined("range", lower, left, right) or not rises(left, right):
        return first, then
    if role_then is None and role is not None and not lower.startswith(("\x00", " \x00"), right.end):
        return (left, None), (right, role)
    if role in (None, role_then) or {role, role_then} <= {*_COUNTED}:
        return (left, None), then
    return first, then


def _is_doubtful(value: float | None, number: Number, lower: str) -> bool:
    """A context of a few tokens that does not say so, and the one token of "how much is one token"."""
    few = value is not None and 0 < value < SHORTEST_CONTEXT and not number.negative
    return few and (value == 1 or not joined("each", "unit").match(lower, number.end))


def _words_around(lower: str, number: Number) -> str:
    """The number with the words beside it, up to the next name or clause."""
    before = re.split(r"[\x00,，。;；\n]", lower[max(0, number.start - 8) : number.start])[-1]
    after = re.split(r"[\x00,，。;；\n?]", lower[number.start : number.end + 12])[0]
    return _LOOSE_END.sub("", f"{before}{after}".strip())


_LOOSE_END = re.compile(r"(?:\s(?:for|with|to|of|on|in|and|the|a|at)|[\s跑用在的给])+$")


def _role_of(lower: str, number: Number, then: Number | None, taken: int) -> tuple[str | None, int]:
    """The role of a number, and the end of the words behind it that say so: they say nothing of the next number."""
    behind = lower[max(taken, number.start - _LOOK_BACK, 0) : number.start]
    behind = re.sub(r"[-+~≈]$", "", behind)
    if _is_of_each(lower, number):
        return "context", number.end
    if joined("each", "before").search(behind) and joined("each", "unit").match(lower, number.end):
        return None, number.end
    length = is_bare_length(lower, number)
    for role in _roles():
        counted = role.name in _COUNTED and length
        if any(p.search(behind) for p in _before(role, lower, number)) and not (counted and _unit_of(lower, number) == "context"):
            return role.name, taken
        match = None if number.glued else next((m for p in role.after if (m := p.match(lower, number.end))), None)
        if match and not (role.name in _COUNTED and _is_word_of_next(lower, number, match.end(), then, behind)):
            if role.name in PRICED_BY and is_a_rate(lower, number):
                return PRICED_BY[role.name], match.end()
            return role.name, match.end()
    if length and not joined("bare", "not_after").match(lower, number.end):
        return ("context" if not behind.rstrip().endswith(("$", "¥", "预算", "pl", "budget")) else None), taken
    return None, taken


def _unit_of(lower: str, number: Number) -> str | None:
    """The role that the words behind a number give it."""
    return next((role.name for role in _roles() if any(p.match(lower, number.end) for p in role.after)), None)


def _is_word_of_next(lower: str, number: Number, end: int, then: Number | None, behind: str) -> bool:
    """并发 in "8k 并发 16" and in "上下文 3000 并发 16" belongs to the 16; in "4 并发 32k" to the 4."""
    if then is None or not joined("next", "between").fullmatch(lower, end, then.start) or is_bare_length(lower, then):
        return False
    context = next(role for role in _roles() if role.name == "context")
    is_length = is_bare_length(lower, number) or any(p.search(behind) for p in context.before)
    return is_length and _unit_of(lower, then) in (None, *_COUNTED)


def _is_of_each(lower: str, number: Number) -> bool:
    """The 8K of "how many 8K users" and "12 路 8K 会话": what each of them has, not how many there are."""
    unit = joined("how_many", "unit").match(lower, number.end)
    if unit is None or number.scale != "k" or number.glued:
        return False
    behind = lower[max(0, number.start - _LOOK_BACK) : number.start]
    return any(joined("how_many", key).search(behind) for key in ("before", "counted")) or bool(joined("how_many", "after").match(lower, unit.end()))


def _before(role: _Role, lower: str, number: Number) -> Iterable[re.Pattern[str]]:
    if role.guard is None or role.guard.match(lower, number.end):
        return role.before
    return role.before[:-1]


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
    result.concurrencies = list(dict.fromkeys(max(1, math.ceil(value)) for value in users))
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
    return max(1, math.ceil(values[role][0])) if role in values else None
