"""`xuanka instances order`: from a type to an order: purchase page, command, Terraform snippet, quota, and what to do instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .options import Json, Lang, Region, default_region, gigabytes
from .speech import choose_language, say

if TYPE_CHECKING:
    from tools.order.results import Order
    from tools.phrases import Language

    from .blocks import Block

Billing = Literal["payg", "month", "spot"]
Form = Literal["all", "cli", "terraform", "link"]


def order(
    name: Annotated[str, typer.Argument(help="Instance type, e.g. ecs.gn7i-c8g1.2xlarge.", metavar="TYPE")],
    machines: Annotated[int, typer.Option("--machines", "-n", help="How many machines.")] = 1,
    billing: Annotated[Billing | None, typer.Option("--billing", help="Way of billing; --months alone means month.")] = None,
    months: Annotated[int | None, typer.Option("--months", help="Months of a subscription.")] = None,
    disk: Annotated[float | None, typer.Option("--disk", parser=gigabytes, metavar="GIB", help="Disk to hold weights and data.")] = None,
    zone: Annotated[str | None, typer.Option("--zone", help="Zone id, e.g. cn-hangzhou-i; default: the cloud chooses.")] = None,
    site: Annotated[Literal["cn", "intl"] | None, typer.Option("--site", help="aliyun.com (cn) or alibabacloud.com (intl).")] = None,
    form: Annotated[Form, typer.Option("--format", help="Only the command, the Terraform snippet or the link, bare.")] = "all",
    region: Region = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Show how to order a type: page, command, Terraform, quota. Nothing is ordered by this."""
    from tools.order.make import make_order

    language = choose_language(lang)
    if months is not None and billing not in (None, "month"):
        from knowledge.errors import InputError

        raise InputError(say("order.months_alone", language, billing=billing))
    made = make_order(
        name,
        region=default_region(region),
        machines=machines,
        billing=billing or ("payg" if months is None else "month"),
        months=1 if months is None else months,
        disk_gib=None if disk is None else math.ceil(disk),
        zone=zone,
        site=site,
        language=language,
    )
    if as_json:
        from .screen import show_json

        show_json(made)
    elif form == "all":
        from .screen import show

        show(order_blocks(made, language))
    else:
        print(_bare(made, form))


def _bare(made: Order, form: Form) -> str:
    """One form of the order and nothing else. Raises InputError, saying what to do instead, for a type that has none."""
    text = {"cli": made.cli, "terraform": made.terraform, "link": made.link if made.cli else None}[form]
    if text is None:
        from knowledge.errors import InputError

        raise InputError(made.how_to_get)
    return text.rstrip("\n")


def order_blocks(made: Order, language: Language) -> Iterator[Block]:
    """The order from what it costs to its sources."""
    from .blocks import Lines, Markdown, Title
    from .figures import source_lines

    yield Markdown(_head(made, language))
    if made.how_to_get:
        yield Markdown(made.how_to_get)
    if made.steps:
        yield Markdown("\n".join(f"{number}. {step}" for number, step in enumerate(made.steps, 1)))
    if made.quota:
        yield Markdown(f"{made.quota.text} {made.quota.link}")
    for code, text in (("order.cli", made.cli), ("order.terraform", made.terraform)):
        if text:
            yield Title(say(code, language))
            yield Lines(text.splitlines())
    if made.cautions:
        yield Markdown("\n".join(f"- {caution}" for caution in made.cautions))
    yield Title(say("sources", language))
    yield Lines(source_lines(made.source_ids, language), dim=True)


def _head(made: Order, language: Language) -> str:
    """Type, number, place, way of billing and the list price of all machines."""
    from .figures import money, price_words

    billing = say(f"billing.{made.billing}", language)
    head = say("order.head", language, machines=made.machines, type=made.instance_type, region=made.region, billing=billing)
    if made.price is None:
        return head
    total = ""
    if made.total is not None and made.machines > 1:
        unit = f"{say(f'currency.{made.price.currency}', language)}/{say(f'per.{made.price.per}', language)}"
        total = say("order.total", language, total=money(made.total), unit=unit)
    return head + say("order.price", language, price=price_words(made.price, language), date=made.price.as_of, total=total)
