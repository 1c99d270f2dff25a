"""Blocks that show costs: ways of paying side by side, a line for each type of a family, and renting against an API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tools.costs.figures import place, price_span, span, unit
from tools.costs.results import CostComparison, CostRow, RentOrApi
from tools.costs.sentences import cost_sentences
from tools.costs.time import Usage
from tools.describe import Described
from tools.phrases import Language

from .blocks import Block, Lines, Markdown, Table, Title
from .figures import source_lines
from .speech import say

FORMS = ("payg", "month", "year", "spot")


def cost_blocks(
    described: Described, costs: Sequence[CostComparison], rent: RentOrApi | None, currency: str | None, language: Language
) -> Iterator[Block]:
    """The name; the rent against the API; the ways of paying of one type, or a line for each type; sources."""
    yield Markdown(described.check.fact_zh if language == "zh" else described.check.fact_en)
    ids = [name for item in costs for name in item.source_ids]
    if rent is not None:
        yield from rent_blocks(rent, language)
        ids = [*rent.source_ids, *ids]
    if described.check.kind == "instance":
        yield from comparison_blocks(costs[0], language)
    elif costs:
        yield Lines([_use_line(costs[0], language)])
        yield _types_table(costs, language)
        yield Lines(_dates(costs, language), dim=True)
        missing = dict.fromkeys(item.notes[0] for item in costs if item.notes and (not _known(item) or currency not in (None, item.currency)))
        yield Lines([f"· {note}" for note in [*missing][:12]], dim=True)
        ids = [row.source_id for item in costs for row in item.rows if row.total is not None or row.amount is not None]
    else:
        yield Markdown(say("price.none", language))
    yield Title(say("sources", language))
    yield Lines(source_lines(ids or described.check.source_ids, language), dim=True)


def comparison_blocks(item: CostComparison, language: Language) -> Iterator[Block]:
    """The cheapest way, the table, what must be said beside its rows, and what is billed while idle."""
    if item.cheapest:
        yield Markdown(item.cheapest)
    timed = item.hours is not None or item.months is not None
    for title, rows in (("", item.rows), ("price.others", item.elsewhere)):
        if not rows:
            continue
        if title:
            yield Title(say(title, language))
        codes = ["billing", "region", "amount", *(["total"] if timed else []), "as_of"]
        cells = [_cells(row, language, timed=timed) for row in rows]
        yield Table([say(f"col.{code}", language) for code in codes], cells, right=frozenset({2, 3} if timed else {2}))
        yield Lines([row_note(row, language) for row in rows if row.note], dim=True)
    yield Lines([f"· {note}" for note in item.notes], dim=True)
    yield Title(say("price.idle", language))
    yield Lines([f"· {line}" for line in item.idle])


def rent_blocks(rent: RentOrApi, language: Language) -> Iterator[Block]:
    """The verdict, each way of renting, and what it rests on."""
    verdict, *others = cost_sentences(rent, language)
    ways, notes = others[: len(rent.rents)], others[len(rent.rents) :]
    yield Markdown("\n\n".join([verdict, "\n".join(f"- {line}" for line in ways)]) if ways else verdict)
    yield Lines([f"· {note}" for note in notes], dim=True)


def _known(item: CostComparison) -> bool:
    return any(row.amount is not None for row in item.rows)


def _cells(row: CostRow, language: Language, *, timed: bool) -> list[str]:
    """Way, region, price, total, date."""
    total = [span(row.total, row.total_high) if row.total is not None else "–"] if timed else []
    return [say(f"billing.{row.way}", language), row.region, _price(row, language), *total, row.as_of or "–"]


def _price(row: CostRow, language: Language) -> str:
    """The price with its unit, or the official ceiling as what it is."""
    if row.amount is None:
        return say("price.ceiling", language, pct=row.ceiling_pct) if row.ceiling_pct else "–"
    unit = f"{say(f'currency.{row.currency}', language)}/{say(f'per.{row.per}', language)}"
    return f"{price_span(row.amount, row.amount_high)} {unit}"


def row_note(row: CostRow, language: Language) -> str:
    colon = "：" if language == "zh" else ": "
    return f"· {say(f'billing.{row.way}', language)} {row.region}{colon}{row.note}"


def _types_table(costs: Sequence[CostComparison], language: Language) -> Block:
    """A line for each type: its total (or price) by each way, and the cheapest."""
    known = [item for item in costs if _known(item)]
    head = [say("col.type", language), *(say(f"billing.{way}", language) for way in FORMS), say("price.cheapest", language)]
    lines = []
    for item in known or costs:
        cells = [_way_cell(item, way, language) for way in FORMS]
        lines.append([item.instance_type, *cells, say(f"billing.{item.cheapest_way}", language) if item.cheapest_way else "–"])
    return Table(head, lines, right=frozenset(range(1, 1 + len(FORMS))))


def _use_line(item: CostComparison, language: Language) -> str:
    """What the figures of a table are of: the use, the region, the currency."""
    use = Usage(item.machines, item.hours, item.months)
    words = use.words(language) if use.known else say("price.one", language)
    return say("price.use", language, use=words, region=place(item.region, language), unit=unit(item.currency, language))


def _dates(costs: Sequence[CostComparison], language: Language) -> list[str]:
    """The dates of the prices in a table, one line a way."""
    lines, colon = [], "：" if language == "zh" else ": "
    for way in FORMS:
        dates = sorted({row.as_of for item in costs for row in item.rows if row.way == way and row.amount is not None})
        if dates:
            lines.append(f"· {say(f'billing.{way}', language)}{colon}{', '.join(dates)}")
    return lines


def _way_cell(item: CostComparison, way: str, language: Language) -> str:
    row = next((row for row in item.rows if row.way == way and row.amount is not None), None)
    if row is None:
        return "–"
    return span(row.total, row.total_high) if row.total is not None else _price(row, language)
