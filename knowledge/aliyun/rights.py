"""The rights that a key needs for each action, as RAM policies name them; `policy.json` grants all of them."""

from __future__ import annotations

RIGHTS = {
    "DescribeInstanceTypes": "ecs:DescribeInstanceTypes",
    "DescribeAvailableResource": "ecs:DescribeAvailableResource",
    "DescribePrice": "ecs:DescribePrice",
    "DescribeSpotPriceHistory": "ecs:DescribeSpotPriceHistory",
    "DescribeSpotAdvice": "ecs:DescribeSpotAdvice",
    "QuerySkuPriceList": "bss:DescribeProduct",
    "QuerySavingsPlansDiscount": "bssapi:QuerySavingsPlansDiscount",
}
"""By action. Those of the billing interface are the ones that its API reference names, which are not the actions' own names:
help.aliyun.com/document_detail/473040.html (price list) and /472959.html (savings plans), read 2026-11-30."""
