"""`xuanka instances`: the catalog. `list` all, `show` one name, `find` by conditions, `order` one type."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .options import Json, Lang, Region, default_region, gigabytes, money
from .order import order
from .search import search
from .speech import choose_language, say

if TYPE_CHECKING:
    from assistant.found import FoundInstances
    from tools.phrases import Language

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
    bare_metal: Annotated[bool | None, typer.Option("--bare-metal/--no-bare-metal", help="Bare metal or virtual machines.")] = None,
    local_disk: Annotated[bool | None, typer.Option("--local-disk/--no-local-disk", help="With or without local disks.")] = None,
    max_price: Annotated[
        Decimal | None, typer.Option("--max-price", parser=money, metavar="CNY", help="At most this much per hour, pay as you go.")
    ] = None,
    max_monthly: Annotated[
        Decimal | None, typer.Option("--max-monthly", parser=money, metavar="CNY", help="At most this much per month, by subscription.")
    ] = None,
    status: Status = None,
    precision: Annotated[
        Literal["fp4", "fp8", "int8", "bf16"] | None, typer.Option("--precision", help="Precision the card computes in.")
    ] = None,
    family: Family = None,
    sold_here: Annotated[bool, typer.Option("--sold-here", help="Only types with a price or quote in the region.")] = False,
    sort: Annotated[
        Literal["price", "memory", "price-per-gb", "month"] | None, typer.Option("--sort", help="Default: price, or month with --max-monthly.")
    ] = None,
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
        "bare_metal": bare_metal,
        "local_disk": local_disk,
        "max_price": max_price,
        "max_monthly": max_monthly,
        "status": _status(status, language),
        "precision": precision,
        "sold_here": sold_here or None,
    }
    order = sort or ("price" if max_monthly is None else "month")
    found = search(conditions, default_region(region), language, card=gpu, sort=order)
    _show_found(found, region, language, as_json=as_json)


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
