"""One step of a refresh: the call it stands for, and the rows that come back."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from .journal import Rows
from .request import OTHERS, RefreshRequest, Step, Unit

if TYPE_CHECKING:
    from knowledge.aliyun.cloud import Cloud

SPOT_SPAN = timedelta(days=3)
"""How far back spot quotes are asked for. The interface answers with changes of price: a zone whose price stands still for
longer has no row."""


def ask(cloud: Cloud, step: Step, request: RefreshRequest, *, now: datetime) -> Rows:
    """Rows of the step's table; empty for what is not sold there. Raises CloudError."""
    return tuple(_answer(cloud, step, request, now))


def _answer(cloud: Cloud, step: Step, request: RefreshRequest, now: datetime) -> Any:
    families = request.families
    match step.kind:
        case "types":
            return cloud.list_types(step.region, () if step.name == OTHERS else families)
        case "stock":
            return cloud.offered(step.region, families=families, charge=step.way)
        case "bulk":
            return cloud.bulk_prices(step.region)
        case "price":
            row = cloud.prices(step.region, step.name, cast(Unit, step.way))
            return () if row is None else (row,)
        case "advice":
            return cloud.spot_advice(step.region, families)
        case "spot":
            return cloud.spot_history(step.region, step.name, now - SPOT_SPAN)
        case "plans":
            return cloud.plan_rates(step.region, families)
