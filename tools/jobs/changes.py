"""What each single change of a job saves, and the cheaper machine that it allows."""

from __future__ import annotations

from decimal import Decimal

from tools.budget import keeps_budget
from tools.demand import Advice, Wish
from tools.offers import Offer
from tools.places import Place
from tools.priced import cheapest_priced
from tools.prices import HOURS_PER_MONTH
from tools.variants import WORTH_SAVING, best_hourly

from .ask import ChangedDemand, JobAsk
from .places import fit_on
from .results import JobChange


def find_changes(ask: JobAsk, shown: Place, best_gib: float, advice: Advice) -> list[JobChange]:
    """The changes that save memory on the shown machine, in the order given; a machine only where it costs less."""
    before = best_hourly(advice)
    found = [_change(change, shown, best_gib, before, ask.wish) for change in ask.changes]
    return [change for change in found if change.instance_type or (change.saves_gib or 0) > 0]


def _change(change: ChangedDemand, shown: Place, best_gib: float, before: Decimal | None, wish: Wish) -> JobChange:
    fit = fit_on(change.demand, shown, wish.utilization)
    needed = fit.required_gib if fit.code is None else None
    offer = cheapest_priced(change.demand, wish)
    price = offer.hourly_cost("CNY") if offer else None
    cheaper = price is not None and (before is None or price <= WORTH_SAVING * before)
    saved = None if needed is None else best_gib - needed
    found = JobChange(code=change.code, what=change.what, per_gpu_gib=needed, saves_gib=saved)
    if offer is None or price is None or not cheaper:
        return found
    return found.model_copy(update=_machine(offer, price, before, wish))


def _machine(offer: Offer, price: Decimal, before: Decimal | None, wish: Wish) -> dict[str, object]:
    saving = None if before is None else before - price
    return {
        "instance_type": offer.instance.instance_type,
        "gpu_id": offer.instance.gpu_id,
        "gpu_count": offer.instance.gpu_count,
        "hourly": price,
        "saves_per_hour": saving,
        "saves_per_month": None if saving is None else saving * HOURS_PER_MONTH,
        "within_budget": keeps_budget(wish, offer.instance.instance_type),
    }
