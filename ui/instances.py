"""`xuanka instances`: the catalog. `list` all, `show` one name, `find` by conditions, `order` one type."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .options import Json, Lang, Region, default_region, gigabytes, money
from .order import order
from .speech import choose_language, say

if TYPE_CHECKING:
    from assistant.found import FoundInstances
    from tools.finder import InstanceListing
    from tools.phrases import Language

NEAREST = 3
"""Types shown when none meets the conditions."""

app = typer.Typer(no_args_is_help=True, help="The catalog of instance types.")
app.command("order")(order)

Gpu = Annotated[str | None, typer.Option("--gpu", help="Card, e.g. A10, A100, H20.")]
Family = Annotated[str | None, typer.Option("--family", help="Family, e.g. gn7e.")]
Status = Annotated[
    str | None, typer.Option("--status", help="on_sale, contact_sales, invite_only, overseas_only, phased_out or name_only.")
]


@app.command("list")
def list_all(
    gpu: Gpu = None,
    family: Family = None,
    status: Status = None,
    everything: Annotated[bool, typer.Option("--all", help="Also retired types, vGPU slices, types without a GPU.")] = False,
    region: Region = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """List GPU types, cheapest priced first."""
    language = choose_language(lang)
    vgpu = None if everything or family else False
    conditions = {**_named(gpu, family, language), "status": _status(status, language), "vgpu": vgpu}
    found = search(conditions, default_region(region), language, everything=everything, card=gpu)
    _show_found(found, region, language, as_json=as_json)


@app.command("find")
def find(
    gpu: Gpu = None,
    card_memory: Annotated[
        float | None, typer.Option("--card-memory", parser=gigabytes, metavar="GB", help="At least this much memory per card.")
    ] = None,
    memory: Annotated[
        float | None, typer.Option("--memory", parser=gigabytes, metavar="GB", help="At least this much GPU memory in all.")
    ] = None,
    count: Annotated[int | None, typer.Option("--count", min=0, help="Number of cards, exactly.")] = None,
    vcpu: Annotated[int | None, typer.Option("--vcpu", min=1, help="At least this many vCPU.")] = None,
    ram: Annotated[
        float | None, typer.Option("--ram", parser=gigabytes, metavar="GIB", help="At least this much host memory.")
    ] = None,
    rdma: Annotated[bool | None, typer.Option("--rdma/--no-rdma", help="With or without RDMA.")] = None,
    nvlink: Annotated[bool | None, typer.Option("--nvlink/--no-nvlink", help="With or without NVLink.")] = None,
    vgpu: Annotated[bool, typer.Option("--vgpu", help="vGPU slices instead of whole cards.")] = False,
    max_price: Annotated[
        Decimal | None, typer.Option("--max-price", parser=money, metavar="CNY", help="At most this much per hour, pay as you go.")
    ] = None,
    status: Status = None,
    precision: Annotated[Literal["fp8", "bf16"] | None, typer.Option("--precision", help="Precision the card computes in.")] = None,
    family: Family = None,
    region: Region = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Find GPU types that meet all conditions; says which condition to give up when none does."""
    language = choose_language(lang)
    conditions = {
        **_named(gpu, family, language),
        "min_card_memory_gb": card_memory,
        "min_gpu_memory_gb": memory,
        "gpu_count": count,
        "min_vcpu": vcpu,
        "min_memory_gib": ram,
        "rdma": rdma,
        "nvlink": nvlink,
        "vgpu": None if family and not vgpu else vgpu,
        "max_price": max_price,
        "status": _status(status, language),
        "precision": precision,
    }
    _show_found(search(conditions, default_region(region), language, card=gpu), region, language, as_json=as_json)


