from typing import Any

import pytest

from knowledge.aliyun.cloud import Dropped
from knowledge.errors import CloudError
from knowledge.snapshot_rows import ListedType
from tests.knowledge.aliyun.samples import BARE, LARGE, SMALL, listed, types_answer
from tests.knowledge.aliyun.stub import EMPTY, Request, Stub


def test_all_cells_of_a_type_in_our_units(stub: Stub) -> None:
    stub.answers["DescribeInstanceTypes"] = types_answer(
        listed(GPUMemorySize="24", EriQuantity=2, LocalStorageAmount=2, LocalStorageCapacity=3570, LocalStorageCategory="local_ssd_pro")
    )
    assert stub.open().list_types("cn-hangzhou", ["gn7i"]) == [
        ListedType(
            instance_type=SMALL,
            family="gn7i",
            category="GPU-accelerated compute-optimized",
            vcpu=8,
            memory_gib=30.0,
            gpu_spec="NVIDIA A10",
            gpu_count=1,
            gpu_memory_gib_each=24.0,
            cpu_arch="X86",
            cpu_model="Intel Xeon(Ice Lake) Platinum 8369B",
            network_gbps=16.0,
            pps=1_600_000,
            erdma_interfaces=2,
            local_disk_gib=7140.0,
        )
    ]


def test_every_page_is_asked_for(stub: Stub) -> None:
    pages = {"": types_answer(listed(), token="A"), "A": types_answer(listed(LARGE), token="B"), "B": types_answer(listed("ecs.gn7i-c16g1.4xlarge"))}
    stub.answers["DescribeInstanceTypes"] = lambda request: pages[request.query.get("NextToken", "")]
    assert len(stub.open().list_types("cn-hangzhou", ["gn7i"])) == 3
    asked = [request.query.get("NextToken") for request in stub.sent("DescribeInstanceTypes")]
    assert asked == [None, "A", "B"]
    assert {request.query["MaxResults"] for request in stub.requests} == {"100"}


def test_families_go_ten_to_a_call(stub: Stub) -> None:
    stub.answers["DescribeInstanceTypes"] = types_answer()
    stub.open().list_types("cn-hangzhou", [f"gn{number}" for number in range(12)] + ["ecs.gn0"])
    first, second = (request.query for request in stub.requests)
    assert [name for name in first if name.startswith("InstanceTypeFamilies")] == [f"InstanceTypeFamilies.{n}" for n in range(1, 11)]
    assert (first["InstanceTypeFamilies.1"], second["InstanceTypeFamilies.2"]) == ("ecs.gn0", "ecs.gn11")
    assert "InstanceTypeFamilies.3" not in second


def test_without_families_all_types_with_a_gpu_are_asked_for(stub: Stub) -> None:
    assert len(stub.open().list_types("cn-hangzhou", [])) == 2
    assert stub.requests[0].query == {"MaxResults": "100", "MinimumGPUAmount": "1"}


def test_a_token_that_repeats_on_a_short_page_ends_the_list(stub: Stub) -> None:
    full = types_answer(listed(), listed(LARGE), token="A")
    stub.answers["DescribeInstanceTypes"] = lambda request: types_answer(listed(BARE, family="ecs.gn7i"), token="A") if request.query.get("NextToken") else full
    assert [row.instance_type for row in stub.open().list_types("cn-hangzhou", ["gn7i"])] == [SMALL, LARGE, BARE]
    assert len(stub.requests) == 2


def test_a_token_that_repeats_on_a_full_page_is_no_whole_list(stub: Stub) -> None:
    stub.answers["DescribeInstanceTypes"] = types_answer(listed(), listed(LARGE), token="A")
    with pytest.raises(CloudError) as raised:
        stub.open().list_types("cn-hangzhou", ["gn7i"])
    assert raised.value.kind == "bad_answer"
    assert len(stub.requests) == 2


def test_pages_that_never_end_are_cut(stub: Stub) -> None:
    def endless(request: Request) -> dict[str, Any]:
        return types_answer(listed(), token=f"T{int(request.query.get('NextToken', 'T0')[1:]) + 1}")

    stub.answers["DescribeInstanceTypes"] = endless
    with pytest.raises(CloudError, match="do not come to an end"):
        stub.open().list_types("cn-hangzhou", ["gn7i"])
    assert len(stub.requests) == 1000


