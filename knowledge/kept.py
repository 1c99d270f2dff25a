"""Results that are kept until the facts change: `@kept` in place of `functools.cache` for all that is made of tables which a
refreshed catalog may replace (types, families, prices, spot quotes, sources)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])
_FORGET: list[Callable[[], None]] = []


def kept(function: Function) -> Function:
    """Keeps each result of `function`, by its arguments, until `forget()`."""
    keeping = cache(function)
    _FORGET.append(keeping.cache_clear)
    return keeping  # type: ignore[return-value]  # called in the same way


def forget() -> None:
    """Drops all that was kept: the facts have changed."""
    for clear in _FORGET:
        clear()
