"""From a request to its steps, the cheapest and most telling first: if a refresh ends early, most is known already.

The plan is made twice: before the first call, from the types that the catalog knows (so that an estimate can be given),
and again when types and stock are at hand, with new types in it and without those that a region does not sell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from math import ceil

from .request import OTHERS, Charge, RefreshRequest, Step, Unit

FAMILIES_A_CALL = 10
"""The most that DescribeInstanceTypes takes."""
TYPES_A_PAGE = 100
GPU_TYPES = 300
"""About as many types with a GPU does the interface list."""
PLANS_A_FAMILY = 6
"""One or three years, each paid in advance wholly, by half or not at all."""
BULK_PAGES = 190
"""A whole price list of Linux has about 9,500 rows, 50 a page; a region has its share of them."""
BULK_REGIONS = 28

TypesByFamily = Mapping[str, Collection[str]]
Sold = Mapping[tuple[str, Charge], Collection[str]]
"""What is sold by (region, charge); a pair that is missing is not known, and all is asked for."""


def make_plan(request: RefreshRequest, types: TypesByFamily, sold: Sold | None = None) -> tuple[Step, ...]:
    """All steps in their order. `types` are those known of each family; of families without any only the list is asked for."""
    names = [name for family in request.families for name in sorted(types.get(family, ()))]
    return (*first_steps(request, len(names)), *_prices(request, names, sold or {}))


def known_types(families: Iterable[str]) -> dict[str, set[str]]:
    """Types that the catalog in use has of each family."""
    from knowledge.facts import instances

    known: dict[str, set[str]] = {family: set() for family in families}
    for row in instances().values():
        if row.family in known:
            known[row.family].add(row.instance_type)
    return known


def first_steps(request: RefreshRequest, types: int = 0) -> tuple[Step, ...]:
    """Types, stock, advice and plans: few calls a region."""
    return tuple(step for make in (_types, _stock, _advice, _plans) for step in make(request, types))


def charges(request: RefreshRequest) -> tuple[Charge, ...]:
    """Ways of paying whose stock is asked for: those that are wanted at all."""
    wanted: dict[Charge, bool] = {
        "payg": bool({"stock", "prices"} & set(request.what)),
        "subscription": "stock" in request.what and bool({"month", "year"} & set(request.what)),
        "spot": "stock" in request.what and "spot" in request.what,
    }
    return tuple(charge for charge, yes in wanted.items() if yes)


def units(request: RefreshRequest) -> tuple[Unit, ...]:
    """Units of time whose list prices are asked for type by type."""
    wanted: dict[Unit, bool] = {
        "hour": "prices" in request.what and not request.bulk,
        "month": "month" in request.what,
        "year": "year" in request.what,
    }
    return tuple(unit for unit, yes in wanted.items() if yes)


def minutes(calls: int, calls_per_second: float) -> int:
    """About how many minutes that many calls take at that pace, rounded up."""
    return ceil(calls / calls_per_second / 60)


def count_calls(steps: Iterable[Step]) -> int:
    """About how many calls these steps take."""
    return sum(step.calls for step in steps)


def _types(request: RefreshRequest, types: int) -> Iterator[Step]:
    if "types" in request.what:
        calls = ceil(len(request.families) / FAMILIES_A_CALL) + types // TYPES_A_PAGE
        yield from (Step("types", region, calls=calls) for region in request.regions)
        if request.others and request.regions:
            yield Step("types", request.regions[0], OTHERS, calls=GPU_TYPES // TYPES_A_PAGE)


def _stock(request: RefreshRequest, types: int) -> Iterator[Step]:
    for charge in charges(request):
        yield from (Step("stock", region, way=charge) for region in request.regions)


def _advice(request: RefreshRequest, types: int) -> Iterator[Step]:
    if "spot" in request.what:
        yield from (Step("advice", region, calls=len(request.families)) for region in request.regions)


def _plans(request: RefreshRequest, types: int) -> Iterator[Step]:
    if "plans" in request.what:
        calls = PLANS_A_FAMILY * len(request.families)
        yield from (Step("plans", region, calls=calls) for region in request.regions)


def _prices(request: RefreshRequest, names: list[str], sold: Sold) -> Iterator[Step]:
    if "prices" in request.what and request.bulk:
        yield from (Step("bulk", region, calls=ceil(BULK_PAGES / BULK_REGIONS)) for region in request.regions)
    for unit in units(request):
        charge: Charge = "payg" if unit == "hour" else "subscription"
        for region in request.regions:
            yield from (Step("price", region, name, unit) for name in _there(names, sold, region, charge))
    if "spot" in request.what:
        for region in request.regions:
            yield from (Step("spot", region, name) for name in _there(names, sold, region, "spot"))


def _there(names: list[str], sold: Sold, region: str, charge: Charge) -> list[str]:
    """Those of the names that the region sells in this way, else by the hour; all of them where neither is known."""
    known = sold.get((region, charge), sold.get((region, "payg")))
    return names if known is None else [name for name in names if name in known]
