"""The billing interface: hourly list prices in bulk (QuerySkuPriceList), rates of savings plans (QuerySavingsPlansDiscount)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import product

from knowledge.rows import PriceRow
from knowledge.snapshot_rows import PlanRate, Site

from .answers import Json, amount, family_of, number, part, rows, text, type_name
from .faults import Call
from .reading import Reading, pages

PAGE = 50
"""The most that QuerySkuPriceList gives at once (help.aliyun.com/document_detail/473040.html)."""
COMMODITY: dict[Site, str] = {"cn": "ecs", "intl": "ecs_intl"}
PLANS = ("ecs", "universal")
YEARS = (1, 3)
UPFRONT = ("total", "half", "zero")
PLAN_PAGE = 50
MOST_PLAN_PAGES = 20


def bulk_prices(reading: Reading, region: str, *, site: Site) -> list[PriceRow]:
    """Hourly prices of Linux. A type that is listed at two prices is dropped: nothing tells which one it is sold at."""
    call = Call("QuerySkuPriceList", region)
    asked = {
        "CommodityCode": COMMODITY[site],
        "PriceEntityCode": "instance_type",
        "PageSize": PAGE,
        "Lang": "en",
        "PriceFactorConditionMap": {"vm_region_no": [region], "vm_os_kind": ["linux"]},
    }
    found: dict[str, set[tuple[Decimal, Site]]] = {}
    for sku in pages(reading, "billing", call, "NextPageToken", _page, **asked):
        name = _sold_as(reading, sku, call)
        for listed, of_site in _hourly(reading, sku, call) if name else ():
            found.setdefault(name, set()).add((listed, of_site))
    return list(_priced(reading, found, call))


def _page(body: Json) -> tuple[list[Json], object]:
    page = part(body, "Data", "SkuPricePage")
    return rows(page, "SkuPriceList"), page.get("NextPageToken")


def _sold_as(reading: Reading, sku: Json, call: Call) -> str:
    """The type that is priced, empty for one of another region or system."""
    factors = part(sku, "SkuFactorMap")
    if text(factors, "vm_region_no") != call.region or text(factors, "vm_os_kind").lower() not in ("", "linux"):
        reading.drop(call, "region")
        return ""
    if text(factors, "iooptimized").lower() in ("none", "non-optimized"):
        return ""
    name = type_name(factors, "instance_type")
    if not name:
        reading.drop(call, "name")
    return name


def _hourly(reading: Reading, sku: Json, call: Call) -> Iterator[tuple[Decimal, Site]]:
    """Plain prices by the hour; steps of a scale are none."""
    for price in rows(sku, "CskuPriceList"):
        if text(price, "PriceType") != "hourPrice" or text(price, "PriceMode") not in ("", "NORMAL_PRICE"):
            continue
        listed = amount(price, "Price")
        if listed is None:
            reading.drop(call, "amount")
        elif site := reading.site_of(price, call):
            yield listed, site


def _priced(reading: Reading, found: dict[str, set[tuple[Decimal, Site]]], call: Call) -> Iterator[PriceRow]:
    for name, prices in found.items():
        if len(prices) > 1:
            reading.drop(call, "conflict")
            continue
        [(listed, site)] = prices
        yield reading.price_row(call, name, listed, site, unit="hour")


def plan_rates(reading: Reading, region: str, families: Sequence[str], *, site: Site) -> list[PlanRate]:
    """Official rates (not those of a contract) of each kind of plan, time and way of paying in advance."""
    call = Call("QuerySavingsPlansDiscount", region)
    plain = list(dict.fromkeys(name.removeprefix("ecs.") for name in families))
    found = []
    for family, plan, years, upfront in product(plain, PLANS, YEARS, UPFRONT):
        paid = {
            rate
            for item in _items(reading, call, COMMODITY[site], family, plan, years, upfront)
            if (rate := _pay_pct(reading, item, call, family, upfront)) is not None
        }
        if len(paid) > 1:
            reading.drop(call, "conflict")
        elif paid:
            found.append(PlanRate(family, region, plan, years, upfront, paid.pop(), reading.day))
    return found


def _items(
    reading: Reading, call: Call, commodity: str, family: str, plan: str, years: int, upfront: str
) -> Iterator[Json]:
    for page in range(1, MOST_PLAN_PAGES + 1):
        body = reading.client.ask(
            "billing",
            call.action,
            call.region,
            CommodityCode=commodity,
            ModuleCode="instance_type",
            SpnType=plan,
            PayMode=upfront,
            Cycle=f"{years}:Year",
            Spec=f"ecs.{family}",
            Region=call.region,
            PageNum=page,
            PageSize=PLAN_PAGE,
        )
        items = rows(body, "Data", "Items")
        yield from items
        if len(items) < PLAN_PAGE:
            return


def _pay_pct(reading: Reading, item: Json, call: Call, family: str, upfront: str) -> float | None:
    """Percent of the pay-as-you-go price that is paid: DiscountRate 0.85 is 85 %. ContractDiscountRate is the account's own."""
    spec = text(item, "Spec").removeprefix("ecs.")
    if spec and family not in (spec, family_of(spec)):
        reading.drop(call, "name")
        return None
    if text(item, "RegionCode") not in ("", call.region) or text(item, "PayMode") not in ("", upfront):
        reading.drop(call, "region")
        return None
    rate = number(item, "DiscountRate", most=1)
    if not rate:
        reading.drop(call, "rate")
        return None
    return round(rate * 100, 3)
