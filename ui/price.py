"""`xuanka price`: prices of a type, a family or a card, each with region, date and source; ways of paying side by side."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .costs import Ask, number, whole_number
from .options import Json, Lang, Region, default_region, money, token_count
from .speech import choose_language, say

if TYPE_CHECKING:
    from tools.describe import Described
    from tools.phrases import Language
    from tools.results import Price

    from .blocks import Block

Billing = Literal["payg", "month", "year", "spot"]


def price(
    name: Annotated[str, typer.Argument(help="Type, family, card, or a product such as FC, EAS, DSW, DLC, ECI.", metavar="TYPE|FAMILY|CARD|PRODUCT")],
    region: Region = None,
    billing: Annotated[Billing | None, typer.Option("--billing", help="Only this way of billing.")] = None,
    hours: Annotated[
        Decimal | None, typer.Option("--hours", parser=number, metavar="H", help="Hours of each month (with --months), else of the whole job.")
    ] = None,
    months: Annotated[int | None, typer.Option("--months", parser=whole_number, metavar="M", help="Months; without --hours the machines never stop.")] = None,
    machines: Annotated[int | None, typer.Option("--machines", parser=whole_number, metavar="N", help="Number of machines.")] = None,
    currency: Annotated[
        Literal["CNY", "USD"] | None, typer.Option("--currency", help="CNY of the China site or USD of the international one; never mixed.")
    ] = None,
    api_in: Annotated[
        Decimal | None, typer.Option("--api-in", parser=money, metavar="PRICE", help="What an API charges per million prompt tokens: rent or API?")
    ] = None,
    api_out: Annotated[
        Decimal | None, typer.Option("--api-out", parser=money, metavar="PRICE", help="Per million answer tokens; without it the price of --api-in.")
    ] = None,
    model: Annotated[str, typer.Option("--model", help="Model whose speed on the machine counts, with --api-in.")] = "",
    input_tokens: Annotated[int | None, typer.Option("--input-tokens", parser=token_count, metavar="N", help="Prompt of a request; 1,000 unless said.")] = None,
    output_tokens: Annotated[int | None, typer.Option("--output-tokens", parser=token_count, metavar="N", help="Answer of a request; 200 unless said.")] = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Show list prices of a type in all regions, of a family or card in the default region or the one given.

    With a time or a number of machines: every way of paying side by side. With an API's price: whether renting pays.
    """
    from tools.costs.products import product_named

    language = choose_language(lang, name if product_named(name) and not name.isascii() else "")
    place = default_region(region)
    if product_named(name):
        from .costs import show_product

        show_product(name, place, language, as_json=as_json)
        return
    described = priced(name, place, language, billing=billing, only_here=region is not None)
    ask = Ask(place, hours, months, machines, currency, api_in, api_out, model, input_tokens, output_tokens)
    if ask.asked:
        from .costs import show_costs

        show_costs(described, ask, billing, language, as_json=as_json)
        return
    if as_json:
        from .screen import show_json

        show_json(described)
        return
    from .screen import show

    show(price_blocks(described, place, language, only_here=region is not None))


def priced(
    name: str, place: str, language: Language, *, billing: Billing | None = None, only_here: bool = False
) -> Described:
    """The name with the prices asked for under each type. Raises UnknownInstance for a name outside the catalog."""
    from tools.prices import all_prices

    from .names import look_up

    described = look_up(name, region=place, language=language)
    types = []
    for row in described.types:
        prices = [item for item in all_prices(row.instance_type, place if only_here else None) if billing in (None, item.billing)]
        here_first = sorted(prices, key=lambda item: item.region != place)
        types.append(row.model_copy(update={"prices": here_first}))
    return described.model_copy(update={"types": types})


def price_blocks(described: Described, place: str, language: Language, *, only_here: bool) -> Iterator[Block]:
    """A table of prices, what must be said beside them, the types without any, the sources; of one type the ways of paying."""
    from tools.prices import price_notes

    from .blocks import Lines, Markdown, Table, Title
    from .costs import beside_blocks
    from .figures import source_lines

    check = described.check
    yield Markdown(check.fact_zh if language == "zh" else check.fact_en)
    rows, elsewhere = _shown(described, place)
    if rows:
        codes = ["type", "billing", "region", "amount", "as_of"]
        head = [say(f"col.{code}", language) for code in codes]
        yield Table(head, [_row(name, item, language) for name, item in rows], right=frozenset({3}))
        notes = dict.fromkeys(note for _, item in rows for note in price_notes(item, language))
        yield Lines([f"· {note}" for note in notes], dim=True)
    else:
        yield Markdown(say("price.none_there", language, region=place) if only_here else say("price.none", language))
    if elsewhere:
        regions = ", ".join(dict.fromkeys(item.region for item in elsewhere))
        yield Lines([say("price.elsewhere", language, count=len(elsewhere), regions=regions)], dim=True)
    missing = [row.no_price for row in described.types if row.no_price and not row.prices]
    if missing:
        yield Lines(missing[:12], dim=True)
    ids = [item.source_id for _, item in rows] or check.source_ids
    if check.kind == "instance":
        more, cited = beside_blocks(described.types[0].instance_type, place, language)
        yield from more
        ids = [*ids, *cited]
    yield Title(say("sources", language))
    yield Lines(source_lines(ids, language), dim=True)


def _shown(described: Described, place: str) -> tuple[list[tuple[str, Price]], list[Price]]:
    """Rows of the table and the prices left out: of many types those of other regions, if any are of this one."""
    rows = [(row.instance_type, item) for row in described.types for item in row.prices]
    here = [(name, item) for name, item in rows if item.region == place]
    if described.check.kind == "instance" or not here:
        return rows, []
    return here, [item for _, item in rows if item.region != place]


def _row(name: str, item: Price, language: Language) -> list[str]:
    from .figures import price_words

    return [name, say(f"billing.{item.billing}", language), item.region, price_words(item, language), item.as_of]
