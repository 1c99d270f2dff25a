"""Which row of efficiency.csv holds for a model, a precision, a card and an engine; and how wide its band then is.

Rows exist for the cards and engines of the published tables. For anything else the nearest row serves, and the band says
so: `speed_other_card` is what came out when the rows of one card were predicted with the shares of the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from knowledge.errors import InputError
from knowledge.facts import error_bands
from knowledge.rows import Gpu, Model, Precision
from knowledge.speed_facts import Efficiency, efficiencies
from tools.phrases import Language, read_phrases, say
from tools.results import ErrorBand
from tools.weights import routed_expert_params, served_precision

PHRASES = "phrases/speed.toml"
DEFAULT_ENGINE = "vllm"

NEAREST_KINDS = {"nf4": ("awq", "int4"), "fp4": ("int4",), "gguf": ("int4",), "fp8": ("int8",)}
"""Whose shares serve for kinds of weights that no published table holds: as many bits, unpacked before computing."""


NEAREST_ARCHS = {"latent": ("latent", "moe", "dense"), "moe": ("moe", "dense"), "dense": ("dense",)}
"""Whose rows serve for a kind of model that an engine has none of."""


@dataclass(frozen=True)
class Choice:
    """A row and how near it is to what was asked."""

    row: Efficiency
    other_card: bool
    other_kind: bool

    @property
    def is_fitted(self) -> bool:
        """Whether rows of this very card, engine and kind of weights were measured."""
        return self.row.basis == "fitted" and not (self.other_card or self.other_kind)


def choose_efficiency(
    model: Model, weight_dtype: str, gpu: Gpu, *, engine: str = DEFAULT_ENGINE, version: str | None = None,
    published: str | None = None, language: Language = "en",
) -> Choice:  # fmt: skip
    """The nearest row: the engine's, of that version or the newest before it; then the model's kind, the card, the weights.

    Without a version the newest holds, or what was current when a table was `published`. InputError for an engine of
    which no table is known.
    """
    rows = [row for row in efficiencies() if row.engine == engine.strip().lower()]
    if not rows:
        known = ", ".join(dict.fromkeys(row.engine for row in efficiencies()))
        raise InputError(say(read_phrases("tools", PHRASES), "unknown_engine", language, name=engine[:40], known=known))
    kinds = _kinds(served_precision(model, weight_dtype))
    archs = NEAREST_ARCHS[arch_of(model)]

    def distance(row: Efficiency) -> tuple[int, bool, int, bool]:
        return _rank(row.arch, archs), row.gpu_id != gpu.gpu_id, _rank(row.kind, kinds), _later(row, version, published)

    nearest = min(distance(row) for row in rows)
    row = max((row for row in rows if distance(row) == nearest), key=lambda row: _version(row.from_version))
    return Choice(row, other_card=row.gpu_id != gpu.gpu_id, other_kind=row.arch != archs[0] or row.kind not in kinds[:2])


def arch_of(model: Model) -> str:
    """Which rows hold for a model: latent (multi-head latent attention, which starts more kernels a layer), moe or dense."""
    if "kv_lora_rank" in (model.attention or {}):
        return "latent"
    return "moe" if routed_expert_params(model) else "dense"


def band_of(choice: Choice, *, concurrency: int) -> ErrorBand:
    """Measured over computed speed: the row's own band, or the widest of those that apply."""
    own = (choice.row.low_pct, choice.row.high_pct, choice.row.n, f"efficiency.csv ({choice.row.engine}, {choice.row.kind})")
    bands = [own]
    if not choice.is_fitted:
        bands.append(_measured("speed_other_card"))
    if concurrency > 1:
        bands.append(_measured("speed_batched"))
    widest = max(bands, key=lambda band: band[1] - band[0])
    low, high = min(band[0] for band in bands), max(band[1] for band in bands)
    return ErrorBand(low_pct=low, high_pct=high, n=widest[2], **{"from": widest[3]})


def _measured(quantity: str) -> tuple[float, float, int, str]:
    band = error_bands()[quantity]
    return band.low_pct, band.high_pct, band.n, band.measured_in


def _kinds(precision: Precision) -> tuple[str, ...]:
    """Names under which a row may stand for a precision, the most particular first."""
    near = NEAREST_KINDS.get(precision.precision) or NEAREST_KINDS.get(precision.kind, ())
    return (precision.precision, precision.kind, *near)


def _rank(name: str, order: tuple[str, ...]) -> int:
    return order.index(name) if name in order else len(order)


def _later(row: Efficiency, version: str | None, published: str | None) -> bool:
    """Whether the row is of a later version than the one asked, or of a later page than the one read."""
    if version and _version(version):
        return _version(row.from_version) > _version(version)
    return published is not None and row.published > published


@cache
def _version(text: str) -> tuple[int, ...]:
    found = re.match(r"\D*(\d+(?:\.\d+)*)", text)
    return tuple(int(part) for part in found[1].split(".")) if found else ()
