"""The tables that a refresh may replace: types, families, regions, prices, spot quotes, sources.

They hold the rows of the snapshot in use over the shipped ones; `shipped_…` are the shipped tables alone. What is made of
them is kept by `@kept`, not by `@cache`. Read them through `facts`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from .active import active_files
from .kept import kept
from .rows import Family, Gpu, GpuNames, Instance, NotFamily, PriceRow, Region, Source, SpotRow
from .tables import read_csv, read_data

if TYPE_CHECKING:
    from .catalog_overlay import Catalog
    from .snapshot_rows import ListedType, Manifest, Offered, PlanRate, SpotAdvice

CATALOG_READ_ON = "2026-11-30"
"""Day on which the official pages (of about mid-2026) were read."""


@cache
def shipped_sources() -> dict[str, Source]:
    """Sources by id."""
    return {row.source_id: row for row in read_csv(Source, "sources.csv")}


@kept
def sources() -> dict[str, Source]:
    """Sources by id, those of a refresh included."""
    files = active_files()
    if files is None:
        return shipped_sources()
    from .catalog_overlay import snapshot_sources

    return shipped_sources() | snapshot_sources(files.manifest, files.contents(), _listed_sentences())


@cache
def gpus() -> dict[str, Gpu]:
    """Cards by gpu_id, those that Alibaba Cloud does not offer included (for comparison)."""
    return {row.gpu_id: row for row in read_csv(Gpu, "gpus.csv")}


@cache
def gpu_names() -> tuple[GpuNames, ...]:
    """What people call each card and how it may be worded, in the table's order."""
    return read_csv(GpuNames, "gpu_names.csv")


@cache
def shipped_families() -> dict[str, Family]:
    """Instance families by name, as shipped."""
    return {row.family: row for row in read_csv(Family, "families.csv")}


def families() -> dict[str, Family]:
    """Instance families by name."""
    catalog = _catalog()
    return catalog.families if catalog else shipped_families()


@kept
def not_families() -> dict[str, NotFamily]:
    """Names that circulate and are in no catalog, by lower-case name."""
    rows = {row.name.lower(): row for row in read_csv(NotFamily, "not_families.csv")}
    real = _catalog()
    if real is None:
        return rows
    known = {*real.as_of, *(name.removeprefix("ecs.") for name in real.as_of)}
    return {name: row for name, row in rows.items() if name not in known}


@cache
def shipped_instances() -> dict[str, Instance]:
    """Instance types by name (`ecs.…`), as shipped."""
    return {row.instance_type: row for row in read_csv(Instance, "instances.csv")}


def instances() -> dict[str, Instance]:
    """Instance types by name (`ecs.…`). A type whose card cannot be told is not among them, see `untold_types`."""
    catalog = _catalog()
    return catalog.instances if catalog else shipped_instances()


def untold_types() -> dict[str, ListedType]:
    """Types that the cloud's interface lists and whose card, as it words it, is not in our tables: not to be sized."""
    catalog = _catalog()
    return catalog.untold if catalog else {}


def gone_types() -> frozenset[str]:
    """Types that the interface lists no longer, although all types of their family were listed."""
    catalog = _catalog()
    return catalog.gone if catalog else frozenset()


def active_manifest() -> Manifest | None:
    """What the snapshot in use covers."""
    files = active_files()
    return files.manifest if files else None


def is_refreshed() -> bool:
    """Whether a snapshot is in use."""
    return active_files() is not None


def active_day() -> str:
    """Day of the refresh in use, else of the shipped pages."""
    files = active_files()
    return files.manifest.as_of if files else CATALOG_READ_ON


def catalog_as_of(name: str) -> str:
    """Day of which the figures of a type or family are: that of the refresh that listed it, else of the shipped pages."""
    catalog = _catalog()
    return catalog.as_of.get(name, CATALOG_READ_ON) if catalog else CATALOG_READ_ON


def catalog_day(names: Iterable[str]) -> str:
    """The earliest day of which the figures of any of the types or families are."""
    return min(map(catalog_as_of, names), default=CATALOG_READ_ON)


def is_listed_whole(family: str) -> bool:
    """Whether the refresh in use listed all types of a family, so that what it lacks is not sold under that name."""
    files = active_files()
    return files is not None and family in files.manifest.whole_families


@kept
def _catalog() -> Catalog | None:
    """Types and families with the snapshot in use laid over them; None without one."""
    files = active_files()
    if files is None:
        return None
    from .catalog_overlay import Catalog, overlay_catalog

    shipped = Catalog(shipped_instances(), shipped_families())
    types = files.rows("types.csv")
    new = {row.instance_type for row in types if row.instance_type not in shipped.instances}
    named = {row.instance_type for row in shipped.instances.values() if row.status == "name_only"}
    asked = new or named & {row.instance_type for row in types}
    return overlay_catalog(
        shipped, files.manifest, types, _sold() if asked else frozenset(),
        gpus=gpus(), names=gpu_names(), sentences=_listed_sentences(),
    )  # fmt: skip


def _sold() -> frozenset[str]:
    """Types that the snapshot in use prices, or offers somewhere, in stock or not."""
    files = active_files()
    offers = files.column("offered.csv", "instance_type") if files else frozenset()
    return offers | {row.instance_type for row in _refreshed("prices.csv")}


@kept
def _refreshed(table: str) -> tuple[Any, ...]:
    files = active_files()
    return () if files is None else files.rows(table)


@cache
def _listed_sentences() -> dict[str, dict[str, str]]:
    return tomllib.loads(read_data("listed.toml"))


@cache
def shipped_prices() -> tuple[PriceRow, ...]:
    """List prices, as shipped."""
    return read_csv(PriceRow, "prices.csv")


@kept
def price_rows() -> tuple[PriceRow, ...]:
    """List prices: instance only, Linux; unique by (type, region, billing, currency, site)."""
    if active_files() is None:
        return shipped_prices()
    from .catalog_overlay import overlay_prices

    return overlay_prices(shipped_prices(), _refreshed("prices.csv"), instances(), regions())


@cache
def shipped_spot() -> tuple[SpotRow, ...]:
    """Spot quotes, as shipped."""
    return read_csv(SpotRow, "spot.csv")


@kept
def spot_rows() -> tuple[SpotRow, ...]:
    """Spot quotes per zone, those of one type, region and currency of one day."""
    if active_files() is None:
        return shipped_spot()
    from .catalog_overlay import overlay_spot

    return overlay_spot(shipped_spot(), _refreshed("spot.csv"), instances(), regions())


def offered() -> tuple[Offered, ...]:
    """What each zone offers, as last refreshed; nothing without a refresh."""
    return _refreshed("offered.csv")


def spot_advice() -> tuple[SpotAdvice, ...]:
    """Average spot price and interruptions per zone, as last refreshed."""
    return _refreshed("advice.csv")


def plan_rates() -> tuple[PlanRate, ...]:
    """Discounts of savings plans, as last refreshed."""
    return _refreshed("plans.csv")


@cache
def shipped_regions() -> dict[str, Region]:
    """Regions by id, as shipped."""
    return {row.region: row for row in read_csv(Region, "regions.csv")}


@kept
def regions() -> dict[str, Region]:
    """Regions by id, with the names people use; one that only a refresh names goes by its id."""
    files = active_files()
    if files is None:
        return shipped_regions()
    from .catalog_overlay import overlay_regions

    return overlay_regions(shipped_regions(), files.manifest.regions)
