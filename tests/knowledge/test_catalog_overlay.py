"""A refresh laid over the shipped tables: a fact gives way only to a fact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge import facts
from knowledge.catalog_overlay import Catalog, overlay_catalog, overlay_prices, overlay_spot
from knowledge.listed import card_of_wording, cards_called
from knowledge.rows import Instance, PriceRow
from knowledge.snapshot_rows import ListedType, Manifest
from knowledge.snapshots import write_snapshot
from knowledge.tables import read_data

from .snapshot_samples import A10, DAY, SOURCE, manifest, offered, price, snapshot, spot

FAMILIES = tuple(facts.shipped_families())
LATER = replace(A10, instance_type="ecs.gn7i-c99g1.2xlarge")


def sentences() -> dict[str, dict[str, str]]:
    import tomllib

    return tomllib.loads(read_data("listed.toml"))


def laid(
    *types: ListedType, made: Manifest | None = None, sold: frozenset[str] = frozenset()
) -> Catalog:
    return overlay_catalog(
        Catalog(facts.shipped_instances(), facts.shipped_families()),
        made or manifest(),
        types,
        sold,
        gpus=facts.gpus(),
        names=facts.gpu_names(),
        sentences=sentences(),
    )


def listed(row: Instance, **figures: object) -> ListedType:
    """A shipped type as the interface would list it when it gave nothing but names."""
    bare = ListedType(
        row.instance_type,
        row.family,
        "",
        None,
        None,
        "",
        None,
        None,
        "",
        "",
        None,
        None,
        None,
        None,
    )
    return replace(bare, **figures)  # type: ignore[arg-type]


NOTHING = [None, 0]
FIGURES = st.fixed_dictionaries(
    {},
    optional={
        "vcpu": st.sampled_from([*NOTHING, 8, 192]),
        "memory_gib": st.sampled_from([*NOTHING, 0.0, 31.5]),
        "gpu_spec": st.sampled_from(["", "GPU X-9", "NVIDIA A10", "NVIDIA T4/2", "NVIDIA V100"]),
        "gpu_count": st.sampled_from([*NOTHING, 1, 8]),
        "gpu_memory_gib_each": st.sampled_from([None, 0.0, 22.5, 80.0]),
        "cpu_arch": st.sampled_from(["", "X86", "ARM", "RISC-V"]),
        "cpu_model": st.sampled_from(["", " ", "Intel Xeon"]),
        "network_gbps": st.sampled_from([*NOTHING, 16.0]),
        "pps": st.sampled_from([*NOTHING, 3_000_000]),
        "erdma_interfaces": st.sampled_from([*NOTHING, 2]),
        "local_disk_gib": st.sampled_from([*NOTHING, 894.0]),
        "category": st.sampled_from(["", "GPU computing"]),
    },
)


@settings(max_examples=150, deadline=None)
@given(
    chosen=st.lists(
        st.tuples(st.sampled_from(sorted(facts.shipped_instances())), FIGURES), max_size=8
    ),
    whole=st.lists(st.sampled_from(FAMILIES), max_size=3),
    sold=st.booleans(),
)
def test_no_shipped_fact_becomes_empty(
    chosen: list[tuple[str, dict[str, object]]], whole: list[str], sold: bool
) -> None:
    shipped = facts.shipped_instances()
    rows = [listed(shipped[name], **figures) for name, figures in chosen]
    names = frozenset(shipped) if sold else frozenset()
    catalog = laid(*rows, made=manifest(whole_families=tuple(whole)), sold=names)
    assert set(catalog.instances) == set(shipped)
    assert set(catalog.families) == set(facts.shipped_families())
    for before, after in (
        *((row, catalog.instances[name]) for name, row in shipped.items()),
        *((row, catalog.families[name]) for name, row in facts.shipped_families().items()),
    ):
        for field in fields(before):  # type: ignore[arg-type]  # rows of either table
            had, has = getattr(before, field.name), getattr(after, field.name)
            if had not in ("", None, ()):
                assert has not in ("", None, ()), (before, field.name)
            if isinstance(had, (int, float)) and had > 0 and not isinstance(had, bool):
                assert has > 0, (before, field.name)


PRICES = facts.shipped_prices()
ROWS = st.builds(
    replace,
    st.sampled_from(PRICES),
    amount=st.sampled_from([Decimal(0), Decimal("-1"), Decimal("0.5"), Decimal("999")]),
    as_of=st.sampled_from(["2020-01-01", "2024-12-31", DAY]),
    region=st.sampled_from(["cn-hangzhou", "cn-shanghai", "moon-1"]),
    source_id=st.just(SOURCE),
)


@settings(max_examples=150, deadline=None)
@given(fresh=st.lists(ROWS, max_size=6))
def test_a_price_gives_way_to_a_newer_one_of_its_key_only(fresh: list[PriceRow]) -> None:
    rows = overlay_prices(PRICES, fresh, facts.shipped_instances(), facts.shipped_regions())
    by_key = {(r.instance_type, r.region, r.billing, r.currency, r.site): r for r in rows}
    assert len(by_key) == len(rows), "one price a key"
    for row in PRICES:
        kept = by_key[row.instance_type, row.region, row.billing, row.currency, row.site]
        assert kept.as_of >= row.as_of
        assert kept == row or kept in fresh
    assert all(row.amount > 0 and row.region != "moon-1" for row in rows)


def test_figures_that_the_interface_gives_replace_those_of_the_pages() -> None:
    row = replace(
        A10,
        vcpu=9,
        memory_gib=31.0,
        network_gbps=17.0,
        pps=1,
        local_disk_gib=894.0,
        erdma_interfaces=2,
    )
    merged = laid(row).instances[A10.instance_type]
    before = facts.shipped_instances()[A10.instance_type]
    assert (merged.vcpu, merged.memory_gib, merged.network_gbps, merged.pps) == (9, 31.0, 17.0, 1)
    assert (merged.local_disk_gib, merged.rdma) == (894.0, "erdma")
    assert merged.source_ids == (*before.source_ids, SOURCE)
    assert (merged.gpu_id, merged.gpu_memory_gb_each, merged.status) == (
        "nvidia-a10",
        24.0,
        before.status,
    )


def test_a_type_carried_over_keeps_its_day_and_source() -> None:
    catalog = laid(replace(A10, as_of="2026-12-01"), LATER)
    assert catalog.as_of[A10.instance_type] == "2026-12-01"
    assert catalog.as_of["gn7i"] == DAY
    assert catalog.instances[A10.instance_type].source_ids[-1] == "ecs-api-2026-12-01"


def test_a_new_size_of_a_known_family_is_sized_like_the_others() -> None:
    made = laid(LATER).instances[LATER.instance_type]
    assert (made.gpu_id, made.gpu_count, made.gpu_memory_gb_each, made.gpu_memory_gb_total) == (
        "nvidia-a10",
        1,
        24.0,
        24.0,
    )
    assert (made.status, made.cpu_arch, made.confidence) == ("on_sale", "x86_64", "official")
    assert not made.nvlink
    assert "2026-12-05" in made.note


NEW = replace(
    A10,
    instance_type="ecs.gn10x-8x.32xlarge",
    family="gn10x",
    gpu_spec="NVIDIA L20",
    gpu_count=8,
    gpu_memory_gib_each=44.5,
)
SMALL = replace(NEW, instance_type="ecs.gn10x-1x.8xlarge", gpu_count=1)


def test_a_new_family_is_made_of_its_types() -> None:
    catalog = laid(NEW, SMALL, sold=frozenset({SMALL.instance_type}))
    family = catalog.families["gn10x"]
    assert (family.kind, family.generation, family.gpu_id, family.gpu_counts) == (
        "gpu",
        10,
        "nvidia-l20",
        ("1", "8"),
    )
    assert (family.status, family.nvlink, family.rdma) == ("on_sale", False, "none")
    assert DAY in family.summary_zh
    assert "NVIDIA L20" in family.summary_en
    assert catalog.instances[NEW.instance_type].status == "name_only", "nobody is known to sell it"
    assert catalog.instances[SMALL.instance_type].status == "on_sale"


@pytest.mark.parametrize(
    ("family", "spec", "count", "kind", "counts"),
    [
        ("ebmgn10", "NVIDIA L20", 8, "bare_metal_gpu", ("8",)),
        ("sccgn10", "NVIDIA L20", 8, "scc_gpu", ("8",)),
        ("vgn10i", "NVIDIA L20/4", 0, "vgpu", ("1/4",)),
        ("sgn10i", "NVIDIA L20 * 1/4", 1, "vgpu", ("1/4",)),
        ("hfgn10", "NVIDIA L20", 2, "gpu", ("2",)),
        ("c10x", "", 0, "cpu", ()),
    ],
)
def test_kinds_of_new_families(
    family: str, spec: str, count: int, kind: str, counts: tuple[str, ...]
) -> None:
    memory = None if kind == "vgpu" else 44.5
    row = replace(
        NEW,
        instance_type=f"ecs.{family}.8xlarge",
        family=family,
        gpu_spec=spec,
        gpu_count=count,
        gpu_memory_gib_each=memory,
    )
    catalog = laid(row)
    assert (catalog.families[family].kind, catalog.families[family].gpu_counts) == (kind, counts)
    made = catalog.instances[row.instance_type]
    assert made.bare_metal == (kind in ("bare_metal_gpu", "scc_gpu"))
    if kind == "vgpu":
        assert (made.gpu_fraction, made.gpu_memory_gb_each, made.gpu_count) == ("1/4", 12.0, 1)


@pytest.mark.parametrize(
    "odd",
    [
        {"gpu_spec": "GPU Z-9"},
        {"gpu_spec": ""},
        {"gpu_memory_gib_each": 141.0},
        {"gpu_count": 0},
        {"gpu_count": None},
        {"vcpu": None},
        {"family": "vgn10x", "gpu_spec": "NVIDIA L20"},
    ],
)
def test_what_cannot_be_told_is_kept_apart_and_its_family_known(odd: dict[str, object]) -> None:
    row = replace(NEW, **odd)  # type: ignore[arg-type]
    catalog = laid(row)
    assert row.instance_type not in catalog.instances
    assert catalog.untold == {row.instance_type: row}
    assert catalog.families[row.family].status == "name_only"
    assert catalog.as_of[row.instance_type] == DAY


def test_a_family_of_which_only_the_name_was_known_gets_its_figures() -> None:
    before = facts.shipped_families()["gn8t"]
    row = replace(NEW, instance_type="ecs.gn8t-8x.32xlarge", family="gn8t")
    for sold, status in (
        (frozenset({row.instance_type}), "on_sale"),
        (frozenset[str](), "name_only"),
    ):
        family = laid(row, sold=sold).families["gn8t"]
        assert (before.status, before.gpu_id) == ("name_only", "")
        assert (family.status, family.gpu_id, family.gpu_counts) == (status, "nvidia-l20", ("8",))
        assert family.source_ids == (*before.source_ids, SOURCE)


def test_restrictions_stay_whatever_is_offered() -> None:
    for name, status in (
        ("ecs.gn8v.4xlarge", "contact_sales"),
        ("ecs.gn9gc.4xlarge", "invite_only"),
    ):
        row = listed(facts.shipped_instances()[name])
        assert laid(row, sold=frozenset({name})).instances[name].status == status


def test_what_a_whole_list_lacks_is_gone_and_stays_in_the_catalog() -> None:
    catalog = laid(A10, made=manifest(whole_families=("gn7i", "gn5")))
    gn7i = {name for name, row in facts.shipped_instances().items() if row.family == "gn7i"}
    assert catalog.gone == gn7i - {A10.instance_type}, (
        "and nothing of gn5, which is retired anyway"
    )
    assert catalog.gone < set(catalog.instances)
    assert laid(A10, made=manifest(whole_families=())).gone == frozenset()


CALLED = cards_called(facts.gpu_names())


@pytest.mark.parametrize(
    ("wording", "memory", "likely", "card"),
    [
        ("NVIDIA A10", 22.5, "", "nvidia-a10"),
        ("NVIDIA A10", 24.0, "", "nvidia-a10"),
        ("ＮＶＩＤＩＡ　A10", None, "", "nvidia-a10"),
        ("NVIDIA A10", 40.0, "nvidia-a10", None),
        ("NVIDIA V100", 16.0, "", "nvidia-v100-16gb"),
        ("NVIDIA V100", 32.0, "", "nvidia-v100-32gb"),
        ("NVIDIA V100", None, "", None),
        ("NVIDIA V100", None, "nvidia-v100-32gb", "nvidia-v100-32gb"),
        ("NVIDIA V100 32GB", None, "", "nvidia-v100-32gb"),
        ("Tesla V100-SXM2-16GB", None, "", "nvidia-v100-16gb"),
        ("NVIDIA A100", 79.2, "", "nvidia-a100-80gb"),
        ("NVIDIA A100-SXM4-40GB", None, "", "nvidia-a100-40gb"),
        ("GPU H", 96.0, "", "nvidia-h20-96gb"),
        ("L20N", 72.0, "", "nvidia-rtx-pro-5000-72gb"),
        ("NVIDIA L20", 45.0, "", "nvidia-l20"),
        ("NVIDIA H200", 141.0, "", None),
        ("NVIDIA A10G2", 24.0, "", None),
        ("24 GB", 24.0, "nvidia-a10", None),
        ("", 24.0, "", None),
    ],
)
def test_cards_are_told_by_wording_and_memory(
    wording: str, memory: float | None, likely: str, card: str | None
) -> None:
    assert (
        card_of_wording(wording, memory, likely=likely, gpus=facts.gpus(), called=CALLED) == card
    )


def test_quotes_of_one_day_stand_together() -> None:
    shipped = (
        spot(as_of="2024-10-09", zone="cn-hangzhou-h"),
        spot(as_of="2024-10-09", region="cn-beijing", zone="cn-beijing-a"),
    )
    fresh = (spot(), spot(zone="cn-hangzhou-k"), spot(zone="cn-hangzhou-i", as_of="2026-12-01"))
    rows = overlay_spot(shipped, fresh, facts.shipped_instances(), facts.shipped_regions())
    assert rows == (shipped[1], fresh[0], fresh[1])
    older = (spot(as_of="2020-01-01"),)
    assert (
        overlay_spot(shipped, older, facts.shipped_instances(), facts.shipped_regions()) == shipped
    )


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "snapshots"
    facts.use_snapshots(None)


def test_the_tables_hold_the_refresh_while_it_is_in_use(folder: Path) -> None:
    shipped = len(facts.instances())
    write_snapshot(
        folder,
        snapshot(
            types=(A10, NEW, SMALL, replace(NEW, instance_type="ecs.gn10x-q.large", gpu_spec="?"))
        ),
    )
    facts.use_snapshots(folder)
    assert len(facts.instances()) == shipped + 2
    assert list(facts.untold_types()) == ["ecs.gn10x-q.large"]
    assert "gn10x" in facts.families()
    assert "gn10x" not in facts.not_families(), "a name of which it was said that it is none"
    assert facts.sources()[SOURCE].published_on == DAY
    assert facts.sources()[SOURCE].trust == "official"
    assert facts.offered() == (offered(),)
    assert facts.active_snapshot() is not None
    assert facts.catalog_as_of(A10.instance_type) == facts.catalog_as_of("gn7i") == DAY
    assert facts.catalog_as_of("ecs.gn6i-c4g1.xlarge") == facts.CATALOG_READ_ON
    assert price() in facts.price_rows()
    facts.use_snapshots(None)
    assert len(facts.instances()) == shipped
    assert (facts.offered(), facts.untold_types(), facts.gone_types()) == ((), {}, frozenset())
    assert facts.active_snapshot() is None
    assert SOURCE not in facts.sources()


def test_a_newer_refresh_is_noticed_and_a_removed_one_too(folder: Path) -> None:
    from shutil import rmtree

    facts.use_snapshots(folder)
    assert facts.active_snapshot() is None
    write_snapshot(folder, snapshot("2026-12-01T00:00:00Z", types=(replace(A10, vcpu=9),)))
    facts.use_snapshots(folder)
    assert facts.instances()[A10.instance_type].vcpu == 9
    newer = write_snapshot(
        folder, snapshot("2026-12-02T00:00:00Z", types=(replace(A10, vcpu=10),))
    )
    facts.use_snapshots(folder)
    assert facts.instances()[A10.instance_type].vcpu == 10
    rmtree(newer)
    facts.use_snapshots(folder)
    assert facts.instances()[A10.instance_type].vcpu == 9


def test_regions_that_only_a_refresh_names_are_known(folder: Path) -> None:
    there = snapshot(prices=(price(region="me-east-9"),))
    write_snapshot(
        folder,
        replace(there, manifest=replace(there.manifest, regions=("cn-hangzhou", "me-east-9"))),
    )
    facts.use_snapshots(folder)
    assert facts.regions()["me-east-9"].name_en == "me-east-9"
    assert not facts.regions()["me-east-9"].mainland
    assert price(region="me-east-9") in facts.price_rows()


def test_cards_of_the_guides_do_not_change(folder: Path) -> None:
    from knowledge.cards import family_card

    row = facts.shipped_families()["gn7i"]
    before = family_card(row, "en")
    write_snapshot(folder, snapshot(types=(A10, LATER)))
    facts.use_snapshots(folder)
    assert family_card(row, "en") == before
