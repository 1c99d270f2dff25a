"""The shipped tables, tested as data. Each check is also run on a copy with one cell damaged, and must find it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from datetime import date
from decimal import Decimal
from itertools import permutations
from typing import Any

import pytest

from knowledge.rows import (
    BillingFact,
    Claim,
    Disk,
    Family,
    Gpu,
    GpuNames,
    Instance,
    Model,
    NotFamily,
    PriceRow,
    Region,
    RemoteCode,
    Source,
    SpotRow,
)
from knowledge.tables import read_csv, read_jsonl

CHINESE = re.compile(r"[\u4e00-\u9fff]")
STATUSES = {
    "on_sale", "contact_sales", "invite_only", "phased_out", "overseas_only", "name_only",
}  # fmt: skip

ODD_VCPU = {
    "ecs.gn6v-c10g1.20xlarge",
    "ecs.vgn7i-vws-m8.2xlarge",
    "ecs.vgn7i-vws-m12.3xlarge",
    "ecs.vgn7i-vws-m24.7xlarge",
    "ecs.vgn6i-m8-vws.2xlarge",
    "ecs.gn5-c8g1.14xlarge",
    "ecs.vgn6i-m8.2xlarge",
}
"""Types whose published vCPU count is not the one that the size in their name implies."""

ROUNDING = Decimal("1.001")
"""The price interface rounds the two figures of a spot quote differently."""

CHEAPER_THOUGH_LARGER = {"ecs.gn6i-c40g1.10xlarge"}
"""Listed below smaller types of its family in every region, in both dumps of the price table."""


@dataclass(frozen=True)
class Tables:
    """All fact tables as rows, nothing folded into dictionaries, so that duplicates stay visible."""

    sources: tuple[Source, ...]
    gpus: tuple[Gpu, ...]
    gpu_names: tuple[GpuNames, ...]
    families: tuple[Family, ...]
    not_families: tuple[NotFamily, ...]
    instances: tuple[Instance, ...]
    prices: tuple[PriceRow, ...]
    spot: tuple[SpotRow, ...]
    regions: tuple[Region, ...]
    storage: tuple[Disk, ...]
    billing_facts: tuple[BillingFact, ...]
    claims: tuple[Claim, ...]
    models: tuple[Model, ...]


def read_tables() -> Tables:
    return Tables(
        sources=read_csv(Source, "sources.csv"),
        gpus=read_csv(Gpu, "gpus.csv"),
        gpu_names=read_csv(GpuNames, "gpu_names.csv"),
        families=read_csv(Family, "families.csv"),
        not_families=read_csv(NotFamily, "not_families.csv"),
        instances=read_csv(Instance, "instances.csv"),
        prices=read_csv(PriceRow, "prices.csv"),
        spot=read_csv(SpotRow, "spot.csv"),
        regions=read_csv(Region, "regions.csv"),
        storage=read_csv(Disk, "storage.csv"),
        billing_facts=read_jsonl(BillingFact, "billing_facts.jsonl"),
        claims=read_jsonl(Claim, "claims.jsonl"),
        models=read_jsonl(Model, "models.jsonl"),
    )


Problems = Iterator[str]


def check_sources(tables: Tables) -> Problems:
    """Every row names at least one source, none twice, and each is in the table of sources."""
    known = {row.source_id for row in tables.sources}
    for table in fields(tables):
        for row in getattr(tables, table.name) if table.name != "sources" else ():
            ids = row.source_ids if hasattr(row, "source_ids") else (row.source_id,)
            if not ids or len(set(ids)) < len(ids) or not set(ids) <= known:
                yield f"{table.name}: sources {ids} of {row}"


def check_source_rows(tables: Tables) -> Problems:
    """A source has a title, a day on which it was checked, and an address or a note that says why there is none."""
    for row in tables.sources:
        if not (row.title and row.publisher and (row.url or row.note)):
            yield f"sources: {row.source_id} lacks a title, a publisher or an address"
        if row.url and not re.fullmatch(r"https?://[^\s/]+\.[a-z]{2,}(/\S*)?", row.url):
            yield f"sources: address {row.url}"
        if row.trust not in {"official", "vendor", "measured", "community", "blog"}:
            yield f"sources: trust {row.trust}"
        if not _is_day(row.checked_on):
            yield f"sources: checked on {row.checked_on!r}"


def check_duplicates(tables: Tables) -> Problems:
    """One row per key."""
    price_key = ("instance_type", "region", "billing", "currency", "site")
    keys: dict[str, tuple[str, ...]] = {
        "sources": ("source_id",),
        "gpus": ("gpu_id",),
        "gpu_names": ("gpu_id", "label_en"),
        "families": ("family",),
        "not_families": ("name",),
        "instances": ("instance_type",),
        "prices": price_key,
        "spot": ("instance_type", "region", "zone", "currency", "as_of"),
        "regions": ("region",),
        "storage": ("level",),
        "billing_facts": ("id",),
        "claims": ("id",),
        "models": ("id",),
    }
    for table, key in keys.items():
        seen = Counter(tuple(getattr(row, k) for k in key) for row in getattr(tables, table))
        yield from (f"{table}: {values} {n} times" for values, n in seen.items() if n > 1)


def check_references(tables: Tables) -> Problems:
    """Cards, families, types and regions that a row names are in their tables."""
    cards = {row.gpu_id for row in tables.gpus} | {""}
    families = {row.family for row in tables.families}
    types = {row.instance_type for row in tables.instances}
    regions = {row.region for row in tables.regions}
    named = [row.gpu_id for row in tables.families] + [row.gpu_id for row in tables.gpu_names]
    for gpu_id in (*named, *(row.gpu_id for row in tables.instances)):
        if gpu_id not in cards:
            yield f"card {gpu_id}"
    yield from (
        f"family of {i.instance_type}" for i in tables.instances if i.family not in families
    )
    priced = [(row.instance_type, row.region) for row in tables.prices]
    for name, region in (*priced, *((row.instance_type, row.region) for row in tables.spot)):
        if name not in types or region not in regions:
            yield f"price of {name} in {region}"
    for wrong in tables.not_families:
        if wrong.name in families | types or not set(wrong.nearest) <= families | types:
            yield f"not_families: {wrong.name} or its nearest {wrong.nearest}"
        if not wrong.nearest:
            yield f"not_families: {wrong.name} offers nothing near it"


def check_families(tables: Tables) -> Problems:
    """A type has its family's card and network, a name that starts with the family, and a status that occurs there."""
    families = {row.family: row for row in tables.families}
    statuses: dict[str, set[str]] = {}
    for row in tables.instances:
        family = families.get(row.family)
        statuses.setdefault(row.family, set()).add(row.status)
        if family is None or (row.gpu_id, row.rdma) != (family.gpu_id, family.rdma):
            yield f"{row.instance_type}: card or RDMA differs from the family"
        stem = f"ecs.{row.family.removesuffix('-vws')}"
        if not row.instance_type.startswith((stem + ".", stem + "-")):
            yield f"{row.instance_type}: not a name of {row.family}"
        if row.bare_metal != row.instance_type.startswith(("ecs.ebm", "ecs.scc")):
            yield f"{row.instance_type}: bare metal or not?"
        if row.status not in STATUSES:
            yield f"{row.instance_type}: status {row.status}"
    for listed in tables.families:
        if listed.status not in STATUSES or listed.status not in statuses.get(
            listed.family, {"name_only"}
        ):
            yield f"{listed.family}: status {listed.status}, types have {statuses.get(listed.family)}"
        if (listed.kind == "cpu") != (not listed.gpu_id) and listed.status != "name_only":
            yield f"{listed.family}: kind {listed.kind} with card {listed.gpu_id!r}"


