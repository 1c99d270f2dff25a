"""The fact tables, loaded once each. `tools` and the card writer read facts here and nowhere else.

Types, families, regions, prices, spot quotes and sources hold the rows of the snapshot in use (`use_snapshots`) over the
shipped ones; `shipped_…` are the shipped tables alone. Results made of them are kept by `@kept`, not by `@cache`.
"""

from __future__ import annotations

from functools import cache

from .active import active_snapshot as active_snapshot
from .active import use_snapshots as use_snapshots
from .catalog_facts import CATALOG_READ_ON as CATALOG_READ_ON
from .catalog_facts import active_day as active_day
from .catalog_facts import active_manifest as active_manifest
from .catalog_facts import catalog_as_of as catalog_as_of
from .catalog_facts import catalog_day as catalog_day
from .catalog_facts import families as families
from .catalog_facts import gone_types as gone_types
from .catalog_facts import gpu_names as gpu_names
from .catalog_facts import gpus as gpus
from .catalog_facts import instances as instances
from .catalog_facts import is_listed_whole as is_listed_whole
from .catalog_facts import is_refreshed as is_refreshed
from .catalog_facts import not_families as not_families
from .catalog_facts import offered as offered
from .catalog_facts import plan_rates as plan_rates
from .catalog_facts import price_rows as price_rows
from .catalog_facts import regions as regions
from .catalog_facts import shipped_families as shipped_families
from .catalog_facts import shipped_instances as shipped_instances
from .catalog_facts import shipped_prices as shipped_prices
from .catalog_facts import shipped_regions as shipped_regions
from .catalog_facts import shipped_sources as shipped_sources
from .catalog_facts import shipped_spot as shipped_spot
from .catalog_facts import sources as sources
from .catalog_facts import spot_advice as spot_advice
from .catalog_facts import spot_rows as spot_rows
from .catalog_facts import untold_types as untold_types
from .rows import (
    BillingFact,
    Claim,
    Disk,
    EngineDefaults,
    EngineVersion,
    GenerateVersion,
    MeasuredBand,
    Model,
    Precision,
    QuantizedCheckpoint,
    RemoteCode,
    TypicalModel,
)
from .tables import read_csv, read_jsonl


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
