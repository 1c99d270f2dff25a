"""DescribeInstanceTypes: specifications. They are those of the interface, not of what a region sells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knowledge.snapshot_rows import ListedType

from .answers import Json, number, rows, text, type_name, whole
from .faults import Call
from .reading import Reading, pages

FAMILIES_A_CALL = 10
PAGE = 100
"""Most that the interface gives at once (help.aliyun.com/document_detail/25620.html, 2026-10-08)."""

KBIT_PER_GBIT = 1_024_000
"""The interface words 16 Gbit/s, as the pages say for ecs.gn7i-c8g1.2xlarge, as 16,384,000 kbit/s."""


def list_types(reading: Reading, region: str, families: Sequence[str]) -> list[ListedType]:
    """Types of these families; all types with a GPU where none is named."""
    call = Call("DescribeInstanceTypes", region)
    found: dict[str, ListedType] = {}
    for chunk in _chunks(families):
        asked = {"InstanceTypeFamilies": [f"ecs.{family}" for family in chunk]} if chunk else {"MinimumGPUAmount": 1}
        for row in pages(reading, "ecs", call, "NextToken", _page, MaxResults=PAGE, **asked):
            listed = _listed(row)
            if listed is None or (chunk and listed.family not in chunk):
                reading.drop(call, "name")
            else:
                found[listed.instance_type] = listed
    return list(found.values())


def _chunks(families: Sequence[str]) -> Iterator[list[str]]:
    plain = list(dict.fromkeys(family.removeprefix("ecs.") for family in families))
    for at in range(0, max(len(plain), 1), FAMILIES_A_CALL):
        yield plain[at : at + FAMILIES_A_CALL]


def _page(body: Json) -> tuple[list[Json], object]:
    return rows(body, "InstanceTypes", "InstanceType"), body.get("NextToken")


def _listed(row: Json) -> ListedType | None:
    """A type, or None for a row without the names that make it one.

    MemorySize and GPUMemorySize (of one card, sometimes as text) are GiB, InstanceBandwidthRx is kbit/s, EriQuantity counts
    eRDMA interfaces; LocalStorageCapacity is GiB of one local disk, LocalStorageAmount their number.
    """
    name, family = type_name(row, "InstanceTypeId"), text(row, "InstanceTypeFamily").removeprefix("ecs.")
    if not name or not family:
        return None
    kbit = number(row, "InstanceBandwidthRx", most=10**11)
    return ListedType(
        instance_type=name,
        family=family,
        category=text(row, "InstanceCategory"),
        vcpu=whole(row, "CpuCoreCount", most=10_000) or None,
        memory_gib=number(row, "MemorySize", most=1_000_000) or None,
        gpu_spec=text(row, "GPUSpec"),
        gpu_count=whole(row, "GPUAmount", most=1_000),
        gpu_memory_gib_each=number(row, "GPUMemorySize", most=10_000) or None,
        cpu_arch=text(row, "CpuArchitecture"),
        cpu_model=text(row, "PhysicalProcessorModel"),
        network_gbps=round(kbit / KBIT_PER_GBIT, 3) if kbit else None,
        pps=whole(row, "InstancePpsRx", most=10**10) or None,
        erdma_interfaces=whole(row, "EriQuantity", most=1_000),
        local_disk_gib=_local_disk(row),
    )


def _local_disk(row: Json) -> float | None:
    """GiB of all local disks; 0 where there is none, None where that is not said."""
    count, each = whole(row, "LocalStorageAmount", most=1_000), number(row, "LocalStorageCapacity", most=1_000_000)
    if count == 0 or (count is None and row.get("LocalStorageCategory") == ""):
        return 0.0
    return count * each if count and each else None
