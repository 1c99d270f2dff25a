"""The shipped tables with a snapshot laid over them. A fact gives way only to a fact, never to nothing; what is no longer
listed stays and is said; what cannot be told (which card) is kept apart and sized by nobody."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from .listed import card_of_wording, cards_called, kind_of, made, slice_wording, updated
from .rows import Family, Gpu, GpuNames, Instance, PriceRow, Region, Source, SpotRow
from .snapshot_rows import ListedType, Manifest

BEST_FIRST = ("on_sale", "contact_sales", "invite_only", "overseas_only", "phased_out", "name_only")
NAME_ONLY = "name_only"
RETIRED = ("phased_out", NAME_ONLY)
API_PAGE = "https://help.aliyun.com/en/ecs/developer-reference/api-ecs-2014-05-26-describeinstancetypes"
_SOURCE_ID = re.compile(rb"ecs-api-(\d{4}-\d\d-\d\d)(?!\d)")


@dataclass(frozen=True, slots=True)
class Catalog:
    """Types and families. `as_of` holds the day of each type and family that the interface lists, `untold` the types whose
    card is not in our tables, `gone` those that it lists no longer."""

    instances: dict[str, Instance]
    families: dict[str, Family]
    as_of: dict[str, str] = field(default_factory=dict)
    untold: dict[str, ListedType] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()


def overlay_catalog(
    shipped: Catalog,
    manifest: Manifest,
    types: Iterable[ListedType],
    sold: frozenset[str],
    *,
    gpus: dict[str, Gpu],
    names: tuple[GpuNames, ...],
    sentences: dict[str, dict[str, str]],
) -> Catalog:
    """`sold`: types that the interface offers or prices somewhere. `sentences`: those of `listed.toml`."""
    rows = {row.instance_type: row for row in types if row.instance_type and row.family}
    laid = _Laid(shipped, manifest, rows, sold, gpus, cards_called(names), sentences)
    instances, untold = dict(shipped.instances), {}
    for name, row in rows.items():
        merged = laid.instance(row)
        if merged is None:
            untold[name] = row
        else:
            instances[name] = merged
    gone = {
        name
        for name, instance in shipped.instances.items()
        if instance.family in manifest.whole_families and name not in rows and instance.status not in RETIRED
    }
    return Catalog(
        instances=instances,
        families=shipped.families | laid.families(instances, untold),
        as_of=laid.days(),
        untold=untold,
        gone=frozenset(gone),
    )


@dataclass(frozen=True, slots=True)
class _Laid:
    shipped: Catalog
    manifest: Manifest
    rows: dict[str, ListedType]
    sold: frozenset[str]
    gpus: dict[str, Gpu]
    called: dict[str, tuple[str, ...]]
    sentences: dict[str, dict[str, str]]

    def instance(self, row: ListedType) -> Instance | None:
        """The catalog's row of a listed type; None where its card cannot be told."""
        family, before = self.shipped.families.get(row.family), self.shipped.instances.get(row.instance_type)
        kind = family.kind if family else kind_of(row.family, [row])
        gpu_id = self._card(row, kind, before.gpu_id if before else family.gpu_id if family else "")
        gpu, source_id = self.gpus.get(gpu_id or ""), self._source_id(row)
        if before is not None:
            merged = updated(before, row, gpu=gpu, source_id=source_id)
            status = self._status(row, before.status)
            return merged if status == before.status else replace(merged, status=status)
        return made(
            row, gpu=gpu, family=family, kind=kind, status=self._status(row, family.status if family else NAME_ONLY),
            source_id=source_id, note=self.sentences["type.note"]["en"].format(day=row.as_of or self.manifest.as_of),
        )  # fmt: skip

    def _card(self, row: ListedType, kind: str, likely: str) -> str | None:
        if kind == "vgpu":
            return card_of_wording(slice_wording(row.gpu_spec), None, likely=likely, gpus=self.gpus, called=self.called)
        return card_of_wording(row.gpu_spec, row.gpu_memory_gib_each, likely=likely, gpus=self.gpus, called=self.called)

    def _status(self, row: ListedType, known: str) -> str:
        """A type known by name only is on sale once it is offered or priced; every other status stays."""
        return "on_sale" if known == NAME_ONLY and row.instance_type in self.sold else known

    def _source_id(self, row: ListedType) -> str:
        return f"ecs-api-{row.as_of}" if row.as_of else self.manifest.source_id

    def days(self) -> dict[str, str]:
        """Day of each listed type, and the latest of each family."""
        days = {name: row.as_of or self.manifest.as_of for name, row in self.rows.items()}
        for name, row in self.rows.items():
            days[row.family] = max(days[name], days.get(row.family, ""))
        return days

    def families(self, instances: dict[str, Instance], untold: dict[str, ListedType]) -> dict[str, Family]:
        """Families with listed types: new ones, and shipped ones with what their new types add."""
        types: dict[str, list[ListedType]] = {}
        for row in self.rows.values():
            types.setdefault(row.family, []).append(row)
        return {name: self._family(name, rows, instances, untold) for name, rows in types.items()}

    def _family(
        self, name: str, rows: list[ListedType], instances: dict[str, Instance], untold: dict[str, ListedType]
    ) -> Family:
        before = self.shipped.families.get(name)
        told = [instances[row.instance_type] for row in rows if row.instance_type not in untold]
        source_id = self._source_id(max(rows, key=lambda row: row.as_of or self.manifest.as_of))
        if before is not None and (before.status != NAME_ONLY or not told):
            return replace(before, gpu_counts=_counts(before.gpu_counts, told), source_ids=_with(before.source_ids, source_id))
        kind = before.kind if before else kind_of(name, rows)
        cards = {row.gpu_id for row in told if row.gpu_id}
        generation = re.search(r"\d+", name)
        return Family(
            family=name,
            kind=kind,
            generation=before.generation if before else int(generation[0][:3]) if generation else 0,
            gpu_id=cards.pop() if len(cards) == 1 else before.gpu_id if before else "",
            gpu_counts=_counts(before.gpu_counts if before else (), told),
            status=min((row.status for row in told), key=BEST_FIRST.index, default=NAME_ONLY),
            nvlink=before.nvlink if before else False,
            rdma=next((row.rdma for row in told if row.rdma != "none"), before.rdma if before else "none"),
            summary_en=self._summary(rows, "en"),
            summary_zh=self._summary(rows, "zh"),
            best_for_en=self.sentences["family.best_for"]["en"],
            best_for_zh=self.sentences["family.best_for"]["zh"],
            source_ids=_with(before.source_ids if before else (), source_id),
            note=self.sentences["family.note"]["en"],
        )

    def _summary(self, rows: list[ListedType], lang: str) -> str:
        day = max(row.as_of or self.manifest.as_of for row in rows)
        worded = sorted({row.gpu_spec for row in rows if row.gpu_spec})
        cards = self.sentences["family.cards"][lang].format(cards=", ".join(worded)) if worded else ""
        return self.sentences["family.summary"][lang].format(day=day, n=len(rows), cards=cards)


