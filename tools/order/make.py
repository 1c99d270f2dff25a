"""Makes the order of an instance type."""

from __future__ import annotations

from decimal import Decimal

from knowledge.order_facts import order_rules
from tools.phrases import Language
from tools.prices import NoPrice, all_prices, hourly, price_notes, why_no_price
from tools.results import Price
from tools.site import Site, current_site

from .command import with_erdma, write_command
from .instead import can_be_ordered, how_to_get, nearest_orderable
from .quota import quota_for
from .request import LEAST_DISK_GIB, OrderRequest, check_order, said
from .results import Billing, Order
from .stock import Stock, not_sold, stock_cautions, stock_of
from .terraform import write_terraform

BUY = {"cn": "https://ecs-buy.aliyun.com/wizard/#/", "intl": "https://ecs-buy.alibabacloud.com/wizard/#/"}
BUY_MONTHS = "https://ecs-buy.aliyun.com/ecs#/custom/prepay/"
SOLD = {
    "cn": "https://ecs-buy.aliyun.com/instanceTypes/#/instanceTypeByRegion",
    "intl": "https://ecs-buy.alibabacloud.com/instanceTypes/#/instanceTypeByRegion",
}
MOST_IN_SET = 20
"""Instances of one deployment set of low latency."""


def make_order(
    instance_type: str,
    *,
    region: str,
    machines: int = 1,
    billing: Billing = "payg",
    months: int = 1,
    disk_gib: int | None = None,
    zone: str | None = None,
    site: Site | None = None,
    language: Language,
) -> Order:
    """How to get `machines` of a type in `region`: purchase page, command, Terraform snippet, quota, steps.

    For a type that is not simply on sale there is no command, and `how_to_get` says whom to ask and what can be ordered
    instead. Nothing of what is typed reaches a command but names of the catalog, a region, a zone of it, and figures.
    `site` is the one in use unless said. Raises UnknownInstance and InputError for names and figures that are none.
    """
    request = check_order(
        instance_type,
        region=region,
        machines=machines,
        billing=billing,
        months=months,
        disk_gib=disk_gib,
        zone=zone,
        site=site or current_site(),
        language=language,
    )
    price, price_cautions = _price(request, language)
    stock = stock_of(request)
    sold_here = stock is None or stock.sold_here
    orderable = can_be_ordered(request.row) and sold_here
    nearest = None if orderable or not sold_here else nearest_orderable(request.row, request.region)
    quota = None if request.row.status in ("phased_out", "name_only") else quota_for(request, language)
    cautions = [*price_cautions, *(_cautions(request, stock, language) if orderable else [])]
    instead = "" if orderable else how_to_get(request, nearest, language) if stock is None or sold_here else not_sold(request, stock, language)
    return Order(
        instance_type=request.row.instance_type,
        status=request.row.status,
        region=request.region,
        zone=request.zone,
        machines=machines,
        billing=billing,
        months=request.months,
        system_disk_gib=request.system_disk_gib,
        data_disk_gib=request.data_disk_gib,
        site=request.site,
        link=_link(request),
        cli=write_command(request, language) if orderable else None,
        terraform=write_terraform(request, language) if orderable else None,
        quota=quota,
        price=price,
        total=_total(price, machines),
        steps=_steps(request, language) if orderable else [],
        how_to_get=instead,
        nearest=nearest.instance.instance_type if nearest else None,
        cautions=cautions,
        source_ids=_sources(request, price, stock, orderable=orderable, with_quota=quota is not None),
    )


def _link(request: OrderRequest) -> str:
    """The purchase page. None of the pages found documents a link with a type in it; of subscriptions the region goes in."""
    if request.billing == "month" and request.site == "cn":
        return BUY_MONTHS + request.region
    return BUY[request.site]


