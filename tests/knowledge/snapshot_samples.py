"""Snapshots for tests: small, whole, and as the interface words things."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from knowledge.rows import PriceRow, SpotRow
from knowledge.snapshot_rows import (
    FORMAT,
    ListedType,
    Manifest,
    Offered,
    PlanRate,
    Snapshot,
    SpotAdvice,
)

DAY = "2026-12-05"
SOURCE = f"ecs-api-{DAY}"
A10 = ListedType(
    instance_type="ecs.gn7i-c8g1.2xlarge",
    family="gn7i",
    category="GPU computing",
    vcpu=8,
    memory_gib=30.0,
    gpu_spec="NVIDIA A10",
    gpu_count=1,
    gpu_memory_gib_each=22.5,
    cpu_arch="X86",
    cpu_model="Intel Xeon (Ice Lake) Platinum 8369B",
    network_gbps=16.0,
    pps=1_600_000,
    erdma_interfaces=0,
    local_disk_gib=None,
)


def price(instance_type: str = A10.instance_type, **fields: object) -> PriceRow:
    row = PriceRow(
        instance_type=instance_type,
        region="cn-hangzhou",
        billing="payg",
        currency="CNY",
        amount=Decimal("9.5326"),
        per="hour",
        site="cn",
        as_of=DAY,
        confidence="official",
        source_id=SOURCE,
        note="",
    )
    return replace(row, **fields)  # type: ignore[arg-type]


def spot(instance_type: str = A10.instance_type, **fields: object) -> SpotRow:
    row = SpotRow(
        instance_type=instance_type,
        region="cn-hangzhou",
        zone="cn-hangzhou-j",
        currency="CNY",
        spot_per_hour=Decimal("2.86"),
        payg_per_hour=Decimal("9.5326"),
        as_of=DAY,
        source_id=SOURCE,
    )
    return replace(row, **fields)  # type: ignore[arg-type]


def offered(instance_type: str = A10.instance_type, **fields: object) -> Offered:
    row = Offered(
        "cn-hangzhou", "cn-hangzhou-j", instance_type, "payg", "available", "with_stock", DAY
    )
    return replace(row, **fields)  # type: ignore[arg-type]


def manifest(taken_at: str = f"{DAY}T08:00:00Z", **fields: object) -> Manifest:
    made = Manifest(FORMAT, taken_at, "cn", ("cn-hangzhou",), ("gn7i",), ("gn7i",))
    return replace(made, **fields)  # type: ignore[arg-type]


def snapshot(taken_at: str = f"{DAY}T08:00:00Z", **tables: object) -> Snapshot:
    """One row in each table, or the tables given."""
    made = Snapshot(
        manifest(taken_at),
        types=(A10,),
        offered=(offered(),),
        prices=(price(),),
        spot=(spot(),),
        advice=(
            SpotAdvice(A10.instance_type, "cn-hangzhou", "cn-hangzhou-j", 30, 1.5, "0-3%", DAY),
        ),
        plans=(PlanRate("gn7i", "cn-hangzhou", "ecs", 1, "zero", 83.6, DAY),),
    )
    return replace(made, **tables)  # type: ignore[arg-type]