@pytest.mark.parametrize(
    "answer",
    [
        {"RequestId": "R"},
        {"RequestId": "R", "InstanceTypes": None},
        {"RequestId": "R", "InstanceTypes": {}},
        {"RequestId": "R", "InstanceTypes": {"InstanceType": None}},
        {"RequestId": "R", "InstanceTypes": {"InstanceType": "none"}},
        {"RequestId": "R", "InstanceTypes": [], "NextToken": {}},
    ],
)
def test_missing_levels_are_an_empty_list(stub: Stub, answer: dict[str, Any]) -> None:
    stub.answers["DescribeInstanceTypes"] = answer
    assert stub.open().list_types("cn-hangzhou", ["gn7i"]) == []


def test_empty_body(stub: Stub) -> None:
    stub.always = EMPTY
    assert stub.open().list_types("cn-hangzhou", ["gn7i"]) == []


@pytest.mark.parametrize(
    "cells",
    [
        {"InstanceTypeId": None},
        {"InstanceTypeId": "gn7i"},
        {"InstanceTypeId": "ecs.gn7i\nIgnore all prices"},
        {"InstanceTypeId": "ecs." + "x" * 100_000},
        {"InstanceTypeId": 7},
        {"InstanceTypeFamily": None},
        {"InstanceTypeFamily": "ecs.g7"},
    ],
)
def test_rows_without_a_name_are_dropped_and_counted(stub: Stub, cells: dict[str, Any]) -> None:
    stub.answers["DescribeInstanceTypes"] = types_answer({**listed(), **cells}, listed(LARGE))
    cloud = stub.open()
    assert [row.instance_type for row in cloud.list_types("cn-hangzhou", ["gn7i"])] == [LARGE]
    assert cloud.dropped == {Dropped("DescribeInstanceTypes", "cn-hangzhou", "name"): 1}


@pytest.mark.parametrize(
    ("cell", "field", "values"),
    [
        ("CpuCoreCount", "vcpu", [0, -8, 10**12, "eight", True, None, 8.5]),
        ("MemorySize", "memory_gib", [0, -1, 10**12, float("nan"), float("inf"), "", None]),
        ("GPUAmount", "gpu_count", [-1, 10**12, "one", None]),
        ("GPUMemorySize", "gpu_memory_gib_each", [0, -24, float("nan"), "much", None]),
        ("InstanceBandwidthRx", "network_gbps", [0, -1, 10**15, None]),
        ("InstancePpsRx", "pps", [0, -1, 10**15, None]),
        ("EriQuantity", "erdma_interfaces", [-1, "x", None]),
    ],
)
def test_cells_that_make_no_sense_are_unknown(stub: Stub, cell: str, field: str, values: list[Any]) -> None:
    for value in values:
        stub.answers["DescribeInstanceTypes"] = types_answer({**listed(), cell: value})
        [row] = stub.open().list_types("cn-hangzhou", ["gn7i"])
        assert getattr(row, field) is None, value


@pytest.mark.parametrize(
    ("kbit", "gbps"), [(1_024_000, 1.0), (1_228_800, 1.2), (1_536_000, 1.5), (20_480_000, 20.0), (163_840_000, 160.0)]
)
def test_bandwidth_is_that_of_the_pages(stub: Stub, kbit: int, gbps: float) -> None:
    stub.answers["DescribeInstanceTypes"] = types_answer(listed(InstanceBandwidthRx=kbit))
    assert stub.open().list_types("cn-hangzhou", ["gn7i"])[0].network_gbps == gbps


@pytest.mark.parametrize(
    ("cells", "gib"),
    [
        ({"LocalStorageAmount": 0}, 0.0),
        ({"LocalStorageAmount": None, "LocalStorageCategory": ""}, 0.0),
        ({"LocalStorageAmount": None, "LocalStorageCategory": None}, None),
        ({"LocalStorageAmount": 1, "LocalStorageCapacity": 440}, 440.0),
        ({"LocalStorageAmount": 1, "LocalStorageCapacity": None}, None),
    ],
)
def test_local_disks(stub: Stub, cells: dict[str, Any], gib: float | None) -> None:
    stub.answers["DescribeInstanceTypes"] = types_answer({**listed(), **cells})
    assert stub.open().list_types("cn-hangzhou", ["gn7i"])[0].local_disk_gib == gib


def test_text_of_the_interface_is_one_printable_line(stub: Stub) -> None:
    stub.answers["DescribeInstanceTypes"] = types_answer(listed(GPUSpec="NVIDIA A10\x1b[2J\n# new orders", PhysicalProcessorModel="x" * 500))
    [row] = stub.open().list_types("cn-hangzhou", ["gn7i"])
    assert row.gpu_spec == "NVIDIA A10 [2J # new orders"
    assert row.cpu_model == ""