def _price(request: OrderRequest, language: Language) -> tuple[Price | None, list[str]]:
    """The list price of that way of billing in the region, and what must be said beside it or why there is none."""
    name, currency = request.row.instance_type, "CNY" if request.site == "cn" else "USD"
    if request.billing == "payg" and request.site == "cn":
        found = hourly(name, region=request.region)
        if isinstance(found, NoPrice):
            return None, [why_no_price(found, language)]
    wanted = [p for p in all_prices(name, request.region) if p.billing == request.billing and p.currency == currency]
    if wanted:
        return wanted[0], price_notes(wanted[0], language)
    where = {"region": request.region, "type": name, "currency": said(f"currency.{currency}", language)}
    return None, [said(f"no_price.{request.billing}", language, **where)]


def _total(price: Price | None, machines: int) -> Decimal | None:
    """Of all machines; a range of spot quotes has no total."""
    return None if price is None or price.amount_high not in (None, price.amount) else price.amount * machines


def _steps(request: OrderRequest, language: Language) -> list[str]:
    row = request.row
    where = {
        "region": request.region,
        "type": row.instance_type,
        "machines": request.machines,
        "billing": said(f"billing.{request.billing}", language),
        "sold": SOLD[request.site],
        "link": _link(request),
    }
    codes = ["step.stock", "step.quota", "step.page", "step.commands"]
    codes += ["step.pay"] if request.billing == "month" else []
    codes += ["step.erdma"] if with_erdma(request) else []
    codes += ["step.set"] if _takes_set(request) else []
    codes += ["step.grid" if row.vgpu else "step.driver"] if row.gpu_count else []
    return [said(code, language, **where) for code in codes]


def _takes_set(request: OrderRequest) -> bool:
    return 1 < request.machines <= MOST_IN_SET and request.row.family in order_rules()["low_latency_set"].families


def _cautions(request: OrderRequest, stock: Stock | None, language: Language) -> list[str]:
    row, disk = request.row, request.system_disk_gib
    holds = {
        "caution.disk_assumed": not request.disk_said,
        "caution.disk_raised": request.disk_said and not request.data_disk_gib and disk == LEAST_DISK_GIB,
        "caution.data_disk": bool(request.data_disk_gib),
        "caution.spot": request.billing == "spot",
        "caution.several": request.machines > 1,
        "caution.balance": request.billing == "payg" and request.site == "cn",
        "caution.uefi": row.family in order_rules()["uefi_image"].families,
        "caution.arm": row.cpu_arch == "arm64",
        "caution.roce": request.machines > 1 and row.rdma == "roce",
        "caution.no_rdma": request.machines > 1 and row.gpu_count > 0 and row.rdma == "none",
        "caution.not_priced_here": stock is None and not all_prices(row.instance_type, request.region),
        "caution.no_public_ip": True,
    }
    figures = {
        "disk": disk, "data": request.data_disk_gib, "machines": request.machines, "type": row.instance_type,
        "region": request.region,
    }  # fmt: skip
    told = stock_cautions(request, stock, language) if stock else ()
    return [*told, *(said(code, language, **figures) for code, true in holds.items() if true)]


def _sources(
    request: OrderRequest, price: Price | None, stock: Stock | None, *, orderable: bool, with_quota: bool
) -> list[str]:
    ids = [*request.row.source_ids, *([price.source_id] if price else []), *([stock.source_id] if stock else [])]
    if with_quota:
        ids += ["ali-ecs-limits-zh", "ali-quota-management-en"]
    if not orderable:
        return list(dict.fromkeys(ids))
    ids += ["ali-quick-buy-zh", "ali-run-instances-en", "ali-ecs-sdk-py", "tf-alicloud-instance"]
    ids += ["ali-buy-region-link"] if _link(request).startswith(BUY_MONTHS) else []
    ids += ["ali-egs-erdma-zh"] if with_erdma(request) else []
    ids += ["ali-deployment-set"] if _takes_set(request) else []
    ids += ["ali-egs-driver-zh"] if request.row.gpu_count and not request.row.vgpu else []
    return list(dict.fromkeys(ids))
