"""The rights that a key needs for a refresh: reading only, as a RAM policy to paste."""

from __future__ import annotations

from typing import Any

from .plan import make_plan
from .request import Kind, RefreshRequest

RIGHTS: dict[Kind, tuple[str, ...]] = {
    "types": ("ecs:DescribeInstanceTypes",),
    "stock": ("ecs:DescribeAvailableResource",),
    "price": ("ecs:DescribePrice",),
    "advice": ("ecs:DescribeSpotAdvice",),
    "spot": ("ecs:DescribeSpotPriceHistory",),
    "bulk": ("bss:DescribeProduct",),
    "plans": ("bss:DescribePrice",),
}


def ram_policy(request: RefreshRequest) -> dict[str, Any]:
    """A policy with the rights for this request and no others."""
    kinds = {step.kind for step in make_plan(request, dict.fromkeys(request.families, ("",)))}
    if "bulk" in kinds:
        kinds.add("price")  # where the price list is not allowed
    actions = [action for kind, rights in RIGHTS.items() if kind in kinds for action in rights]
    return {"Version": "1", "Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]}
