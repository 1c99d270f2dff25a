"""The formats of truth files: which fields tell them, which fields carry a figure, and which adapters predict them."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from knowledge.errors import InputError
from tools.phrases import Language

from .rows import Measure, Quantity, Refusal, Row
from .words import say

Predict = Callable[[Row], "list[Measure] | Refusal"]

MAX_BYTES = 100_000_000
"""Of a truth file; the longest known one has 0.7 MB."""


@dataclass(frozen=True)
class Part:
    """One adapter over a file. `needs` is a library that it cannot do without."""

    name: str
    module: str
    quantities: tuple[Quantity, ...]
    function: str = "predict"
    needs: str = ""

    def why_not(self) -> str:
        """Why the adapter cannot be run here: the library or the module that is missing; empty when it can."""
        if self.needs and importlib.util.find_spec(self.needs) is None:
            return self.needs
        name = f"evals.accuracy.{self.module}"
        return "" if importlib.util.find_spec(name) else name

    def load(self) -> Predict:
        """The adapter's function, imported now and not before."""
        function: Predict = getattr(importlib.import_module(f"evals.accuracy.{self.module}"), self.function)
        return function


@dataclass(frozen=True)
class Kind:
    """A format: told by `fields`; `carries` names the fields that hold a measured figure of a quantity."""

    name: str
    fields: frozenset[str]
    parts: tuple[Part, ...]
    carries: dict[Quantity, tuple[str, ...]] = field(default_factory=dict)


def _kind(name: str, fields: str, carries: dict[Quantity, tuple[str, ...]], *parts: Part) -> Kind:
    return Kind(name, frozenset(fields.split()), parts, carries)


KINDS = (
    _kind(
        "llm_inference",
        "model gpu kv_cache_tokens peak_mem_total gpu_memory_utilization",
        {
            "weights": ("weights_mem",),
            "kv_tokens": ("kv_cache_tokens", "num_gpu_blocks"),
            "peak": ("peak_mem_total",),
            "tokens_per_s": ("speed_tokens_per_s",),
        },
        Part("memory", "llm_inference", ("weights", "kv_tokens", "peak", "fits")),
        Part("speed", "speed", ("tokens_per_s",)),
    ),
    _kind(
        "llm_training",
        "model method micro_batch seq_len peak_mem",
        {"peak": ("peak_mem",)},
        Part("memory", "llm_training", ("peak", "fits")),
    ),
    _kind(
        "vision_training",
        "model crop_size batch_per_gpu mem_gb decode_head",
        {"peak": ("mem_gb",)},
        Part("traced", "vision_training", ("peak",), needs="torch"),
        Part("coefficients", "vision_coefficients", ("peak",), function="predict_by_coefficients"),
    ),
    _kind(
        "vision_detection",
        "model method mem_gb box_ap batch_per_gpu",
        {"peak": ("mem_gb",)},
        Part("coefficients", "vision_detection", ("peak",)),
    ),
    _kind(
        "vision_other",
        "section model mem_gb train_s_per_iter",
        {"peak": ("mem_gb",)},
        Part("coefficients", "vision_other", ("peak",)),
    ),
    _kind(
        "other_models",
        "kind model peak_mem vae_tiling_slicing",
        {"weights": ("weights_mem",), "peak": ("peak_mem",)},
        Part("memory", "other_models", ("weights", "peak", "fits")),
    ),
    _kind(
        "official_recommendations",
        "workload model gpu_count level verdict",
        {},
        Part("statements", "official", ("fits",)),
    ),
)
"""Every format, in the order in which they are tried."""


@dataclass(frozen=True)
class Truth:
    """A file as read: its rows, and one sentence for each line that is no row."""

    file: str
    kind: Kind
    rows: list[Row]
    broken: list[Refusal]


def read_truth(path: Path, *, language: Language = "en") -> Truth:
    """Reads a truth file, JSONL or CSV. Raises InputError for what cannot be read or is of no known format."""
    text = _text(path, language)
    lines = _json_lines(text) if text.lstrip()[:1] in ("{", "[") else _csv_lines(text)
    rows: list[Row] = []
    broken: list[Refusal] = []
    for found in lines:
        if isinstance(found, Refusal):
            broken.append(found)
        else:
            rows.append(found)
    return Truth(str(path), kind_of(rows, name=str(path), language=language), rows, broken)


def kind_of(rows: Iterable[Row], *, name: str = "", language: Language = "en") -> Kind:
    """The format whose telling fields the rows have. Raises InputError when it is none."""
    fields = {key for row in rows for key in row}
    for kind in KINDS:
        if kind.fields <= fields:
            return kind
    raise InputError(say("foreign", language, file=name, known=", ".join(kind.name for kind in KINDS)))


def _text(path: Path, language: Language) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(say("too_large", language, file=path, limit=f"{MAX_BYTES:,}"))
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(say("no_text", language, file=path)) from None
    except (OSError, ValueError) as error:
        raise InputError(say("unreadable", language, file=path, reason=getattr(error, "strerror", None) or error)) from None
    if not text.strip():
        raise InputError(say("empty", language, file=path))
    return text


def _json_lines(text: str) -> Iterator[Row | Refusal]:
    """One object a line; a line that is none is refused by its number."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        yield value if isinstance(value, dict) else Refusal(f"line {number}", "not a JSON object")


def _csv_lines(text: str) -> Iterator[Row | Refusal]:
    """One row a line, as many fields as the header has."""
    reader = csv.DictReader(text.splitlines(keepends=True), strict=False)
    try:
        for row in reader:
            if None in row or None in row.values():
                yield Refusal(f"line {reader.line_num}", "not as many fields as the header")
            else:
                yield dict(row)
    except csv.Error as error:
        yield Refusal(f"line {reader.line_num}", f"not CSV: {error}")
