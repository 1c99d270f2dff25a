"""Reads fields of a config.json with their limits; a wrong type or an absurd number is one sentence, never a crash."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from knowledge.errors import InputError

LONGEST = 1_000_000
LONGEST_NUMBER = 18  # digits; no field of a model needs more
LANGUAGE_PARTS = ("text_config", "llm_config", "language_config", "thinker_config")
"""Where multimodal configurations keep the language model."""

Config = Mapping[str, Any]


def parse_config(text: str) -> Config:
    """The JSON object in `text`. Raises InputError when too long, not JSON, nested too deep, or no object."""
    if len(text) > LONGEST:
        raise InputError(f"A config.json has at most {LONGEST:,} characters; this one has {len(text):,}.")
    try:
        value = json.loads(text.lstrip("\ufeff"), parse_constant=_no_number, parse_int=_short_int)
    except (ValueError, RecursionError) as error:
        raise InputError(f"This config.json is not JSON that can be read: {_reason(error)}.") from None
    if not isinstance(value, dict):
        raise InputError("A config.json is one JSON object ({…}); this is something else.")
    return value


def language_part(config: Config) -> Config:
    """The fields of the language model: nested ones before those of the whole."""
    for _ in range(3):
        part = next((config[k] for k in LANGUAGE_PARTS if isinstance(config.get(k), dict)), None)
        if part is None:
            return config
        outer = {k: v for k, v in config.items() if k not in LANGUAGE_PARTS}
        config = {**outer, **part}
    return config


def whole(config: Config, *names: str, high: int, low: int = 1) -> int | None:
    """The first of `names` that is present and not null. Raises InputError outside `low` to `high`."""
    for name in names:
        value = config.get(name)
        if isinstance(value, list) and value and all(each == value[0] for each in value):
            value = value[0]  # one figure per layer, all alike
        if value is None:
            continue
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise InputError(f"config.json: {name} should be a whole number.")
        if not low <= value <= high:
            raise InputError(f"config.json: {name} should lie between {low} and {high:,}.")
        return value
    return None


def word(config: Config, *names: str) -> str:
    """The first of `names` that holds text, at most 80 characters of it; empty when none does."""
    found = next((config[name] for name in names if isinstance(config.get(name), str)), "")
    return str(found)[:80]


def yes(config: Config, name: str, *, default: bool) -> bool:
    """A true or false field; anything else counts as not given."""
    value = config.get(name)
    return value if isinstance(value, bool) else default


def part(config: Config, name: str) -> Config:
    """A nested object; empty when absent or something else."""
    value = config.get(name)
    return value if isinstance(value, dict) else {}


def words(config: Config, name: str) -> list[str]:
    """A list of words such as `layer_types`; empty when absent or something else."""
    value = config.get(name)
    return [v for v in value if isinstance(v, str)] if isinstance(value, list) else []


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


def _short_int(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ValueError("a number is too long")
    return int(text)


def _reason(error: Exception) -> str:
    return "nested too deep" if isinstance(error, RecursionError) else str(error)[:120].rstrip(".")
