"""Fits the shares of efficiency.csv on published speeds: `python -m evals.accuracy.speed_fit FILE [--write]`.

Printed for each engine and card: the error of the fit, of a split by model (every second model by size fitted, the others
predicted, both ways), and of leaving out one model at a time. Constants are shared as widely as the rows allow, since a
constant of few rows fits them and nothing else. With --write the table, the rows borrowed from it, and the band of
predicting one card with the shares of another are printed as CSV.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from knowledge.speed_facts import Efficiency
from tools.speed.efficiency import arch_of
from tools.speed.loads import Loads
from tools.speed.roofline import Peak, peak_of
from tools.speed.times import request_times
from tools.weights import served_precision

from .speed import SpeedRow

Key = tuple[str, ...]
Constants = dict[Key, float]

START = {
    "step_ms": 1.0, "layer_ms": 0.1, "expert_ms": 0.08, "overlap": 3.0, "weight_share": 0.6, "cache_share": 0.6,
    "cache_passes": 3.0, "cache_repeats": 2.0, "compute_share": 0.5, "attention_share": 0.3, "reduce_ms": 0.012,
    "eager_ms": 0.4,
}  # fmt: skip
"""Where the search starts, and what it is drawn to where rows say little."""
EAGER_LAYER_MS = 0.8

GRAPH_TOKENS = {("vllm", "0.4.2"): 8192}
"""Contexts beyond `max_seq_len_to_capture` run without CUDA graphs; the pages of later versions show no such fall
(https://docs.vllm.ai/en/v0.4.2/models/engine_args.html)."""

MOST = {"weight_share": 0.95, "cache_share": 0.95, "compute_share": 0.75, "attention_share": 0.75, "overlap": 6.0}
"""Bounds: no kernel reaches its card's peak."""
LEAST = {"overlap": 1.0}

PULL = 0.02
ROUNDS = 60


@dataclass(frozen=True)
class Sharing:
    """Over what each constant is shared: the fields of a row by which it differs; constants not named stay fixed."""

    engine: str
    gpu_id: str
    by: dict[str, tuple[str, ...]]
    fixed: dict[str, float]


GRAPH = {"expert_ms": 0.0, "overlap": 1.0, "cache_passes": 1.0, "cache_repeats": 0.0}
EAGER = {"reduce_ms": 0.0}
A100, H20 = "nvidia-a100-80gb", "nvidia-h20-96gb"

SHARINGS = (
    Sharing("vllm", A100, {
        "step_ms": (), "layer_ms": ("arch",), "weight_share": ("version", "kind", "arch"), "cache_share": ("version",),
        "compute_share": (), "attention_share": ("version",), "reduce_ms": (), "eager_ms": ("arch",),
    }, GRAPH),
    Sharing("sglang", H20, {
        "step_ms": (), "layer_ms": ("kind", "arch"), "weight_share": ("kind", "arch"), "cache_share": (),
        "compute_share": ("kind",), "attention_share": (), "reduce_ms": (),
    }, GRAPH),
    Sharing("transformers", A100, {
        "step_ms": (), "layer_ms": ("version", "kind", "arch"), "expert_ms": (), "overlap": (),
        "weight_share": ("kind", "arch"), "cache_share": (), "cache_passes": ("version",),
        "cache_repeats": ("version",), "compute_share": (), "attention_share": (),
    }, EAGER),
    Sharing("transformers", H20, {
        "step_ms": (), "layer_ms": ("kind",), "overlap": (), "weight_share": ("kind",), "cache_share": (),
        "cache_passes": ("kind",), "cache_repeats": ("kind",), "compute_share": (), "attention_share": (),
    }, {**EAGER, "expert_ms": 0.0}),
)  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """One published row with all that does not depend on the constants."""

    row: SpeedRow
    version: str
    kind: str
    arch: str

    @property
    def graph_tokens(self) -> int:
        return GRAPH_TOKENS.get((self.row.engine, self.version), 0)

    @cached_property
    def loads(self) -> Loads:
        return self.row.loads

    @cached_property
    def peak(self) -> Peak:
        peak = peak_of(self.row.gpu, self.kind, nvlink=True)
        assert peak is not None, self.row.gpu.gpu_id
        return peak

    def ratio(self, efficiency: Efficiency) -> float:
        """Measured over computed speed."""
        row = self.row
        times = request_times(
            self.loads, self.peak, efficiency,
            concurrency=row.batch, input_tokens=row.input_tokens, output_tokens=row.output_tokens,
        )  # fmt: skip
        return row.tokens_per_s / row.speed(times)


def make_sample(row: SpeedRow, version: str) -> Sample:
    """The sample of a row; `version` is the engine's as the table will name it."""
    precision = served_precision(row.model, row.precision)
    kind = "awq" if precision.precision == "awq" else precision.kind
    return Sample(row, version, kind, arch_of(row.model))


def fit(samples: Sequence[Sample], sharing: Sharing) -> Constants:
    """Constants that make the sum of ln(1 + 3·|ln ratio|) least, by steps along one constant at a time.

    That sum minds a typical row, not the few that a page printed wrong.
    """
    users: dict[Key, list[Sample]] = {}
    for sample in samples:
        for key in _keys(sample, sharing):
            users.setdefault(key, []).append(sample)
    found = {key: _start(key[0], sharing) for key in users}
    step = dict.fromkeys(found, 0.5)
    for _ in range(ROUNDS):
        for key, seen in users.items():
            value = _better(key, found, seen, sharing, step[key])
            step[key] *= 0.6 if value is None else 1.3
            found[key] = found[key] if value is None else value
    return found


def efficiency_of(sample: Sample, found: Constants, sharing: Sharing) -> Efficiency:
    """The row of the table for a sample. KeyError where nothing of its kind was fitted."""
    constants = {name: found[_key(name, sample, sharing)] for name in sharing.by if _applies(name, sample)}
    unused = {name: 0.0 for name in sharing.by if not _applies(name, sample)}
    return Efficiency(
        engine=sharing.engine, from_version=sample.version, published=sample.row.published or "", gpu_id=sharing.gpu_id,
        kind=sample.kind, arch=sample.arch, basis="fitted", low_pct=0.0, high_pct=0.0, n=0, source_ids=(), note="",
        graph_tokens=sample.graph_tokens, **{"eager_ms": 0.0, **sharing.fixed, **unused, **constants},
    )  # fmt: skip


def errors(samples: Sequence[Sample], found: Constants, sharing: Sharing) -> list[float]:
    """Measured over computed, less one; samples of kinds that were not fitted are left out."""
    ratios = []
    for sample in samples:
        try:
            ratios.append(sample.ratio(efficiency_of(sample, found, sharing)) - 1)
        except KeyError:
            continue
    return ratios


def split_errors(samples: Sequence[Sample], sharing: Sharing) -> list[float]:
    """Every second model by size fitted and the others predicted, both ways."""
    sized = sorted(samples, key=lambda sample: (sample.row.model.params_total, sample.row.model.id))
    names = list(dict.fromkeys(sample.row.model.id for sample in sized))
    found: list[float] = []
    for half in (set(names[::2]), set(names[1::2])):
        constants = fit([sample for sample in samples if sample.row.model.id in half], sharing)
        found += errors([sample for sample in samples if sample.row.model.id not in half], constants, sharing)
    return found


def left_out_errors(samples: Sequence[Sample], sharing: Sharing) -> list[float]:
    """Each model predicted from a fit on all others."""
    found: list[float] = []
    for name in dict.fromkeys(sample.row.model.id for sample in samples):
        constants = fit([sample for sample in samples if sample.row.model.id != name], sharing)
        found += errors([sample for sample in samples if sample.row.model.id == name], constants, sharing)
    return found


def rounded(efficiency: Efficiency) -> Efficiency:
    """Three significant figures: more would pretend to know."""
    numbers: dict[str, Any] = {name: float(f"{getattr(efficiency, name):.3g}") for name in START}
    return replace(efficiency, **numbers)


def _better(key: Key, found: Constants, seen: Sequence[Sample], sharing: Sharing, step: float) -> float | None:
    before = found[key]
    least, best = _loss(key, found, seen, sharing), None
    for direction in (1, -1):
        value = max(min(before * math.exp(direction * step), MOST.get(key[0], math.inf)), LEAST.get(key[0], 0.0))
        found[key] = value
        if _loss(key, found, seen, sharing) < least - 1e-9:
            best = value
            break
    found[key] = before
    return best


def _loss(key: Key, found: Constants, seen: Sequence[Sample], sharing: Sharing) -> float:
    ratios = (sample.ratio(efficiency_of(sample, found, sharing)) for sample in seen)
    pull = PULL * math.log(found[key] / _start(key[0], sharing)) ** 2
    return sum(math.log1p(3 * abs(math.log(ratio))) for ratio in ratios) + pull


def _keys(sample: Sample, sharing: Sharing) -> Iterator[Key]:
    return (_key(name, sample, sharing) for name in sharing.by if _applies(name, sample))


def _key(name: str, sample: Sample, sharing: Sharing) -> Key:
    return (name, *(getattr(sample, field) for field in sharing.by[name]))


def _applies(name: str, sample: Sample) -> bool:
    """Experts are started one by one only where there are some, kernels where graphs do not cover every context."""
    return (name != "expert_ms" or sample.arch == "moe") and (name != "eager_ms" or sample.graph_tokens > 0)


def _start(name: str, sharing: Sharing) -> float:
    return EAGER_LAYER_MS if name == "layer_ms" and sharing.fixed is not GRAPH else START[name]
