"""Puts a snapshot together: what was fetched, and from the snapshot before it all that this refresh brought nothing for.

A row gives way to a newer row of its own kind, or to a list that was read to its end without it: types of families that were
listed in every region, and what a region sells. It never gives way to nothing. What is carried over keeps its day.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from knowledge.aliyun.answers import family_of as family_of_name
from knowledge.errors import DataError
from knowledge.rows import PriceRow, SpotRow
from knowledge.snapshot_files import TABLES
from knowledge.snapshot_rows import (
    FORMAT,
    ListedType,
    Manifest,
    Offered,
    PlanRate,
    Site,
    Snapshot,
    SpotAdvice,
)
from knowledge.snapshots import list_snapshots, read_snapshot

from .journal import TABLE, Rows
from .plan import TypesByFamily
from .request import Charge, Kind, RefreshRequest

Done = Mapping[str, Rows]
"""Rows of the finished steps, by the step's key."""


@dataclass(frozen=True, slots=True)
class Carried:
    """Rows of one table and one day that were carried over."""

    table: str  # types | offered | prices | spot | advice | plans
    as_of: str
    rows: int


def fetched_tables(done: Done) -> dict[str, Rows]:
    """All rows of the finished steps, by table."""
    tables: dict[str, list[Any]] = {name: [] for name in TABLES}
    for key, rows in done.items():
        kind = cast(Kind, key.split("/")[0])
        tables[TABLE[kind]] += rows
    return {name: tuple(rows) for name, rows in tables.items()}


def types_by_family(request: RefreshRequest, types: Iterable[ListedType]) -> dict[str, set[str]]:
    """Types that were listed of each family of the request."""
    found: dict[str, set[str]] = {}
    for row in types:
        if row.family in request.families:
            found.setdefault(row.family, set()).add(row.instance_type)
    return found


def with_other_families(request: RefreshRequest, done: Done) -> RefreshRequest:
    """The request with the families that were found beside those it names."""
    found = (row.family for key, rows in done.items() if key.startswith("types/") for row in rows)
    return replace(request, families=_union(request.families, found)) if request.others else request


def sold_by_charge(done: Done) -> dict[tuple[str, Charge], set[str]]:
    """What each region sells in each way that was asked for; what is sold out is sold there all the same."""
    sold: dict[tuple[str, Charge], set[str]] = {}
    for key, rows in done.items():
        kind, region, _, charge = key.split("/")
        if kind == "stock":
            sold[region, cast(Charge, charge)] = {row.instance_type for row in rows}
    return sold


def site_of(request: RefreshRequest, done: Done) -> Site:
    """Whose prices they are: the site of the account, told by the prices; without any that of the request."""
    sites = {row.site for row in fetched_tables(done)["prices.csv"]}
    return cast(Site, sites.pop()) if len(sites) == 1 else request.site


def previous_snapshot(folder: Path, site: Site) -> Snapshot | None:
    """The newest snapshot of this site that can be read."""
    for path in list_snapshots(folder):
        try:
            snapshot = read_snapshot(path)
        except DataError:
            continue
        if snapshot.manifest.site == site:
            return snapshot
    return None


def assemble(
    request: RefreshRequest,
    done: Done,
    *,
    taken_at: datetime,
    previous: Snapshot | None,
    known: TypesByFamily,
    left_out: tuple[str, ...],
) -> tuple[Snapshot, tuple[Carried, ...]]:
    """The new snapshot, and what of it is from before."""
    new = _fetched(request, done, known)
    whole = whole_families(request, done, previous)
    old = _kept(request, done, new, previous, whole)
    tables = {field: (*getattr(new, field), *old[field]) for field, _ in TABLES.values()}
    before = previous.manifest if previous else None
    manifest = Manifest(
        format=FORMAT,
        taken_at=taken_at.astimezone(UTC).isoformat(timespec="seconds"),
        site=request.site,
        regions=_union(request.regions, before.regions if before else ()),
        families=_union(request.families, before.families if before else ()),
        whole_families=_union(whole, before.whole_families if before else ()),
        left_out=left_out,
    )
    counts = Counter((field, row.as_of) for field, rows in old.items() for row in rows)
    carried = tuple(Carried(field, as_of, count) for (field, as_of), count in sorted(counts.items()))
    return Snapshot(manifest, **tables), carried


