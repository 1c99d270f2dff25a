"""The rows of the fact tables. Column names carry the unit; empty cells are None (unknown).

`gb` is 10^9 bytes as vendors print it, `gib` 2^30 bytes, `mib` 2^20 bytes. Every row names its sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from .model_rows import (
    EngineDefaults as EngineDefaults,
)
from .model_rows import (
    EngineVersion as EngineVersion,
)
from .model_rows import (
    GenerateVersion as GenerateVersion,
)
from .model_rows import (
    MeasuredBand as MeasuredBand,
)
from .model_rows import (
    Model as Model,
)
from .model_rows import (
    Precision as Precision,
)
from .model_rows import (
    QuantizedCheckpoint as QuantizedCheckpoint,
)
from .model_rows import (
    RemoteCode as RemoteCode,
)
from .model_rows import (
    TypicalModel as TypicalModel,
)


@dataclass(frozen=True, slots=True)
class Source:
    source_id: str
    title: str
    publisher: str
    url: str
    trust: str  # official | vendor | measured | community | blog
    language: str
    published_on: str
    checked_on: str
    note: str


@dataclass(frozen=True, slots=True)
class Gpu:
    gpu_id: str
    name: str
    vendor_wording: str
    name_basis: str  # official | inferred: whether the catalog's pages or API name the card
    architecture: str
    compute_capability: float | None
    memory_gb: float
    usable_mib: int | None
    memory_bandwidth_gb_s: float | None
    fp32_tflops: float | None
    tf32_tflops: float | None
    fp16_tflops: float | None
    bf16_tflops: float | None
    fp8_tflops: float | None
    int8_tops: float | None
    int4_tops: float | None
    nvlink_gb_s: float | None
    pcie: str
    bf16: bool | None
    fp8: bool | None
    mig: bool | None
    tdp_w: int | None
    verification: str
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class GpuNames:
    """Names of one card. `gpu_id` is empty for a card that is known by name and not in the card table."""

    gpu_id: str
    label_zh: str
    label_en: str
    names: tuple[str, ...]
    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Family:
    family: str
    kind: str  # gpu | bare_metal_gpu | scc_gpu | vgpu | cpu | other_accelerator
    generation: int
    gpu_id: str
    gpu_counts: tuple[str, ...]
    status: str  # on_sale | contact_sales | invite_only | phased_out | overseas_only | name_only
    nvlink: bool
    rdma: str  # none | erdma | roce
    summary_en: str
    summary_zh: str
    best_for_en: str
    best_for_zh: str
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class NotFamily:
    """A name that circulates and is in no catalog."""

    name: str
    what_is_claimed: str
    fact_en: str
    fact_zh: str
    nearest: tuple[str, ...]
    seen_in: str
    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Instance:
    instance_type: str
    family: str
    vcpu: int
    memory_gib: float | None
    gpu_id: str
    gpu_count: int
    gpu_fraction: str  # share of one card for vGPU types, e.g. 1/4
    gpu_memory_gb_each: float | None
    gpu_memory_gb_total: float | None
    network_gbps: float | None
    pps: int | None
    rdma: str
    rdma_gbps: float | None
    nvlink: bool
    bare_metal: bool
    vgpu: bool
    local_disk_gib: float | None
    cpu_model: str
    cpu_arch: str
    status: str
    confidence: str
    source_ids: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class PriceRow:
    instance_type: str
    region: str
    billing: str  # payg | month
    currency: str
    amount: Decimal
    per: str  # hour | month
    site: str  # cn | intl
    as_of: str
    confidence: str
    source_id: str
    note: str


@dataclass(frozen=True, slots=True)
class SpotRow:
    instance_type: str
    region: str
    zone: str
    currency: str
    spot_per_hour: Decimal
    payg_per_hour: Decimal | None
    as_of: str
    source_id: str


@dataclass(frozen=True, slots=True)
class Region:
    region: str
    name_zh: str
    name_en: str
    aliases: tuple[str, ...]
    mainland: bool
    source_id: str


@dataclass(frozen=True, slots=True)
class Disk:
    level: str
    max_iops: int | None
    max_throughput_mb_s: float | None
    min_size_gib: int | None
    note: str
    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BillingFact:
    id: str
    topic: str
    fact_zh: str
    fact_en: str
    value: Mapping[str, Any] | None
    official: bool
    confidence: str
    as_of: str
    source_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of one of the two first documents, judged."""

    id: str
    doc: str
    claim_zh: str
    claim_en: str
    verdict: str  # correct | wrong | partly | outdated | unverifiable | opinion
    fact_zh: str
    fact_en: str
    source_ids: tuple[str, ...]