def overlay_prices(
    shipped: tuple[PriceRow, ...], fresh: Iterable[PriceRow], types: Collection[str], regions: Collection[str]
) -> tuple[PriceRow, ...]:
    """A refreshed price in place of the shipped one of its key unless that is newer; only of known types and regions."""
    rows = {_price_key(row): row for row in shipped}
    for row in fresh:
        before = rows.get(_price_key(row))
        if row.amount <= 0 or row.instance_type not in types or row.region not in regions:
            continue
        if before is None or row.as_of >= before.as_of:
            rows[_price_key(row)] = row
    return tuple(rows.values())


def overlay_spot(
    shipped: tuple[SpotRow, ...], fresh: Iterable[SpotRow], types: Collection[str], regions: Collection[str]
) -> tuple[SpotRow, ...]:
    """Of each type, region and currency the quotes of the newest day, and those of one day only where a refresh gave any."""
    quotes = [row for row in fresh if row.spot_per_hour > 0 and row.instance_type in types and row.region in regions]
    day: dict[tuple[str, str, str], str] = {}
    for row in quotes:
        day[_spot_key(row)] = max(row.as_of, day.get(_spot_key(row), ""))
    for row in shipped:
        if (newest := day.get(_spot_key(row))) is not None:
            day[_spot_key(row)] = max(row.as_of, newest)
    return tuple(row for row in (*shipped, *quotes) if day.get(_spot_key(row), row.as_of) == row.as_of)


def overlay_regions(shipped: dict[str, Region], names: Iterable[str]) -> dict[str, Region]:
    """Regions of a refresh that the table does not name go by their id."""
    new = {
        name: Region(name, name, name, (), name.startswith("cn-") and name != "cn-hongkong", "")
        for name in names
        if name and name not in shipped
    }
    return shipped | new


def snapshot_sources(manifest: Manifest, tables: Iterable[bytes], sentences: dict[str, dict[str, str]]) -> dict[str, Source]:
    """A source for each day of which the tables hold rows (some may have been carried over from an earlier refresh)."""
    days = {found[1].decode() for table in tables for found in _SOURCE_ID.finditer(table)} | {manifest.as_of}
    title = sentences["source.title"]["zh"]
    return {
        f"ecs-api-{day}": Source(
            source_id=f"ecs-api-{day}",
            title=title.format(day=day),
            publisher="Alibaba Cloud",
            url=API_PAGE,
            trust="official",
            language="zh",
            published_on=day,
            checked_on=day,
            note=sentences["source.note"]["en"].format(day=day),
        )
        for day in sorted(days)
    }


def _counts(before: tuple[str, ...], types: Iterable[Instance]) -> tuple[str, ...]:
    """Counts of cards, or shares of one; those of before first where nothing is new."""
    counts = {row.gpu_fraction if row.vgpu else str(row.gpu_count) for row in types if row.gpu_count} | set(before)
    counts = {"1" if count == "1/1" else count for count in counts if count}
    return tuple(sorted(counts, key=Fraction)) if counts != set(before) else before


def _with(source_ids: tuple[str, ...], source_id: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*source_ids, source_id)))


def _price_key(row: PriceRow) -> tuple[Any, ...]:
    return row.instance_type, row.region, row.billing, row.currency, row.site


def _spot_key(row: SpotRow) -> tuple[str, str, str]:
    return row.instance_type, row.region, row.currency
