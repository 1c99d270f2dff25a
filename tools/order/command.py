"""The `aliyun ecs RunInstances` command of an order. Parameters as the official SDK of ECS documents them.

What only the user knows stands as a shell variable at the top. As written the command only checks (`--DryRun true`).
"""

from __future__ import annotations

from collections.abc import Iterator

from tools.phrases import Language

from .request import OrderRequest, said

PLACEHOLDERS = {
    "IMAGE_ID": "<image-id>",
    "SECURITY_GROUP_ID": "<security-group-id>",
    "VSWITCH_ID": "<vswitch-id>",
    "KEY_PAIR": "<key-pair-name>",
}
DISK_LEVEL = "PL1"


def write_command(request: OrderRequest, language: Language) -> str:
    """The command with its comments, for a POSIX shell."""
    where = {"region": request.region, "type": request.row.instance_type}
    images = (
        f"#   aliyun ecs DescribeImages --RegionId {request.region} --InstanceType {request.row.instance_type}"
        " --OSType linux --ImageOwnerAlias system --PageSize 100"
    )
    values = [f"{name}='{value}'" for name, value in PLACEHOLDERS.items()]
    options = " \\\n  ".join(f"--{name} {value}" for name, value in _options(request))
    return "\n".join(
        [
            f"# {said('cli.fill', language, **where)}",
            f"# {said('cli.images', language, **where)}",
            images,
            *values,
            f"# {said('cli.dry_run', language)}",
            f"aliyun ecs RunInstances \\\n  {options}",
        ]
    )


def _options(request: OrderRequest) -> Iterator[tuple[str, str]]:
    yield "RegionId", request.region
    if request.zone:
        yield "ZoneId", request.zone
    yield "InstanceType", request.row.instance_type
    yield "Amount", str(request.machines)
    yield from _billing_options(request)
    yield "ImageId", '"$IMAGE_ID"'
    yield "SecurityGroupId", '"$SECURITY_GROUP_ID"'
    yield "VSwitchId", '"$VSWITCH_ID"'
    yield "KeyPairName", '"$KEY_PAIR"'
    yield "SystemDisk.Category", "cloud_essd"
    yield "SystemDisk.PerformanceLevel", DISK_LEVEL
    yield "SystemDisk.Size", str(request.system_disk_gib)
    if request.data_disk_gib:
        yield "DataDisk.1.Category", "cloud_essd"
        yield "DataDisk.1.PerformanceLevel", DISK_LEVEL
        yield "DataDisk.1.Size", str(request.data_disk_gib)
    if with_erdma(request):
        yield "NetworkInterfaceTrafficMode", "HighPerformance"
    yield "DryRun", "true"


def _billing_options(request: OrderRequest) -> Iterator[tuple[str, str]]:
    if request.billing == "month":
        yield "InstanceChargeType", "PrePaid"
        yield "PeriodUnit", "Month"
        yield "Period", str(request.months)
        yield "AutoPay", "false"  # leaves an order to be paid in the console: nothing is deducted unseen
        return
    yield "InstanceChargeType", "PostPaid"
    if request.billing == "spot":
        yield "SpotStrategy", "SpotAsPriceGo"


def with_erdma(request: OrderRequest) -> bool:
    """Whether machines are to talk over eRDMA: several of a type that has it."""
    return request.machines > 1 and request.row.rdma == "erdma"
