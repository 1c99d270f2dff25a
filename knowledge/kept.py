"""Results that are kept until the facts change: `@kept` in place of `functools.cache` for all that is made of tables which a
refreshed catalog may replace (types, families, prices, spot quotes, sources)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., object])
_FORGET: list[Callable[[], None]] = []
_changes = 0


def kept(function: Function) -> Function:
    """Keeps each result of `function`, by its arguments, until `forget()`."""

    @wraps(function)
    def current(*arguments: Any, **named: Any) -> object:
        while True:  # again, if the facts changed meanwhile in another thread: what is kept is of one snapshot
            before = _changes
            result = function(*arguments, **named)
            if before == _changes:
                return result

    keeping = cache(current)
    _FORGET.append(keeping.cache_clear)
    return keeping  # type: ignore[return-value]  # called in the same way


def forget() -> None:
    """Drops all that was kept: the facts have changed."""
    global _changes
    _changes += 1
    for clear in _FORGET:
        clear()
