"""Whether an argument says the same as what is wanted, and which slip of a unit lies between them where it does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from knowledge.errors import XuankaError
from tools.prices import region_id
from tools.weights import canonical_precision

from .places import means, spot_of
from .subjects import likeness

LARGEST = 1e30
"""Beyond it nothing is meant."""
CLOSE = 0.01
"""Share by which two amounts may differ: a budget by the day is divided by 24 and rounded."""
FOUR_BITS = frozenset({"int4", "awq", "gptq", "int4_g64"})
"""What "4 bit" may mean."""
NUMBERS = ("tokens", "count", "number", "seconds", "hours", "money", "price", "frames")
"""Kinds whose values are numbers."""
SUBJECTS = ("model", "network", "diffusion", "encoder", "speech")
"""Kinds whose values are what a job is about."""
SLIPS: Sequence[tuple[str, float, tuple[str, ...]]] = (
    ("thousand", 1000, ("tokens", "count", "number", "price", "money")), ("thousand", 1024, ("tokens", "count", "number")),
    ("milliseconds", 1000, ("seconds",)), ("bytes", 1e9, ("tokens", "count", "number")), ("bytes", 2**30, ("tokens", "count", "number")),
    ("million", 1e6, ("tokens", "count", "number", "price")), ("wan", 10_000, ("tokens", "count", "number", "money")), ("minutes", 60, ("seconds", "hours")),
    ("seconds", 3600, ("hours",)), ("hours_and_months", 730, ("money", "hours")), ("hours_and_months", 720, ("money", "hours")), ("days", 24, ("money", "hours")), ("percent", 100, ("number",)),
    ("months_and_years", 12, ("money", "count")),
)  # fmt: skip
"""Slips of a unit: the factor, and the kinds in which it is taken for one."""


def agrees(kind: str, given: Any, wanted: Any, *, call: Mapping[str, Any]) -> bool:
    """Whether a value says the same as a wanted one. `call`: all arguments of the call."""
    if kind in NUMBERS:
        return _numbers_agree(kind, given, wanted)
    if kind in SUBJECTS:
        return isinstance(given, str) and likeness(kind, given, str(wanted)) != "other"
    return _OF_KIND.get(kind, _texts_agree)(given, wanted, call)


def is_exact(kind: str, given: Any, wanted: Any) -> bool:
    """Whether an agreeing value may stay as it is: 8000 for "8K" is made 8192, and int4 for AWQ made awq, so that both models sum the same."""
    if kind in ("tokens", "money", "hours", "seconds"):
        return bool(given == wanted)
    if kind == "precision":
        return bool(precision_of(given) == precision_of(wanted) or precision_of(wanted) == "int4")
    return True


def slip_of(kind: str, given: Any, wanted: Any) -> str:
    """The slip of a unit between two values; empty for none that is known."""
    if kind == "model":
        return "params" if re.fullmatch(r"\d{1,4}(?:\.\d+)?", str(given).strip()) and re.search(rf"(?<![\d.]){re.escape(str(given).strip())}b", str(wanted).lower()) else ""
    if not (is_number(given) and is_number(wanted) and given and wanted):
        return ""
    ratio = max(abs(given / wanted), abs(wanted / given))
    return next((slip for slip, factor, kinds in SLIPS if kind in kinds and abs(ratio / factor - 1) < CLOSE), "")


def distance(given: Any, wanted: Any) -> float:
    """How far two numbers lie apart; 0 for anything else."""
    if not (is_number(given) and is_number(wanted)) or given <= 0 or wanted <= 0:
        return 0.0
    return float(max(given / wanted, wanted / given))


def same_tokens(given: float, wanted: float) -> bool:
    """Whether two lengths are written the same: 8000 and 8192 are both "8K", 1,000,000 and 1,048,576 "1M"."""
    low, high = sorted((given, wanted))
    if low == high:
        return True
    scales: tuple[tuple[float, float], ...] = ((1000, 1024), (1_000_000, 1024**2))
    return any(low % counted == 0 and low / counted == high / binary for counted, binary in scales)


def precision_of(name: Any) -> str:
    """The canonical name of a precision, or the words themselves."""
    try:
        return canonical_precision(str(name))
    except XuankaError:
        return str(name).strip().lower()


def region_of(name: Any) -> str:
    """The id of a region, or the words themselves."""
    try:
        return region_id(str(name))
    except XuankaError:
        return str(name).strip().lower()


def _numbers_agree(kind: str, given: Any, wanted: Any) -> bool:
    if not (is_number(given) and is_number(wanted)):
        return False
    if kind == "tokens":
        return same_tokens(given, wanted)
    exact = kind == "count"
    return bool(given == wanted) if exact else abs(given - wanted) <= CLOSE * max(abs(given), abs(wanted))


def is_number(value: Any) -> bool:
    """Whether a value is a number that can be compared: finite, and none of hundreds of digits."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST


def _precisions_agree(given: Any, wanted: Any, call: Mapping[str, Any]) -> bool:
    found, meant = precision_of(given), precision_of(wanted)
    return found == meant or (meant == "int4" and found in FOUR_BITS) or (found == "int4" and meant in FOUR_BITS)


def _places_agree(given: Any, wanted: Any, call: Mapping[str, Any]) -> bool:
    """Each place given is one of those wanted."""
    asked = wanted if isinstance(wanted, list) else [wanted]
    counted = next((call[name] for name in ("gpus", "gpu_count", "tensor_parallel") if call.get(name)), None)
    return all(any(means(str(name), str(one), counted=counted) for one in asked) for name in (given if isinstance(given, list) else [given]))


def _names_agree(given: Any, wanted: Any, call: Mapping[str, Any]) -> bool:
    found, meant = spot_of(str(given)), spot_of(str(wanted))
    return means(str(given), str(wanted), counted=meant.count) or (found.count is None and not found.instance and bool(found.cards & meant.cards) and not meant.family)


def _regions_agree(given: Any, wanted: Any, call: Mapping[str, Any]) -> bool:
    asked = {region_of(name) for name in (wanted if isinstance(wanted, list) else [wanted])}
    return all(region_of(name) in asked for name in (given if isinstance(given, list) else [given]))


def _sides_agree(given: Any, wanted: Any, call: Mapping[str, Any]) -> bool:
    """In either order; one side is a square."""
    sides = [{value[0], value[-1]} for value in (given, wanted) if isinstance(value, (list, tuple)) and value and all(map(is_number, value))]
    return len(sides) == 2 and sides[0] == sides[1]


def _texts_agree(given: Any, wanted: Any, call: Mapping[str, Any]) -> bool:
    left, right = (str(value).strip().lower().replace("-", "_") for value in (given, wanted))
    return left == right


def _flags_agree(given: Any, wanted: Any, call: Mapping[str, Any]) -> bool:
    return bool(given) == bool(wanted)


_OF_KIND: dict[str, Callable[[Any, Any, Mapping[str, Any]], bool]] = {
    "precision": _precisions_agree, "places": _places_agree, "name": _names_agree, "region": _regions_agree, "regions": _regions_agree,
    "sides": _sides_agree, "flag": _flags_agree,
}  # fmt: skip
