"""The cloud's interface on this machine, with a small market behind it: two families, three types, what each region sells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal

from tests.knowledge.aliyun.samples import (
    Json,
    history_answer,
    listed,
    price_answer,
    quote,
    stock_answer,
    types_answer,
    zone,
)
from tests.knowledge.aliyun.stub import NOT_SOLD, Reply, Request, Stub, open_stub
from tests.knowledge.refresh.shop import BARE, LARGE, SMALL

TYPES = {
    SMALL: listed(SMALL),
    LARGE: listed(LARGE, GPUAmount=4, CpuCoreCount=128, MemorySize=752.0),
    BARE: listed(BARE, family="ecs.ebmgn7e", GPUAmount=8, CpuCoreCount=128, MemorySize=1024.0, GPUSpec="NVIDIA A100", GPUMemorySize=80.0),
}
SELLS: Mapping[str, tuple[str, ...]] = {"cn-hangzhou": (SMALL, LARGE, BARE), "cn-shanghai": (SMALL, BARE)}
PER_HOUR = {SMALL: Decimal("7.77"), LARGE: Decimal("31.31"), BARE: Decimal("177.7")}
UNITS = {"Hour": 1, "Month": 400, "Year": 4000}
ASKED = ("--region", "cn-hangzhou", "--region", "cn-shanghai", "--family", "gn7i", "--family", "ebmgn7e")
"""Options of a refresh of this market."""
STEPS = 2 + 2 + 5
"""Types and stock a region, and the prices of what is sold."""


@contextmanager
def open_market(*, factor: str = "1", sells: Mapping[str, tuple[str, ...]] = SELLS, currency: str = "CNY") -> Iterator[Stub]:
    """A stub with that market behind it. `factor`: of all prices."""

    def types(request: Request) -> Json:
        families = {value for name, value in request.query.items() if name.startswith("InstanceTypeFamilies")}
        return types_answer(*(row for row in TYPES.values() if row["InstanceTypeFamily"] in families))

    def stock(request: Request) -> Json:
        region = request.query["RegionId"]
        sold = [(name, "Available", "WithStock") for name in sells.get(region, ())]
        return stock_answer(zone(f"{region}-i", *sold, ("ecs.g7.large", "Available", "WithStock"), region=region))

    def price(request: Request) -> Json | Reply:
        asked = request.query
        if asked["InstanceType"] not in sells.get(asked["RegionId"], ()):
            return NOT_SOLD
        amount = PER_HOUR[asked["InstanceType"]] * UNITS[asked["PriceUnit"]] * Decimal(factor)
        return price_answer(float(amount), currency=currency)

    def history(request: Request) -> Json:
        end = request.query["EndTime"]
        return history_answer(quote(f"{request.query['RegionId']}-i", 1.5, end, name=request.query["InstanceType"]), currency=currency)

    with open_stub() as stub:
        stub.answers |= {
            "DescribeInstanceTypes": types,
            "DescribeAvailableResource": stock,
            "DescribePrice": price,
            "DescribeSpotPriceHistory": history,
        }
        yield stub
