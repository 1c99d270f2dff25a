"""The one instance type that stands for a name: a type itself, or of a family or card the cheapest that can be had."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.errors import UnknownInstance
from tools.catalog import exists, resolve_card, types_of
from tools.conditions import InstanceListing
from tools.finder import find_instances
from tools.names import show_instance
from tools.phrases import Language
from tools.results import Result

STATUS = ("on_sale", "contact_sales", "invite_only", "overseas_only", "phased_out", "name_only")


class TypeChoice(Result):
    """Which type stands for what was typed. `chosen_of`: the family or card that it was chosen of, empty for a type."""

    instance_type: str
    chosen_of: str = ""
    count: int = 1




def choose_type(name: str, *, region: str, gpu_count: int | None = None, language: Language) -> TypeChoice:
    """The type called `name`; of a family or card the cheapest one on sale with a price in the region, at the count of cards
    asked for; where no machine has so many, the largest of which several make that count; without a count the fewest cards.

    Raises UnknownInstance for a name that is none of these.
    """
    check = exists(name)
    if not check.known or check.kind not in ("family", "card"):
        return TypeChoice(instance_type=show_instance(name, language=language).instance_type)
    rows = _of_family(check.name, region) if check.kind == "family" else _of_card(name, region)
    counted = [row for row in rows if gpu_count in (None, row.instance.gpu_count)]
    parts = [row for row in rows if gpu_count and row.instance.gpu_count and gpu_count % row.instance.gpu_count == 0]
    if not rows:
        raise UnknownInstance(check.fact_zh if language == "zh" else check.fact_en, nearest=tuple(check.nearest))
    best = min(counted, key=_order) if counted else min(parts or rows, key=lambda row: (_order(row)[:2], -row.instance.gpu_count, _order(row)))
    machines = 1 if counted else max(1, (gpu_count or 1) // max(1, best.instance.gpu_count))
    return TypeChoice(instance_type=best.instance.instance_type, chosen_of=check.name if check.kind == "family" else _card_name(name), count=machines)


def _of_family(family: str, region: str) -> Sequence[InstanceListing]:
    types = {row.instance_type for row in types_of(family)}
    return [row for row in find_instances(region=region, include_unavailable=True, family=family) if row.instance.instance_type in types]


def _of_card(name: str, region: str) -> Sequence[InstanceListing]:
    ids = [gpu.gpu_id for gpu in resolve_card(name)]
    return find_instances(region=region, include_unavailable=True, gpu_id=ids, vgpu=False) if ids else []


def _order(row: InstanceListing) -> tuple[int, bool, int, float, int]:
    """On sale first, then priced in the region, then few cards, then cheap."""
    price = float(row.price.amount) if row.price else 0.0
    return (STATUS.index(row.instance.status), row.price is None, row.instance.gpu_count, price, row.instance.vcpu)


def _card_name(name: str) -> str:
    """A card's id, else the name as such things are written: A100."""
    ids = [gpu.gpu_id for gpu in resolve_card(name)]
    return ids[0] if len(ids) == 1 else name.upper()
