"""`xuanka price`: list prices of a type, a family or a card, each with region, date and source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .options import Json, Lang, Region, default_region
from .speech import choose_language, say

if TYPE_CHECKING:
    from tools.describe import Described
    from tools.phrases import Language
    from tools.results import Price

    from .blocks import Block

Billing = Literal["payg", "month", "year", "spot"]


def price(
    name: Annotated[str, typer.Argument(help="Type, family or card.", metavar="TYPE|FAMILY|CARD")],
    region: Region = None,
    billing: Annotated[Billing | None, typer.Option("--billing", help="Only this way of billing.")] = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Show list prices of a type in all regions, of a family or card in the default region or the one given."""
    language = choose_language(lang)
    place = default_region(region)
    described = priced(name, place, language, billing=billing, only_here=region is not None)
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
    """A table of prices, what must be said beside them, the types without any, the sources."""
    from tools.prices import price_notes

    from .blocks import Lines, Markdown, Table, Title
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