def check_gpu_memory(tables: Tables) -> Problems:
    """Total = count × each; each = the card, or its share for a slice; NVLink only between cards."""
    cards = {row.gpu_id: row for row in tables.gpus}
    families = {row.family: row for row in tables.families}
    for row in tables.instances:
        if (row.gpu_count == 0) != (row.gpu_id == ""):
            yield f"{row.instance_type}: {row.gpu_count} cards of {row.gpu_id!r}"
        if not row.gpu_count or row.gpu_id not in cards:
            continue
        each = row.gpu_memory_gb_each or 0.0
        if each * row.gpu_count != row.gpu_memory_gb_total:
            yield f"{row.instance_type}: {each} × {row.gpu_count} is not {row.gpu_memory_gb_total}"
        share = 1 / int(row.gpu_fraction.removeprefix("1/")) if row.gpu_fraction else 1
        if abs(cards[row.gpu_id].memory_gb * share - each) > 0.01:
            yield f"{row.instance_type}: {each} GB of {row.gpu_id}"
        if (row.gpu_fraction != "") != row.vgpu:
            yield f"{row.instance_type}: fraction {row.gpu_fraction!r}, vGPU {row.vgpu}"
        linked = row.gpu_count > 1 and row.family in families and families[row.family].nvlink
        if row.nvlink != linked:
            yield f"{row.instance_type}: NVLink {row.nvlink}"


