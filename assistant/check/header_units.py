"""The unit that the head of a table's column gives to the bare numbers below it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache

from .quantities import Quantity, after_per, per_before, read_quantities


def unit_of_header(item: Quantity, head: str) -> Quantity:
    """A bare number of a table takes the unit that the head of its column names; an amount what it is per."""
    if item.dim and (item.per or not item.dim.startswith("money")):
        return item
    dim, factors, strict, per = _unit_of(head)
    if item.dim:
        return replace(item, per=_head_per(head))
    if not dim:
        return item
    values = tuple(dict.fromkeys(v * f for v in item.values for f in factors))
    return replace(item, values=values, strict=tuple(v * strict for v in item.strict), slack=item.slack * strict, dim=dim, per=per)


@lru_cache(maxsize=256)
def _unit_of(head: str) -> tuple[str, tuple[float, ...], float, str]:
    """Dimension, factors, the factor that the word means, and per, of a column's head; an empty dimension where it names no unit."""
    match = _head_unit().search(head)
    unit = read_quantities(f"7 {match.group()}") if match else []
    if not unit or not unit[0].dim:
        return "", (), 1.0, ""
    per = unit[0].per or (_head_per(head) if unit[0].dim.startswith("money") else "")
    return unit[0].dim, tuple(value / 7 for value in unit[0].values), unit[0].strict[0] / 7, per


@cache
def _head_unit() -> re.Pattern[str]:
    return re.compile(r"GiB|GB(?!/)|MiB|(?:元|CNY|USD|美元|¥|\$)(?: ?/ ?(?:小时|h|hour|月|month|年|year))?|vCPU|tokens?/s|%|[Tt]okens?|GB/s|TFLOPS|Gbps|小时|[Hh]ours?|张|台|路|并发")


def _head_per(head: str) -> str:
    found = after_per()[0].search(head)
    return after_per()[1][found.lastindex - 1] if found and found.lastindex else per_before(head)
