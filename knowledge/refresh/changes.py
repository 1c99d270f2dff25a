"""What a refresh changed: against the snapshot before it, and where that says nothing against the tables that were in use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args

from knowledge.rows import Instance, PriceRow, SpotRow
from knowledge.snapshot_rows import ListedType, Offered, Snapshot

from .assemble import family_of, listed_families

ChangeKind = Literal[
    "dearer", "cheaper", "not_sold", "gone", "sold_out", "newly_sold", "back_in_stock", "new", "specs", "spot", "priced"
]  # fmt: skip
"""In the order in which a buyer cares: what costs another amount, what can no longer be had, what can be had now, the rest."""

LEAST_PCT = Decimal("0.05")
"""Change of a price below which it is the same: amounts are listed with three decimals or with six."""
SPECS = ("vcpu", "memory_gib", "gpu_count", "gpu_memory_gib_each", "gpu_spec", "network_gbps", "pps", "local_disk_gib", "cpu_model")


@dataclass(frozen=True, slots=True)
class Known:
    """The tables in use before the refresh."""

    instances: Mapping[str, Instance]
    prices: tuple[PriceRow, ...]
    spot: tuple[SpotRow, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `subject` names the figure of a specification, else the way of billing; `old` and `new` are as shown."""

    kind: ChangeKind
    instance_type: str
    region: str = ""
    subject: str = ""
    old: str = ""
    new: str = ""
    unit: str = ""  # currency and time: CNY/hour
    percent: Decimal | None = None
    old_as_of: str = ""
    new_as_of: str = ""


def find_changes(known: Known, snapshot: Snapshot, previous: Snapshot | None) -> tuple[Change, ...]:
    """All changes, the ones a buyer cares for most first, large before small."""
    found = (
        *_types(known, snapshot, previous),
        *_prices(known.prices, snapshot.prices),
        *(_sold(previous, snapshot) if previous else ()),
        *_spot(known.spot, snapshot.spot),
    )
    return tuple(sorted(found, key=_rank))


def _types(known: Known, snapshot: Snapshot, previous: Snapshot | None) -> Iterator[Change]:
    before = {row.instance_type: row for row in previous.types} if previous else {}
    now = {row.instance_type: row for row in snapshot.types}
    day = snapshot.manifest.as_of
    for name, row in now.items():
        if name in before:
            yield from _specs(before[name], row, SPECS, day)
        elif name in known.instances:
            yield from _specs_of_catalog(known.instances[name], row, day)
        else:
            yield Change("new", name, new=_in_words(row), new_as_of=day)
    for name, family in _expected(known, previous):
        if name not in now and family in snapshot.manifest.whole_families:
            yield Change("gone", name, new_as_of=day)


def _expected(known: Known, previous: Snapshot | None) -> Iterator[tuple[str, str]]:
    """Types that a whole list of their family should hold: those listed before, else those of the catalog that are sold."""
    listed_before = previous.manifest.whole_families if previous else ()
    for name, row in known.instances.items():
        if row.family not in listed_before and row.status not in ("phased_out", "name_only"):
            yield name, row.family
    for listed in previous.types if previous else ():
        if listed.family in listed_before:
            yield listed.instance_type, listed.family


def _specs(old: object, new: ListedType, names: Iterable[str], day: str) -> Iterator[Change]:
    for name in names:
        was, now = getattr(old, name), getattr(new, name)
        if was in (None, "") or now in (None, "") or was == now:
            continue
        yield Change("specs", new.instance_type, subject=name, old=_figure(was), new=_figure(now), new_as_of=day)


def _specs_of_catalog(old: Instance, new: ListedType, day: str) -> Iterator[Change]:
    """Only what the pages and the interface word alike: bandwidth and card memory are rounded on the pages."""
    names = ("vcpu", "memory_gib") if old.vgpu else ("vcpu", "memory_gib", "gpu_count")
    return _specs(old, new, names, day)


def _prices(before: Iterable[PriceRow], after: Iterable[PriceRow]) -> Iterator[Change]:
    old = _newest(before)
    for key, row in _newest(after).items():
        was = old.get(key)
        unit = f"{row.currency}/{row.per}"
        if was is None:
            yield Change("priced", row.instance_type, row.region, row.billing, "", f"{row.amount:f}", unit, None, "", row.as_of)
            continue
        percent = _percent(was.amount, row.amount)
        if percent is None or abs(percent) < LEAST_PCT:
            continue
        yield Change(
            "dearer" if percent > 0 else "cheaper",
            row.instance_type, row.region, row.billing, f"{was.amount:f}", f"{row.amount:f}", unit, percent, was.as_of, row.as_of,
        )  # fmt: skip