def check_sizes(tables: Tables) -> Problems:
    """vCPU as the size says, memory per vCPU within reason, more vCPU never with less memory."""
    for row in tables.instances:
        size = re.search(r"\.(\d*)(xlarge|large|small)$", row.instance_type)
        implied = {"small": 1, "large": 2}.get(size[2], 4 * int(size[1] or 1)) if size else None
        if row.vcpu != implied and row.instance_type not in ODD_VCPU:
            yield f"{row.instance_type}: {row.vcpu} vCPU"
        if row.memory_gib is not None and not 0.9 <= row.memory_gib / row.vcpu <= 32:
            yield f"{row.instance_type}: {row.memory_gib} GiB for {row.vcpu} vCPU"
    for small, large in _pairs(tables.instances, lambda row: (row.family, row.gpu_count)):
        shrinks = (small.memory_gib or 0) > (large.memory_gib or float("inf"))
        if small.vcpu < large.vcpu and shrinks:
            yield f"memory shrinks from {small.instance_type} to {large.instance_type}"


def check_cards(tables: Tables) -> Problems:
    """Number formats as the compute capability has them; usable memory a little under the printed one."""
    for row in tables.gpus:
        capability = row.compute_capability
        if row.gpu_id.startswith("nvidia-") != (capability is not None):
            yield f"{row.gpu_id}: compute capability {capability}"
        if capability is not None and (row.bf16, row.fp8) != (
            capability >= 8.0,
            capability >= 8.9,
        ):
            yield f"{row.gpu_id}: bf16 {row.bf16}, fp8 {row.fp8} at {capability}"
        if row.usable_mib and not 0.9 <= row.usable_mib / 1024 / row.memory_gb <= 1.0:
            yield f"{row.gpu_id}: {row.usable_mib} MiB of {row.memory_gb} GB"
        if (
            row.fp8_tflops
            and row.fp16_tflops
            and not 1.9 <= row.fp8_tflops / row.fp16_tflops <= 2.1
        ):
            yield f"{row.gpu_id}: FP8 rate is not twice the FP16 rate: dense against sparse?"
        if row.name_basis not in {"official", "inferred"}:
            yield f"{row.gpu_id}: name basis {row.name_basis}"


def check_gpu_names(tables: Tables) -> Problems:
    """Every card has a row of names, spelled as they are searched for."""
    named = {row.gpu_id for row in tables.gpu_names}
    yield from (f"{row.gpu_id} has no names" for row in tables.gpus if row.gpu_id not in named)
    for row in tables.gpu_names:
        for name in row.names:
            if name != name.lower().strip() or len(name) < 2:
                yield f"gpu_names: {name!r}"


