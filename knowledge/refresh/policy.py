"""The rights that a key needs for a refresh: reading only, as a RAM policy to paste."""

from __future__ import annotations

from typing import Any

from knowledge.aliyun.rights import RIGHTS

from .plan import make_plan
from .request import Kind, RefreshRequest

ACTIONS: dict[Kind, str] = {
    "types": "DescribeInstanceTypes",
    "stock": "DescribeAvailableResource",
    "price": "DescribePrice",
    "advice": "DescribeSpotAdvice",
    "spot": "DescribeSpotPriceHistory",
    "bulk": "QuerySkuPriceList",
    "plans": "QuerySavingsPlansDiscount",
}


def ram_policy(request: RefreshRequest) -> dict[str, Any]:
    """A policy with the rights for this request and no others."""
    kinds = {step.kind for step in make_plan(request, dict.fromkeys(request.families, ("",)))}
    if "bulk" in kinds:
        kinds.add("price")  # where the price list is not allowed
    rights = [RIGHTS[action] for kind, action in ACTIONS.items() if kind in kinds]
    return {"Version": "1", "Statement": [{"Effect": "Allow", "Action": rights, "Resource": "*"}]}
