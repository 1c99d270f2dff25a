"""The Terraform snippet of an order: provider `aliyun/alicloud`, zone and image by data sources, the rest as variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tools.phrases import Language

from .command import DISK_LEVEL, with_erdma
from .request import OrderRequest, said

Pairs = Iterable[tuple[str, str]]
VARIABLES = ("vpc_id", "security_group_id", "key_name")
IMAGE = {"x86_64": "^ubuntu_22_04_x64", "arm64": "^ubuntu_22_04_arm64"}
"""Names of public images that start so; the newest that the type can start from is taken."""


def write_terraform(request: OrderRequest, language: Language) -> str:
    """HCL2, in the form that `terraform fmt` leaves alone."""
    zone = f'"{request.zone}"' if request.zone else "data.alicloud_zones.here.zones[0].id"
    blocks = [
        'terraform {\n  required_providers {\n    alicloud = {\n      source = "aliyun/alicloud"\n    }\n  }\n}',
        _block('provider "alicloud"', [("region", _quoted(request.region))]),
        f"# {said('terraform.fill', language, region=request.region)}",
        *(_block(f'variable "{name}"', [("type", "string")]) for name in VARIABLES),
        *([] if request.zone else [_block('data "alicloud_zones" "here"', _zone_filters(request))]),
        _block('data "alicloud_vswitches" "here"', [("vpc_id", "var.vpc_id"), ("zone_id", zone)]),
        f"# {said('terraform.image', language)}",
        _block('data "alicloud_images" "linux"', _image_filters(request)),
        f"# {said('terraform.plan', language)}",
        _instance(request),
    ]
    return "\n\n".join(_joined(blocks)) + "\n"


def _joined(blocks: list[str]) -> Iterator[str]:
    """A comment stays with the block that it is about."""
    comment = ""
    for block in blocks:
        if block.startswith("#"):
            comment = block + "\n"
            continue
        yield comment + block
        comment = ""


def _zone_filters(request: OrderRequest) -> Iterator[tuple[str, str]]:
    yield "available_instance_type", _quoted(request.row.instance_type)
    yield "available_disk_category", _quoted("cloud_essd")
    yield "instance_charge_type", _quoted(_charge(request))
    if request.billing == "spot":
        yield "spot_strategy", _quoted("SpotAsPriceGo")


def _image_filters(request: OrderRequest) -> Iterator[tuple[str, str]]:
    arch = "arm64" if request.row.cpu_arch == "arm64" else "x86_64"
    yield "owners", _quoted("system")
    yield "os_type", _quoted("linux")
    yield "architecture", _quoted(arch)
    yield "instance_type", _quoted(request.row.instance_type)
    yield "name_regex", _quoted(IMAGE[arch])
    yield "most_recent", "true"


def _instance(request: OrderRequest) -> str:
    pairs = [
        ("count", str(request.machines)),
        ("instance_type", _quoted(request.row.instance_type)),
        ("image_id", "data.alicloud_images.linux.images[0].id"),
        ("vswitch_id", "data.alicloud_vswitches.here.vswitches[0].id"),
        ("security_groups", "[var.security_group_id]"),
        ("key_name", "var.key_name"),
        ("instance_charge_type", _quoted(_charge(request))),
        *_billing_pairs(request),
        ("system_disk_category", _quoted("cloud_essd")),
        ("system_disk_performance_level", _quoted(DISK_LEVEL)),
        ("system_disk_size", str(request.system_disk_gib)),
    ]
    if with_erdma(request):
        pairs.append(("network_interface_traffic_mode", _quoted("HighPerformance")))
    head = 'resource "alicloud_instance" "gpu"' if request.row.gpu_count else 'resource "alicloud_instance" "machine"'
    if not request.data_disk_gib:
        return _block(head, pairs)
    disk = [("category", _quoted("cloud_essd")), ("performance_level", _quoted(DISK_LEVEL)), ("size", str(request.data_disk_gib))]
    inner = "\n".join("  " + line for line in _block("data_disks", disk).splitlines())
    return _block(head, pairs)[:-1] + f"\n{inner}\n}}"


def _billing_pairs(request: OrderRequest) -> Iterator[tuple[str, str]]:
    if request.billing == "month":
        yield "period_unit", _quoted("Month")
        yield "period", str(request.months)
    if request.billing == "spot":
        yield "spot_strategy", _quoted("SpotAsPriceGo")


def _charge(request: OrderRequest) -> str:
    return "PrePaid" if request.billing == "month" else "PostPaid"


def _block(head: str, pairs: Pairs) -> str:
    """One block, its equals signs in one column."""
    rows = list(pairs)
    width = max(len(name) for name, _ in rows)
    return "\n".join([f"{head} {{", *(f"  {name:<{width}} = {value}" for name, value in rows), "}"])


def _quoted(token: str) -> str:
    return f'"{token}"'
