"""The quota that an order counts against: GPU quotas are counted in cards, per account, region and way of billing."""

from __future__ import annotations

from typing import Literal, cast

from knowledge.order_facts import quotas
from tools.phrases import Language

from .request import OrderRequest, said
from .results import Quota

Counted = Literal["cards", "instances", "vcpu"]
LINKS = {
    "cn": "https://quotas.console.aliyun.com/products/ecs-spec/quotas?regionId=",
    "intl": "https://quotas.console.alibabacloud.com/products/ecs-spec/quotas?regionId=",
}
BILLING_PART = {"payg": "postpay", "month": "prepay", "spot": "spot"}
SOURCES = ["ali-ecs-limits-zh", "ali-quota-management-en"]


def quota_for(request: OrderRequest, language: Language) -> Quota:
    """What the order counts, under which id, and where to have it raised."""
    known = quotas().get(request.row.family)
    counted = cast(Counted, known.counted if known else _counted(request))
    quota_id = f"{known.quota}_{BILLING_PART[request.billing]}_{known.suffix}" if known else None
    needed = request.machines * {"cards": request.row.gpu_count, "instances": 1, "vcpu": request.row.vcpu}[counted]
    text = said(
        "quota" if quota_id else "quota_unknown",
        language,
        region=request.region,
        billing=said(f"billing.{request.billing}", language),
        quota=quota_id,
        family=request.row.family,
        needed=said(f"needed.{counted}", language, count=needed),
    )
    return Quota(
        quota_id=quota_id,
        counted=counted,
        needed=needed,
        text=text,
        link=LINKS[request.site] + request.region,
        source_ids=SOURCES,
    )


def _counted(request: OrderRequest) -> Counted:
    """Of a family that no page assigns: vGPU instances are counted whole, cards by the card, others by vCPU."""
    if request.row.vgpu:
        return "instances"
    return "cards" if request.row.gpu_count else "vcpu"