def check_prices(tables: Tables) -> Problems:
    """Positive, dated, per hour or month as billed, of the site whose currency it is."""
    per = {"payg": "hour", "month": "month", "year": "year"}
    for row in tables.prices:
        if not Decimal("0.1") < row.amount < 200_000:
            yield f"amount of {row}"
        if row.per != per.get(row.billing):
            yield f"per {row.per} of {row}"
        if (row.site, row.currency) not in {("cn", "CNY"), ("intl", "USD")}:
            yield f"currency of {row}"
        if not _is_day(row.as_of):
            yield f"date of {row}"
        if row.confidence not in {"high", "medium", "low"}:
            yield f"confidence of {row}"


def check_price_order(tables: Tables) -> Problems:
    """No larger type of a family is cheaper in the same region, save the rows known to be odd."""
    types = {row.instance_type: row for row in tables.instances}
    sure = [
        row
        for row in tables.prices
        if row.billing == "payg" and row.confidence != "low" and row.instance_type in types
    ]
    for small, large in _pairs(
        sure, lambda p: (types[p.instance_type].family, p.region, p.currency)
    ):
        grows = all(a <= b for a, b in zip(_size(types, small), _size(types, large), strict=True))
        odd = large.instance_type in CHEAPER_THOUGH_LARGER
        if grows and not odd and small.amount > large.amount + Decimal("0.001"):
            yield f"{large.instance_type} is cheaper than {small.instance_type} in {small.region}"


def check_months(tables: Tables) -> Problems:
    """A month costs more than 100 hours and less than all 730 hours of it."""
    hours = {
        (p.instance_type, p.region, p.currency): p.amount
        for p in tables.prices
        if p.billing == "payg"
    }
    for row in tables.prices:
        hour = hours.get((row.instance_type, row.region, row.currency))
        if row.billing == "month" and hour and not hour * 100 < row.amount < hour * 731:
            yield f"month {row.amount} against hour {hour} of {row.instance_type} in {row.region}"


def check_spot(tables: Tables) -> Problems:
    """Spot costs at most the hour on demand, in a zone of its region, on a day."""
    for row in tables.spot:
        if row.payg_per_hour is None or not 0 < row.spot_per_hour <= row.payg_per_hour * ROUNDING:
            yield f"amount of {row}"
        if not row.zone.startswith(row.region) and row.zone:
            yield f"zone of {row}"
        if not _is_day(row.as_of):
            yield f"date of {row}"


def check_languages(tables: Tables) -> Problems:
    """Chinese columns hold Chinese, English columns hold none."""
    rows: tuple[Any, ...] = (
        *tables.families,
        *tables.not_families,
        *tables.billing_facts,
        *tables.claims,
    )
    for row in rows:
        for field in fields(row):
            text = getattr(row, field.name)
            quoted = field.name == "claim_zh"  # may be a bare name, "ESSD PL4"
            if field.name.endswith("_zh") and not CHINESE.search(text) and not quoted:
                yield f"{field.name} holds no Chinese: {text}"
            if field.name.endswith("_en") and (not text or CHINESE.search(text)):
                yield f"{field.name} is not English: {text}"


def check_regions(tables: Tables) -> Problems:
    """A name belongs to one region; mainland regions are the cn- ones save Hong Kong."""
    owners = Counter(
        name for row in tables.regions for name in {row.name_zh, row.name_en, *row.aliases}
    )
    yield from (f"regions: {name!r} means {n} regions" for name, n in owners.items() if n > 1)
    for row in tables.regions:
        if row.mainland != (row.region.startswith("cn-") and row.region != "cn-hongkong"):
            yield f"regions: is {row.region} on the mainland?"


def check_claims(tables: Tables) -> Problems:
    """Known verdicts and documents."""
    verdicts = {"correct", "wrong", "partly", "outdated", "unverifiable", "opinion"}
    yield from (
        f"claims: {row.id} is {row.verdict}"
        for row in tables.claims
        if row.verdict not in verdicts
    )


