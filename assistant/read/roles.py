"""Which role each number of a text has, by the words around it and by the number it stands beside. Patterns: quantities.toml."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

from .durations import PRICED_BY, is_a_rate
from .lexicon import read_table
from .numbers import Number, find_numbers, is_bare_length, is_joined, is_plain_count, joined, rises

_LOOK_BACK = 32


class _Role:
    """One role and its patterns, each compiled at its first use: most questions need few of them.

    `guarded` is as `before`, where `guard` follows the number; `said` a word without which the role need not be looked
    for in a text.
    """

    def __init__(self, name: str, row: dict[str, Any]) -> None:
        self.name = name
        self._row = row

    @cached_property
    def after(self) -> re.Pattern[str] | None:
        return self._compiled("after")

    @cached_property
    def before(self) -> re.Pattern[str] | None:
        return self._compiled("before")

    @cached_property
    def guarded(self) -> re.Pattern[str] | None:
        return self._compiled("guarded")

    @cached_property
    def guard(self) -> re.Pattern[str] | None:
        return self._compiled("guard")

    @cached_property
    def said(self) -> re.Pattern[str] | None:
        return self._compiled("said")

    def _compiled(self, key: str) -> re.Pattern[str] | None:
        """The patterns of a key as one; `<is>` stands for what joins a word and its number: "=", "为", "改成", "up to"."""
        patterns = self._row.get(key)
        if not patterns:
            return None
        joint = read_table("quantities")["_is"]["pattern"]
        return re.compile("|".join(f"(?:{pattern})" for pattern in patterns).replace("<is>", joint))


@cache
def _roles() -> tuple[_Role, ...]:
    table = read_table("quantities")
    return tuple(_Role(name, table[name]) for name in table if not name.startswith("_"))


@cache
def _role_named(name: str) -> _Role:
    return next(role for role in _roles() if role.name == name)


def find_roles(lower: str) -> list[tuple[Number, str | None]]:
    """Numbers with their roles: each by its own words, then by the number that it stands beside."""
    numbers, found, taken = find_numbers(lower), list[tuple[Number, str | None]](), 0
    roles = [role for role in _roles() if role.said is None or role.said.search(lower)] if numbers else []
    for at, number in enumerate(numbers):
        then = numbers[at + 1] if at + 1 < len(numbers) else None
        role, taken = _role_of(lower, number, then, taken, roles)
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


def words_around(lower: str, number: Number) -> str:
    """The number with the whole words beside it, up to the next name or clause."""
    begin = max(0, number.start - 8)
    while begin and begin < number.start and re.match(r"[a-z0-9]{2}", lower[begin - 1 : begin + 1]):
        begin += 1
    before = re.split(r"[\x00,，。;；\n]", lower[begin : number.start])[-1]
    after = re.split(r"[\x00,，。;；\n?]", lower[number.start : number.end + 12])[0]
    return _LOOSE_END.sub("", f"{before}{after}".strip())


_LOOSE_END = re.compile(r"(?:\s(?:for|with|to|of|on|in|and|the|a|at)|[\s跑用在的给])+$")


def _role_of(
    lower: str, number: Number, then: Number | None, taken: int, roles: Sequence[_Role]
) -> tuple[str | None, int]:
    """The role of a number, and the end of the words behind it that say so: they say nothing of the next number."""
    behind = lower[max(taken, number.start - _LOOK_BACK, 0) : number.start]
    behind = re.sub(r"[-+~≈]$", "", behind)
    if _is_of_each(lower, number):
        return "context", number.end
    if joined("each", "before").search(behind) and joined("each", "unit").match(lower, number.end):
        return None, number.end
    length = is_bare_length(lower, number)
    asked = length and joined("how_many", "asked").search(behind) and _unit_of(lower, number) is None
    if asked or (number.scale == "k" and not number.glued and joined("long", "unit").match(lower, number.end)):
        return "context", number.end
    for role in roles:
        counted = role.name in _COUNTED and length
        if _stands_after(role, behind, lower, number) and not (counted and _unit_of(lower, number) == "context"):
            return role.name, taken
        match = None if number.glued or role.after is None else role.after.match(lower, number.end)
        if match and not (role.name in _COUNTED and _is_word_of_next(lower, number, match.end(), then, behind)):
            if role.name in PRICED_BY and is_a_rate(lower, number):
                return PRICED_BY[role.name], match.end()
            return role.name, match.end()
    if length and not joined("bare", "not_after").match(lower, number.end):
        return ("context" if not behind.rstrip().endswith(("$", "¥", "预算", "pl", "budget")) else None), taken
    return None, taken


def _stands_after(role: _Role, behind: str, lower: str, number: Number) -> bool:
    """Whether the words behind a number give it the role."""
    if role.before is not None and role.before.search(behind):
        return True
    if role.guarded is None or role.guard is None or not role.guard.match(lower, number.end):
        return False
    return role.guarded.search(behind) is not None


def _unit_of(lower: str, number: Number) -> str | None:
    """The role that the words behind a number give it."""
    return next((role.name for role in _roles() if role.after is not None and role.after.match(lower, number.end)), None)


def _is_word_of_next(lower: str, number: Number, end: int, then: Number | None, behind: str) -> bool:
    """并发 in "8k 并发 16" and in "上下文 3000 并发 16" belongs to the 16; in "4 并发 32k" to the 4."""
    if then is None or not joined("next", "between").fullmatch(lower, end, then.start) or is_bare_length(lower, then):
        return False
    context = _role_named("context").before
    is_length = is_bare_length(lower, number) or (context is not None and context.search(behind) is not None)
    return is_length and _unit_of(lower, then) in (None, *_COUNTED)


def _is_of_each(lower: str, number: Number) -> bool:
    """The 8K of "how many 8K users" and "12 路 8K 会话": what each of them has, not how many there are."""
    unit = joined("how_many", "unit").match(lower, number.end)
    if unit is None or number.scale != "k" or number.glued:
        return False
    behind = lower[max(0, number.start - _LOOK_BACK) : number.start]
    return any(joined("how_many", key).search(behind) for key in ("before", "counted")) or bool(joined("how_many", "after").match(lower, unit.end()))