def _newest(rows: Iterable[PriceRow]) -> dict[tuple[str, ...], PriceRow]:
    """One price of each type, place, way of billing, currency and site: the newest."""
    newest: dict[tuple[str, ...], PriceRow] = {}
    for row in rows:
        key = (row.instance_type, row.region, row.billing, row.currency, row.site)
        if key not in newest or newest[key].as_of <= row.as_of:
            newest[key] = row
    return newest


def _sold(previous: Snapshot, snapshot: Snapshot) -> Iterator[Change]:
    """Only places and families whose stock was asked for both times."""
    old, new = _stock(previous.offered), _stock(snapshot.offered)
    places = {key[:2] for key in old} & {key[:2] for key in new}
    families = listed_families(previous, snapshot)
    for key in sorted(old.keys() | new.keys()):
        region, charge, name = key
        if (region, charge) not in places or family_of(name, families) not in previous.manifest.families:
            continue
        was, now = old.get(key), new.get(key)
        if kind := _STOCK_CHANGES.get((was and was[0], now and now[0])):
            day = now[1] if now else snapshot.manifest.as_of
            yield Change(kind, name, region, charge, old_as_of=was[1] if was else "", new_as_of=day)


_STOCK_CHANGES: dict[tuple[bool | None, bool | None], ChangeKind] = {
    (None, True): "newly_sold",
    (None, False): "newly_sold",
    (True, None): "not_sold",
    (False, None): "not_sold",
    (True, False): "sold_out",
    (False, True): "back_in_stock",
}
"""By whether it could be had before and now; None: not sold there at all."""


def _stock(rows: Iterable[Offered]) -> dict[tuple[str, str, str], tuple[bool, str]]:
    """(region, charge, type) → whether any zone has it, and the day."""
    found: dict[tuple[str, str, str], tuple[bool, str]] = {}
    for row in rows:
        key = (row.region, row.charge, row.instance_type)
        had = found.get(key, (False, ""))[0]
        found[key] = (had or row.status == "available", row.as_of)
    return found


def _spot(before: Iterable[SpotRow], after: Iterable[SpotRow]) -> Iterator[Change]:
    old, new = _ranges(before), _ranges(after)
    for key in sorted(new.keys() & old.keys()):
        (low, high, day), (new_low, new_high, new_day) = old[key], new[key]
        if (low, high) == (new_low, new_high) or day >= new_day:
            continue
        name, region, currency = key
        percent = _percent(low + high, new_low + new_high)
        yield Change(
            "spot", name, region, "spot", _range(low, high), _range(new_low, new_high), f"{currency}/hour", percent, day, new_day
        )


def _ranges(rows: Iterable[SpotRow]) -> dict[tuple[str, str, str], tuple[Decimal, Decimal, str]]:
    """Lowest and highest quote over the zones of the newest day."""
    found: dict[tuple[str, str, str], tuple[Decimal, Decimal, str]] = {}
    for row in rows:
        key = (row.instance_type, row.region, row.currency)
        low, high, day = found.get(key, (row.spot_per_hour, row.spot_per_hour, row.as_of))
        if row.as_of > day:
            low = high = row.spot_per_hour
        elif row.as_of == day:
            low, high = min(low, row.spot_per_hour), max(high, row.spot_per_hour)
        found[key] = (low, high, max(day, row.as_of))
    return found


def _percent(old: Decimal, new: Decimal) -> Decimal | None:
    return None if old <= 0 else ((new - old) / old * 100).quantize(Decimal("0.01"))


def _range(low: Decimal, high: Decimal) -> str:
    return f"{low:f}" if low == high else f"{low:f}–{high:f}"


def _in_words(row: ListedType) -> str:
    """16 vCPU, 60 GiB, 1 × NVIDIA A10; what is not said is left out."""
    parts = [
        f"{row.vcpu} vCPU" if row.vcpu else "",
        f"{row.memory_gib:g} GiB" if row.memory_gib else "",
        f"{row.gpu_count or 1} × {row.gpu_spec}" if row.gpu_spec else "",
    ]
    return ", ".join(part for part in parts if part)


def _figure(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _rank(change: Change) -> tuple[int, Decimal, str, str, str]:
    order = get_args(ChangeKind).index(change.kind)
    return order, -abs(change.percent or Decimal(0)), change.instance_type, change.region, change.subject