def whole_families(request: RefreshRequest, done: Done, previous: Snapshot | None) -> tuple[str, ...]:
    """Families that were listed to the end in every region asked for, and in those of the snapshot before: the list of one
    region may be without a type of another. A family without a single type is not listed at all."""
    regions = {*request.regions, *(previous.manifest.regions if previous else ())}
    lists = [done.get(f"types/{region}//") for region in sorted(regions)]
    if None in lists:
        return ()
    listed = types_by_family(request, (row for rows in lists for row in rows or ()))
    return tuple(family for family in request.families if listed.get(family))


def _fetched(request: RefreshRequest, done: Done, known: TypesByFamily) -> Snapshot:
    """The rows that were fetched, each once, those outside the request's families left out."""
    tables = {TABLES[name][0]: _once(rows, _KEYS[TABLES[name][0]]) for name, rows in fetched_tables(done).items()}
    listed = types_by_family(request, tables["types"])
    wanted = {name for family in request.families for name in (*listed.get(family, ()), *known.get(family, ()))}
    tables["types"] = tuple(row for row in tables["types"] if row.family in request.families)
    tables["prices"] = tuple(row for row in tables["prices"] if row.instance_type in wanted)
    return Snapshot(_NO_MANIFEST, **tables)


def _kept(
    request: RefreshRequest, done: Done, new: Snapshot, previous: Snapshot | None, whole: Collection[str]
) -> dict[str, Rows]:
    """Rows of the previous snapshot that nothing new takes the place of."""
    if previous is None:
        return {field: () for field, _ in TABLES.values()}
    families = listed_families(previous, new)
    stocked = {(row.region, row.charge) for row in new.offered}

    def gives_way(field: str, row: Any) -> bool:
        if field == "types":
            return row.family in whole
        if field == "offered":
            return (row.region, row.charge) in stocked and family_of(row.instance_type, families) in request.families
        return False

    kept = {}
    for field, _ in TABLES.values():
        key = _SCOPES[field]
        replaced = {key(row) for row in getattr(new, field)}
        rows = (row for row in getattr(previous, field) if key(row) not in replaced and not gives_way(field, row))
        kept[field] = tuple(_dated(row, previous.manifest.as_of) for row in rows)
    return kept


def listed_families(*snapshots: Snapshot) -> dict[str, str]:
    """Family of each type that any of the snapshots lists."""
    return {row.instance_type: row.family for snapshot in snapshots for row in snapshot.types}


def family_of(instance_type: str, families: Mapping[str, str]) -> str:
    """As listed, else by its name."""
    return families.get(instance_type) or family_of_name(instance_type)


def _dated(row: Any, as_of: str) -> Any:
    return replace(row, as_of=as_of) if isinstance(row, ListedType) and not row.as_of else row


def _once(rows: Rows, key: Callable[[Any], Any]) -> Rows:
    """The last row of each key: several regions list the same types."""
    return tuple({key(row): row for row in rows}.values())


def _union(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _price_key(row: PriceRow) -> tuple[str, ...]:
    return row.instance_type, row.region, row.billing, row.currency, row.site


def _offered_key(row: Offered) -> tuple[str, ...]:
    return row.instance_type, row.region, row.charge, row.zone


def _plan_key(row: PlanRate) -> tuple[str, str, str, int, str]:
    return row.family, row.region, row.plan, row.years, row.upfront


def _place(row: SpotRow | SpotAdvice) -> tuple[str, str]:
    return row.instance_type, row.region


def _zone(row: SpotRow | SpotAdvice) -> tuple[str, str, str]:
    return row.instance_type, row.region, row.zone


_KEYS: dict[str, Callable[[Any], Any]] = {
    "types": lambda row: row.instance_type,
    "offered": _offered_key,
    "prices": _price_key,
    "spot": _zone,
    "advice": _zone,
    "plans": _plan_key,
}
"""What makes a row one of its kind within a refresh."""
_SCOPES: dict[str, Callable[[Any], Any]] = {**_KEYS, "spot": _place, "advice": _place}
"""What a new row takes the place of: quotes of one zone replace those of all zones of that type and region."""

_NO_MANIFEST = Manifest(FORMAT, "", "cn", (), (), ())