def _pairs(rows: Iterable[Any], group: Callable[[Any], object]) -> Iterator[tuple[Any, Any]]:
    groups: dict[object, list[Any]] = {}
    for row in rows:
        groups.setdefault(group(row), []).append(row)
    for members in groups.values():
        yield from permutations(members, 2)


def _size(types: dict[str, Instance], price: PriceRow) -> tuple[float, ...]:
    row = types[price.instance_type]
    return row.vcpu, row.memory_gib or 0, row.gpu_count, row.gpu_memory_gb_total or 0


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).year >= 2020
    except ValueError:
        return False


CHECKS = {
    check.__name__: check
    for check in (
        check_sources, check_source_rows, check_duplicates, check_references, check_families,
        check_gpu_memory, check_sizes, check_cards, check_gpu_names, check_prices, check_price_order,
        check_months, check_spot, check_languages, check_regions, check_claims,
    )
}  # fmt: skip

GN7I = {"instance_type": "ecs.gn7i-c8g1.2xlarge"}
GN7E8 = {"instance_type": "ecs.gn7e-c16g1.32xlarge"}
T4_HOUR = {"instance_type": "ecs.gn6i-c4g1.xlarge", "region": "cn-hangzhou", "billing": "payg"}
T4_MONTH = {"instance_type": "ecs.gn6i-c4g1.xlarge", "region": "cn-shanghai", "billing": "month"}
A10 = {"gpu_id": "nvidia-a10"}

DAMAGES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("check_sources", "gpus", A10, {"source_ids": ()}),
    ("check_sources", "prices", T4_HOUR, {"source_id": "nobody"}),
    ("check_sources", "regions", {"region": "cn-hangzhou"}, {"source_id": ""}),
    ("check_sources", "models", {"family": "Qwen2.5"}, {"source_ids": ("nobody",)}),
    ("check_source_rows", "sources", {"source_id": "ali-essd-zh"}, {"url": "help.aliyun.com"}),
    ("check_source_rows", "sources", {"source_id": "ali-essd-zh"}, {"checked_on": "yesterday"}),
    ("check_duplicates", "instances", GN7I, {"instance_type": "ecs.gn7i-c16g1.4xlarge"}),
    ("check_duplicates", "prices", T4_HOUR, {"region": "cn-shanghai"}),
    ("check_references", "instances", GN7I, {"gpu_id": "nvidia-a11"}),
    ("check_references", "instances", GN7I, {"family": "gn7v"}),
    ("check_references", "prices", T4_HOUR, {"instance_type": "ecs.gn6i-p4"}),
    ("check_references", "prices", T4_HOUR, {"region": "cn-atlantis"}),
    ("check_references", "not_families", {"name": "gn7v"}, {"name": "gn7i"}),
    ("check_references", "not_families", {"name": "gn7v"}, {"nearest": ("gn8",)}),
    ("check_references", "not_families", {"name": "gn7v"}, {"nearest": ()}),
    ("check_families", "instances", GN7I, {"rdma": "roce"}),
    ("check_families", "instances", GN7I, {"bare_metal": True}),
    ("check_families", "families", {"family": "gn7i"}, {"status": "phased_out"}),
    ("check_families", "families", {"family": "gn7i"}, {"kind": "cpu"}),
    ("check_gpu_memory", "instances", GN7I, {"gpu_memory_gb_total": 40.0}),
    ("check_gpu_memory", "instances", GN7I, {"gpu_memory_gb_each": 40.0, "gpu_memory_gb_total": 40.0}),
    ("check_gpu_memory", "instances", GN7I, {"gpu_fraction": "1/2"}),
    ("check_gpu_memory", "instances", GN7E8, {"nvlink": False}),
    ("check_gpu_memory", "instances", GN7I, {"gpu_count": 0}),
    ("check_sizes", "instances", GN7I, {"vcpu": 16}),
    ("check_sizes", "instances", GN7I, {"memory_gib": 200.0}),
    ("check_cards", "gpus", A10, {"fp8": True}),
    ("check_cards", "gpus", A10, {"usable_mib": 40000}),
    ("check_cards", "gpus", A10, {"compute_capability": None}),
    ("check_cards", "gpus", {"gpu_id": "nvidia-l20"}, {"fp8_tflops": 474.0}),
    ("check_gpu_names", "gpu_names", A10, {"gpu_id": ""}),
    ("check_gpu_names", "gpu_names", A10, {"names": ("A10",)}),
    ("check_prices", "prices", T4_HOUR, {"amount": Decimal(0)}),
    ("check_prices", "prices", T4_HOUR, {"as_of": ""}),
    ("check_prices", "prices", T4_HOUR, {"per": "month"}),
    ("check_prices", "prices", T4_HOUR, {"currency": "USD"}),
    ("check_price_order", "prices", T4_HOUR, {"amount": Decimal(90)}),
    ("check_months", "prices", T4_MONTH, {"amount": Decimal(9000)}),
    ("check_spot", "spot", {"zone": "cn-hangzhou-i"}, {"spot_per_hour": Decimal(9999)}),
    ("check_spot", "spot", {"zone": "cn-hangzhou-i"}, {"zone": "cn-beijing-a"}),
    ("check_spot", "spot", {"zone": "cn-hangzhou-i"}, {"as_of": "2024"}),
    ("check_languages", "families", {"family": "gn7i"}, {"summary_zh": "A10"}),
    ("check_languages", "families", {"family": "gn7i"}, {"summary_en": "第七代"}),
    ("check_regions", "regions", {"region": "cn-shanghai"}, {"aliases": ("杭州",)}),
    ("check_regions", "regions", {"region": "cn-hongkong"}, {"mainland": True}),
    ("check_claims", "claims", {"id": "A1"}, {"verdict": "true"}),
]  # fmt: skip


