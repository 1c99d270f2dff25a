"""Answers of the interface, in the shapes that its documentation and recorded samples show; figures are made up."""

from __future__ import annotations

from typing import Any

SMALL, LARGE, BARE = "ecs.gn7i-c8g1.2xlarge", "ecs.gn7i-c32g1.32xlarge", "ecs.ebmgn7e.32xlarge"

Json = dict[str, Any]


def listed(name: str = SMALL, *, family: str = "ecs.gn7i", **cells: Any) -> Json:
    """One type as DescribeInstanceTypes gives it."""
    return {
        "InstanceTypeId": name,
        "InstanceTypeFamily": family,
        "InstanceCategory": "GPU-accelerated compute-optimized",
        "CpuCoreCount": 8,
        "MemorySize": 30.0,
        "CpuArchitecture": "X86",
        "PhysicalProcessorModel": "Intel Xeon(Ice Lake) Platinum 8369B",
        "GPUSpec": "NVIDIA A10",
        "GPUAmount": 1,
        "GPUMemorySize": 24.0,
        "InstanceBandwidthRx": 16384000,
        "InstanceBandwidthTx": 16384000,
        "InstancePpsRx": 1600000,
        "EriQuantity": 0,
        "LocalStorageCategory": "",
        **cells,
    }


def types_answer(*rows: Json, token: str = "") -> Json:
    """A page of DescribeInstanceTypes."""
    return {"RequestId": "R", "NextToken": token, "InstanceTypes": {"InstanceType": list(rows)}}


def zone(name: str, *sold: tuple[str, str, str], region: str = "cn-hangzhou", kind: str = "InstanceType") -> Json:
    """A zone of DescribeAvailableResource: types with their status and stock."""
    resources = [{"Value": value, "Status": status, "StatusCategory": stock} for value, status, stock in sold]
    return {
        "ZoneId": name,
        "RegionId": region,
        "Status": "Available",
        "StatusCategory": "WithStock",
        "AvailableResources": {"AvailableResource": [{"Type": kind, "SupportedResources": {"SupportedResource": resources}}]},
    }


def stock_answer(*zones: Json) -> Json:
    return {"RequestId": "R", "AvailableZones": {"AvailableZone": list(zones)}}


def price_answer(listed_at: Any = 10.5, *, pays: Any = None, disk: Any = 0.05, currency: Any = "CNY") -> Json:
    """DescribePrice: the instance, and the system disk that nobody asked for; the total is of both."""

    def total(one: Any, other: Any) -> Any:
        return one + other if isinstance(one, int | float) and isinstance(other, int | float) else one

    paid = listed_at if pays is None else pays
    details = [
        {"Resource": "instanceType", "OriginalPrice": listed_at, "TradePrice": paid, "DiscountPrice": 0, "SubRules": {"Rule": []}},
        {"Resource": "systemDisk", "OriginalPrice": disk, "TradePrice": disk, "DiscountPrice": 0},
    ]
    price = {
        "Currency": currency,
        "OriginalPrice": total(listed_at, disk),
        "TradePrice": total(paid, disk),
        "DiscountPrice": 0,
        "DetailInfos": {"DetailInfo": details},
    }
    return {"RequestId": "R", "PriceInfo": {"Price": price, "Rules": {"Rule": []}}}


def quote(zone_id: str, amount: Any, when: str, *, payg: Any = 10.5, name: str = SMALL) -> Json:
    return {
        "ZoneId": zone_id,
        "InstanceType": name,
        "SpotPrice": amount,
        "OriginPrice": payg,
        "Timestamp": when,
        "NetworkType": "vpc",
        "IoOptimized": "optimized",
    }


def history_answer(*quotes: Json, offset: Any = 0, currency: str = "CNY") -> Json:
    return {"RequestId": "R", "Currency": currency, "NextOffset": offset, "SpotPrices": {"SpotPriceType": list(quotes)}}


def advice_answer(zone_id: str = "cn-hangzhou-i", *resources: Json) -> Json:
    zones = [{"ZoneId": zone_id, "AvailableSpotResources": {"AvailableSpotResource": list(resources)}}]
    return {"RequestId": "R", "RegionId": "cn-hangzhou", "AvailableSpotZones": {"AvailableSpotZone": zones}}


def sku(name: str, price: Any, *, region: str = "cn-hangzhou", currency: str = "CNY", **cells: Any) -> Json:
    """A row of QuerySkuPriceList: the price is text."""
    factors = {"vm_region_no": region, "iooptimized": "optimized", "vm_os_kind": "linux", "instance_type": name}
    priced = {"Price": price, "Currency": currency, "PriceType": "hourPrice", "PriceMode": "NORMAL_PRICE", "RangeList": []}
    return {"SkuCode": f"S-{name}", "SkuFactorMap": {**factors, **cells}, "CskuPriceList": [priced]}


def skus_answer(*rows: Json, token: str = "") -> Json:
    page = {"TotalCount": len(rows), "NextPageToken": token, "SkuPriceList": list(rows)}
    return {"Code": "Success", "Message": "Successful!", "Success": True, "RequestId": "R", "Data": {"SkuPricePage": page}}


def plans_answer(*items: Json) -> Json:
    return {"Code": "Success", "Success": True, "RequestId": "R", "Data": {"HostId": "h", "Items": list(items)}}


ANSWERS: dict[str, Any] = {
    "DescribeInstanceTypes": types_answer(listed(), listed(LARGE, GPUAmount=4, CpuCoreCount=128, MemorySize=752.0)),
    "DescribeAvailableResource": stock_answer(
        zone("cn-hangzhou-i", (SMALL, "Available", "WithStock"), (LARGE, "SoldOut", "WithoutStock")),
        zone("cn-hangzhou-j", (SMALL, "Available", "ClosedWithStock"), ("ecs.g7.large", "Available", "WithStock")),
    ),
    "DescribePrice": price_answer(),
    "DescribeSpotPriceHistory": history_answer(quote("cn-hangzhou-i", 1.05, "2026-12-05T01:00:00Z")),
    "DescribeSpotAdvice": advice_answer(
        "cn-hangzhou-i",
        {"InstanceType": SMALL, "AverageSpotDiscount": 12, "InterruptionRate": 1.5, "InterruptRateDesc": "0-3%"},
    ),
    "QuerySkuPriceList": skus_answer(sku(SMALL, "10.5"), sku(LARGE, "42")),
    "QuerySavingsPlansDiscount": plans_answer({"Spec": "ecs.gn7i", "DiscountRate": "0.65", "ContractDiscountRate": "0.30"}),
}
"""What the stub says unless it is told otherwise."""
