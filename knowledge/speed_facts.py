"""Facts about speed: what share of a card's peak rates engines reach, and what an exchange between cards takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .tables import read_csv


@dataclass(frozen=True, slots=True)
class Efficiency:
    """How one engine drives one card with weights of one kind. Shares are of the card's published peak.

    `low_pct` and `high_pct` bound measured over computed speed, in percent, over the `n` rows that it was fitted on.
    """

    engine: str  # vllm | sglang | transformers
    from_version: str
    published: str  # date of the table that it was fitted on
    gpu_id: str
    kind: str  # a precision, or a kind of precisions (precisions.csv)
    arch: str  # dense | moe | latent (multi-head latent attention)
    basis: str  # fitted | borrowed: whether rows of this very kind were seen
    step_ms: float  # per step, whatever the model
    layer_ms: float  # per layer and step: kernels to be started
    expert_ms: float  # per expert and layer: engines that start each expert by itself
    overlap: float  # 1: starting and reading add up; larger: the longer of the two hides the other
    weight_share: float  # of memory bandwidth, reading weights
    cache_share: float  # of memory bandwidth, reading the cache
    cache_passes: float  # how often a cached byte is moved in a step
    cache_repeats: float  # the same for the cache copied out to every query head
    compute_share: float  # of peak operations, in matrix products over many tokens
    attention_share: float  # of peak operations, in attention over long prompts
    reduce_ms: float  # per exchange over NVLink, two a layer
    graph_tokens: int  # longest context that CUDA graphs cover; 0: all
    eager_ms: float  # per layer and step beyond it: kernels started one by one
    low_pct: float
    high_pct: float
    n: int
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Link:
    """An exchange between the cards of one machine: GB/s in one direction, and what starting it takes beyond NVLink's."""

    link: str  # nvlink, or the PCIe generation as gpus.csv spells it
    gb_s: float | None  # None: the card's own figure
    share: float
    extra_ms: float
    source_ids: tuple[str, ...]
    note: str


@cache
def efficiencies() -> tuple[Efficiency, ...]:
    """All rows, in the table's order."""
    return read_csv(Efficiency, "efficiency.csv")


@cache
def links() -> dict[str, Link]:
    """Links by name."""
    return {row.link: row for row in read_csv(Link, "links.csv")}
