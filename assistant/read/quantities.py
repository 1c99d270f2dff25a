"""Numbers with their role: context, users, batch, cards, disk, time, sides of pictures, rates, settings of training."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .durations import find_time
from .normalise import kilobytes_as_k, tokens_of
from .numbers import Number, joined
from .pictures import LARGEST_SIDE, SMALLEST_SIDE, find_bare_side, take_areas
from .rates import find_rates
from .roles import find_roles, words_around

MAX_CONTEXT = 20_000_000
"""Tokens beyond which a figure is a data set or nonsense, not a context."""
MAX_SEQUENCES = 1_000_000
MAX_GPUS = 100_000
_TOKEN_ROLES = ("context", "input", "output", "max_num_batched_tokens")
FEWEST_TOKENS = 16
"""Tokens below which a prompt or an answer is not sized: "每个 prompt 8 个回答" counts answers."""
SHORTEST_CONTEXT = 128
"""Tokens below which a figure is a context only where the word token stands behind it: "上下文 8" may mean 8K."""
COUNTS = (
    "lora_rank", "accumulate", "global_batch", "pipeline_parallel", "data_parallel", "expert_parallel", "max_num_seqs",
    "max_num_batched_tokens", "frames", "beam", "classes", "steps", "lora_adapters", "generations", "epochs", "samples",
)  # fmt: skip
"""Roles that are counts and fields of a Reading by the same name."""


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
    """What the numbers of a text say; fields as in `Reading`, those of COUNTS in `counts`, of speed in `rates`."""

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
    ram_gib: float | None = None
    memory_gib: float | None = None  # "64 GB memory": of the machine where there is no card
    hours: float | None = None
    months: float | None = None
    hours_per_month: float | None = None
    crop: tuple[int, int] | None = None
    side: int | None = None  # a bare number that may be the side of a picture
    input_tokens: int | None = None
    output_tokens: int | None = None
    utilization: float | None = None
    video_seconds: float | None = None
    seconds: float | None = None  # that say nothing of what they are
    counts: dict[str, int] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    absurd: list[str] = field(default_factory=list)
    found: list[Quantity] = field(default_factory=list)


_ONE = re.compile(r"(?<=for )a(?= (?:day|week|month|year)(?![a-z]))")


def read_quantities(lower: str) -> Quantities:
    """All quantities of a lower-case text in which the names of models, cards and instances are blanked out."""
    result = Quantities()
    lower, result.crop = take_areas(lower, result.absurd)
    lower = _ONE.sub("1", lower)
    lower = kilobytes_as_k(lower, result.absurd)
    numbers = find_roles(lower)
    result.found = list(_with_values(numbers, lower, result.absurd))
    result.side = find_bare_side(numbers, lower)
    _fill(result)
    result.rates = find_rates(result.found, lower)
    return result


def _with_values(numbers: Sequence[tuple[Number, str | None]], lower: str, absurd: list[str]) -> Iterable[Quantity]:
    for number, role in numbers:
        if role is None:
            continue
        value = _in_unit(role, number, lower)
        words = words_around(lower, number)
        if role == "context" and _is_doubtful(value, number, lower):
            continue
        if value == 0 and role in _POSITIVE and _is_another_zero(role, lower, number):
            continue
        fault = _fault(role, value, number)
        if fault:
            absurd.append(f"{fault}:{words}")
        elif value is not None:
            yield Quantity(role, value, number.start, number.end, words)


def _is_doubtful(value: float | None, number: Number, lower: str) -> bool:
    """A context of a few tokens that does not say so, and the one token of "how much is one token"."""
    few = value is not None and 0 < value < SHORTEST_CONTEXT and not number.negative
    return few and (value == 1 or not joined("each", "unit").match(lower, number.end))


def _in_unit(role: str, number: Number, lower: str) -> float | None:
    if role in _TOKEN_ROLES:
        return tokens_of(number.value, number.scale)
    if role in ("disk", "ram", "memory"):
        unit = re.match(r"\s?(gi?b?|ti?b?)?", lower[number.end :])
        return number.amount * (1024 if unit and (unit[1] or "").startswith("t") else 1)
    if role == "utilization":
        return number.amount / 100 if number.amount > 1 else number.amount
    return number.amount


_POSITIVE = {
    "context", "concurrency", "users", "people", "machines", "batch", "gpus", "tensor_parallel", "input", "output", "disk", "hours", "months",
    "lora_rank", "accumulate", "global_batch", "pipeline_parallel", "data_parallel", "frames", "beam", "crop", "qps", "max_num_seqs",
    "max_num_batched_tokens", "utilization", "ram", "classes", "steps", "hours_per_month", "hours_per_day", "samples", "epochs", "weeks", "days",
}  # fmt: skip
"""Roles of which zero and less is nonsense."""
_OTHER_ZEROS = ("classes", "steps", "utilization", "lora_rank", "frames")
"""Zeros that are numbers of something else: class 0, step 0, a use of 0 %, rank 0 of a group of processes."""
_LIMITS = {
    "context": (1e12, "huge_context"), "concurrency": (MAX_SEQUENCES, "huge_concurrency"),
    "users": (MAX_SEQUENCES, "huge_concurrency"), "people": (1e10, "huge_concurrency"), "machines": (MAX_GPUS, "huge_gpus"), "gpus": (MAX_GPUS, "huge_gpus"), "batch": (MAX_SEQUENCES, "huge_batch"),
    "disk": (1e9, "huge_disk"), "hours": (1e7, "huge_time"), "hours_per_month": (745, "huge_month"), "hours_per_day": (24.01, "huge_day"), "samples": (1e13, "huge_samples"), "epochs": (1e5, "huge_epochs"), "months": (1e4, "huge_time"),
    "lora_rank": (1e5, "huge_rank"), "accumulate": (MAX_SEQUENCES, "huge_batch"), "global_batch": (1e9, "huge_batch"), "crop": (LARGEST_SIDE + 1, "huge_crop"),
    "frames": (1e6, "huge_frames"), "steps": (1e9, "huge_steps"), "beam": (1e4, "huge_beam"), "classes": (1e8, "huge_classes"), "qps": (1e8, "huge_rate"),
    "token_rate": (1e11, "huge_rate"), "pipeline_parallel": (MAX_GPUS, "huge_gpus"), "data_parallel": (MAX_GPUS, "huge_gpus"),
    "ram": (1e7, "huge_memory"), "max_num_seqs": (MAX_SEQUENCES, "huge_concurrency"), "max_num_batched_tokens": (1e12, "huge_context"),
    "lora_adapters": (MAX_SEQUENCES, "huge_adapters"), "utilization": (1.0001, "huge_utilization"),
}  # fmt: skip


def _is_another_zero(role: str, lower: str, number: Number) -> bool:
    named = role == "lora_rank" and re.search(r"lora|秩", lower[max(0, number.start - 16) : number.end + 8])
    return role in _OTHER_ZEROS and not named


def _fault(role: str, value: float | None, number: Number) -> str | None:
    if value is None:
        return None
    if role in _POSITIVE and number.negative:
        return "negative_quantity"
    if role in _POSITIVE and value == 0:
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
    result.disk_gib, result.ram_gib, result.memory_gib = (values.get(role, [None])[0] for role in ("disk", "ram", "memory"))
    if result.crop is None and "crop" in values and SMALLEST_SIDE <= values["crop"][0] <= LARGEST_SIDE:
        result.crop = (int(values["crop"][0]), int(values["crop"][0]))
    result.hours, result.months, result.hours_per_month = find_time(values)
    _fill_settings(result, values)


def _fill_settings(result: Quantities, values: dict[str, list[float]]) -> None:
    """Settings of training, of the engine, of pictures and sound; sequences that the engine may run are users at most."""
    result.counts = {role: count for role in COUNTS if (count := _first(values, role))}
    result.input_tokens, result.output_tokens = (_largest(values, role) for role in ("input", "output"))
    result.utilization = next((value for value in values.get("utilization", []) if 0 < value <= 1), None)
    result.video_seconds, result.seconds = (values.get(role, [None])[0] for role in ("video_seconds", "seconds"))
    if result.concurrency is None and "max_num_seqs" in result.counts:
        result.concurrency = result.counts["max_num_seqs"]
        result.concurrencies = [result.concurrency]


def _largest(values: dict[str, list[float]], role: str) -> int | None:
    return int(max(values[role])) if max(values.get(role, [0])) >= FEWEST_TOKENS else None


def _first(values: dict[str, list[float]], role: str) -> int | None:
    return max(1, math.ceil(values[role][0])) if role in values else None
