"""Arguments as chat models write them, made what tools take: "8k" → 8192, "A10" → ["A10"], "杭州" → cn-hangzhou, "true" → True.

Only what is plain is changed; the rest is left to the tool's own check, which says what is wrong.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from assistant.read.normalise import normalise, tokens_of
from assistant.read.numbers import find_numbers

from .rules import Rule, rules_of
from .same import NUMBERS, region_of

NOTHING = ("", "null", "none", "nil", "n/a", "na", "undefined", "unspecified", "未指定", "无", "不限", "默认", "default")
"""Words for an argument that is not given; `none` is a value of `checkpointing`."""
LISTS = ("places", "names", "regions")
"""Kinds that take several values."""
_SIDES = re.compile(r"(\d{2,5})\s*(?:[x×*,，]\s*(\d{2,5}))?\s*(?:px|像素|pixels?)?")
_UNITS = {
    "seconds": ((r"ms|毫秒|milliseconds?", 0.001), (r"min(?:ute)?s?|分钟?", 60.0)), "hours": ((r"d|days?|天", 24.0), (r"min(?:ute)?s?|分钟", 1 / 60)),
    "number": ((r"%", 0.01),),
}  # fmt: skip
"""Units behind a number, and what they make of it."""


def plain_args(tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments in the forms that the tool takes. Those that say nothing are left out; unknown ones stay as they are."""
    rules, made = rules_of(tool), dict[str, Any]()
    for name, value in args.items():
        rule = rules.get(name)
        if rule is None:
            made[name] = value
        elif not _says_nothing(name, value):
            made[name] = _plain(name, rule, value)
    return made


def _says_nothing(name: str, value: Any) -> bool:
    if isinstance(value, str):
        word = value.strip().lower()
        return word in NOTHING and not (word == "none" and name == "checkpointing")
    return value is None or value in ([], {})


def _plain(name: str, rule: Rule, value: Any) -> Any:
    if isinstance(value, list) and len(value) == 1 and rule.kind not in (*LISTS, "sides", "quote"):
        value = value[0]
    if rule.kind in NUMBERS:
        return _number(rule.kind, value) if isinstance(value, str) else value
    if rule.kind == "sides":
        return _sides(value)
    if rule.kind == "flag":
        return _flag(value)
    if rule.kind in LISTS:
        return _listed(name, value)
    if rule.kind == "region":
        return _region(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value) if rule.kind in ("model", "precision", "name") else value
    return _word(name, rule, value) if isinstance(value, str) else value


def _number(kind: str, text: str) -> Any:
    """The one number of a text with its scale and unit; the text itself where there are more, or none."""
    lower = normalise(text).lower()
    found = find_numbers(lower)
    if len(found) != 1 or found[0].glued:
        return text
    number = found[0]
    value = tokens_of(number.value, number.scale) if kind == "tokens" else number.amount
    behind = lower[number.end :].strip()
    for pattern, factor in _UNITS.get(kind, ()):
        value *= factor if re.match(rf"(?:{pattern})(?![a-z])", behind) else 1
    value = -value if number.negative else value
    return int(value) if value == int(value) else value


def _sides(value: Any) -> Any:
    if isinstance(value, str):
        match = _SIDES.fullmatch(normalise(value).strip("[]() ").lower())
        return [int(side) for side in match.groups() if side] if match else value
    if isinstance(value, int) and not isinstance(value, bool):
        return [value]
    return [_number("count", side) if isinstance(side, str) else side for side in value] if isinstance(value, list) else value


def _flag(value: Any) -> Any:
    word = str(value).strip().lower()
    return next((said for said, words in ((True, _forms()["yes"]), (False, _forms()["no"])) if word in words), value)


def _listed(name: str, value: Any) -> Any:
    if isinstance(value, str):
        value = [part.strip(" \"'[]") for part in re.split(r"[,;、，；]", value)]
    if not isinstance(value, list):
        return value
    words = [one for one in value if not (isinstance(one, str) and _says_nothing(name, one))]
    return [_region(one) for one in words] if name == "regions" else words


def _region(value: Any) -> Any:
    """The id of a region that is known by its name; with its id in brackets ("杭州 (cn-hangzhou)") too."""
    if not isinstance(value, str):
        return value
    inner = re.search(r"[a-z]{2}-[a-z]+(?:-\d)?", value.lower())
    known = region_of(value)
    return known if re.fullmatch(r"[a-z]{2}-[a-z]+(?:-\d)?", known) or inner is None else inner.group()


def _word(name: str, rule: Rule, value: str) -> str:
    plain = value.strip()
    if rule.kind not in ("choice", "precision"):
        return plain
    spoken: dict[str, str] = _forms()["words"].get(name, {})
    lower = normalise(plain).lower()
    return spoken.get(lower, plain.upper() if name == "currency" else lower)


@cache
def _forms() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("forms.toml").read_text(encoding="utf-8"))