@app.command("show")
def show_one(
    name: Annotated[str, typer.Argument(help="Type, family or card.", metavar="TYPE|FAMILY|CARD")],
    region: Region = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Show what the catalog knows of a type, a family or a card."""
    from .names import described_blocks, look_up

    language = choose_language(lang)
    place = default_region(region)
    described = look_up(name, region=place, language=language)
    if as_json:
        from .screen import show_json

        show_json(described)
        return
    from .screen import show

    show(described_blocks(described, place, language))


def search(
    conditions: dict[str, Any], region: str, language: Language, *, everything: bool = False, card: str | None = None
) -> FoundInstances:
    """Types that meet the conditions; where none does, the reason and the nearest types, those with a price first.

    `card` is the card of the conditions as typed.
    """
    from assistant.found import FoundInstances
    from tools.describe import listing_facts
    from tools.finder import explain_none, find_instances

    rows = find_instances(region=region, include_unavailable=everything, **conditions)
    wanted = [row for row in rows if row.gpu or everything or conditions.get("family")]
    reason, nearest = "", []
    if rows and not wanted:
        reason = say("catalog.only_cpu", language, count=len(rows))
    elif not rows and card and (reason := _not_carried(conditions["gpu_id"], card, language)):
        nearest = _as_large(conditions, region)
    elif not rows and (none := explain_none(region=region, include_unavailable=everything, **conditions)):
        reason = none.say(language)
        others = [name for name, count in none.matches_without.items() if count and name != none.culprit]
        nearest = [*none.nearest, *(row for name in others for row in find_instances(region=region, **{**conditions, name: None}))]
    return FoundInstances(
        types=[listing_facts(row, language=language) for row in wanted],
        none=reason,
        nearest=[listing_facts(row, language=language) for row in _priced_first(nearest)],
    )


def _not_carried(gpu_ids: set[str], card: str, language: Language) -> str:
    """What the catalog says of a card that no type on offer carries; empty for others."""
    from tools.catalog import exists
    from tools.finder import find_instances

    if find_instances(gpu_id=gpu_ids):
        return ""
    check = exists(card)
    retired = find_instances(gpu_id=gpu_ids, include_unavailable=True)
    hint = say("catalog.retired", language, count=len(retired)) if retired else ""
    return (check.fact_zh if language == "zh" else check.fact_en) + hint


def _as_large(conditions: dict[str, Any], region: str) -> list[InstanceListing]:
    """Whole cards with at least as much memory as the card asked for, under its other conditions or without them."""
    from knowledge.facts import gpus
    from tools.finder import find_instances

    memory = min(gpus()[name].memory_gb for name in conditions["gpu_id"])
    least = max(memory, conditions.get("min_card_memory_gb") or 0)
    others = {**conditions, "gpu_id": None, "status": None, "min_card_memory_gb": least}
    return find_instances(region=region, **others) or find_instances(region=region, min_card_memory_gb=memory, vgpu=False)


def _priced_first(rows: list[InstanceListing]) -> list[InstanceListing]:
    """Three at most, each once; those without a price only after all that have one."""
    once = list({row.instance.instance_type: row for row in rows}.values())
    return sorted(once, key=lambda row: row.price is None)[:NEAREST]


def _named(gpu: str | None, family: str | None, language: Language) -> dict[str, Any]:
    """Conditions for the card and family named. Raises UnknownInstance when the catalog does not know them."""
    from knowledge.errors import UnknownInstance
    from tools.catalog import exists, resolve_card
    from tools.names import show_family

    conditions: dict[str, Any] = {}
    if family is not None:
        conditions["family"] = show_family(family, language=language).family.family
    if gpu is not None:
        cards = resolve_card(gpu)
        if not cards:
            check = exists(gpu)
            fact = check.fact_zh if language == "zh" else check.fact_en
            sentence = fact if check.kind == "card" else say("catalog.unknown_card", language, name=gpu[:40])
            raise UnknownInstance(sentence, nearest=tuple(check.nearest))
        conditions["gpu_id"] = {card.gpu_id for card in cards}
    return conditions


def _status(name: str | None, language: Language) -> str | None:
    from knowledge.errors import InputError
    from tools.describe import SOLD_FIRST

    if name is None or name in SOLD_FIRST:
        return name
    raise InputError(say("catalog.unknown_status", language, name=name[:40], names=", ".join(SOLD_FIRST)))


def _show_found(found: FoundInstances, region: str | None, language: Language, *, as_json: bool) -> None:
    if as_json:
        from .screen import show_json

        show_json(found)
        return
    from .names import found_blocks
    from .screen import show

    show(found_blocks(found, default_region(region), language))