@pytest.fixture(scope="module")
def tables() -> Tables:
    return read_tables()


@pytest.mark.parametrize("check", CHECKS)
def test_shipped_tables_are_sound(check: str, tables: Tables) -> None:
    assert list(CHECKS[check](tables)) == []


@pytest.mark.parametrize(("check", "table", "where", "change"), DAMAGES)
def test_check_finds_damage(
    check: str, table: str, where: dict[str, Any], change: dict[str, Any], tables: Tables
) -> None:
    rows = list(getattr(tables, table))
    place = next(
        n for n, row in enumerate(rows) if all(getattr(row, k) == v for k, v in where.items())
    )
    rows[place] = replace(rows[place], **change)
    damaged = replace(tables, **{table: tuple(rows)})
    assert list(CHECKS[check](damaged))


def test_every_check_is_damaged_once() -> None:
    assert {damage[0] for damage in DAMAGES} == set(CHECKS)


@pytest.mark.parametrize("name", ["gn8e", "gn8ep", "gn8t", "gn8te", "gn8ga", "gn9g", "gn9t"])
def test_api_names_are_not_called_invented(name: str, tables: Tables) -> None:
    """Names that the instance type API prints are families without a page, not mere rumours."""
    assert [row.status for row in tables.families if row.family == name] == ["name_only"]
    assert name not in {row.name for row in tables.not_families}


def test_no_pl4(tables: Tables) -> None:
    assert not [row.level for row in tables.storage if "PL4" in row.level]


def test_repositories_with_code_of_their_own_are_in_the_model_table(tables: Tables) -> None:
    rows = read_csv(RemoteCode, "remote_code.csv")
    assert len({row.hf_id for row in rows}) == len(rows)
    assert {row.hf_id for row in rows} <= {row.hf_id for row in tables.models}
    assert {s for row in rows for s in row.source_ids} <= {row.source_id for row in tables.sources}
