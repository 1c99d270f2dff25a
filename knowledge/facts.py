"""The fact tables, loaded once each. `tools` and the card writer read facts here and nowhere else."""

from __future__ import annotations

from functools import cache

from .rows import (
    BillingFact,
    Claim,
    Disk,
    EngineDefaults,
    EngineVersion,
    Family,
    GenerateVersion,
    Gpu,
    GpuNames,
    Instance,
    MeasuredBand,
    Model,
    NotFamily,
    Precision,
    PriceRow,
    QuantizedCheckpoint,
    Region,
    RemoteCode,
    Source,
    SpotRow,
    TypicalModel,
)
from .tables import read_csv, read_jsonl

CATALOG_READ_ON = "2026-11-30"
"""Day on which the official pages (of about mid-2026) were read."""


@cache
def sources() -> dict[str, Source]:
    """Sources by id."""
    return {row.source_id: row for row in read_csv(Source, "sources.csv")}


@cache
def gpus() -> dict[str, Gpu]:
    """Cards by gpu_id, those that Alibaba Cloud does not offer included (for comparison)."""
    return {row.gpu_id: row for row in read_csv(Gpu, "gpus.csv")}


@cache
def gpu_names() -> tuple[GpuNames, ...]:
    """What people call each card and how it may be worded, in the table's order."""
    return read_csv(GpuNames, "gpu_names.csv")


@cache
def families() -> dict[str, Family]:
    """Instance families by name."""
    return {row.family: row for row in read_csv(Family, "families.csv")}


@cache
def not_families() -> dict[str, NotFamily]:
    """Names that circulate and are in no catalog, by lower-case name."""
    return {row.name.lower(): row for row in read_csv(NotFamily, "not_families.csv")}


@cache
def instances() -> dict[str, Instance]:
    """Instance types by name (`ecs.…`)."""
    return {row.instance_type: row for row in read_csv(Instance, "instances.csv")}


@cache
def price_rows() -> tuple[PriceRow, ...]:
    """List prices: instance only, Linux; unique by (type, region, billing, currency, site)."""
    return read_csv(PriceRow, "prices.csv")


@cache
def spot_rows() -> tuple[SpotRow, ...]:
    """Spot quotes per zone of one day each."""
    return read_csv(SpotRow, "spot.csv")


@cache
def regions() -> dict[str, Region]:
    """Regions by id, with the names people use."""
    return {row.region: row for row in read_csv(Region, "regions.csv")}


@cache
def disks() -> dict[str, Disk]:
    """Cloud disk levels by name."""
    return {row.level: row for row in read_csv(Disk, "storage.csv")}


@cache
def billing_facts() -> dict[str, BillingFact]:
    """Billing rules by id."""
    return {row.id: row for row in read_jsonl(BillingFact, "billing_facts.jsonl")}


@cache
def claims() -> dict[str, Claim]:
    """Judged statements of the first two documents, by id."""
    return {row.id: row for row in read_jsonl(Claim, "claims.jsonl")}


@cache
def models() -> dict[str, Model]:
    """Model architectures by id."""
    return {row.id: row for row in read_jsonl(Model, "models.jsonl")}


@cache
def precisions() -> dict[str, Precision]:
    """How weights are stored, by canonical name."""
    return {row.precision: row for row in read_csv(Precision, "precisions.csv")}


@cache
def engine_versions() -> tuple[EngineVersion, ...]:
    """Start-up memory of vLLM by range of versions, oldest first."""
    return read_csv(EngineVersion, "engines.csv")


@cache
def generate_versions() -> tuple[GenerateVersion, ...]:
    """Memory of Hugging Face `generate()` by range of transformers versions, oldest first."""
    return read_csv(GenerateVersion, "generate_versions.csv")


@cache
def engine_defaults() -> tuple[EngineDefaults, ...]:
    """What vLLM's server picks by itself, most particular card first."""
    return read_csv(EngineDefaults, "engine_defaults.csv")


@cache
def error_bands() -> dict[str, MeasuredBand]:
    """Range of measured against predicted figures, by quantity."""
    return {row.quantity: row for row in read_csv(MeasuredBand, "error_bands.csv")}


@cache
def typical_models() -> tuple[TypicalModel, ...]:
    """Usual dense shapes by size, smallest first."""
    return read_csv(TypicalModel, "typical_models.csv")


@cache
def remote_code() -> dict[str, RemoteCode]:
    """Repositories that ship code of their own, by their id on the hub."""
    return {row.hf_id: row for row in read_csv(RemoteCode, "remote_code.csv")}


@cache
def quantized_checkpoints() -> dict[tuple[str, str], QuantizedCheckpoint]:
    """Published quantised weights, by (family, precision)."""
    rows = read_csv(QuantizedCheckpoint, "quantized_checkpoints.csv")
    return {(row.family, row.precision): row for row in rows}
