"""Types, families and cards as blocks; shared by `instances` and `price`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.found import FoundInstances
from knowledge.errors import UnknownInstance
from knowledge.facts import catalog_day
from tools.catalog import NameCheck
from tools.describe import CardFacts, Described, TypeFacts, describe
from tools.phrases import Language
from tools.prices import price_notes

from .blocks import Block, Lines, Markdown, Table, Title
from .figures import price_amount, source_lines
from .speech import say


def look_up(name: str, *, region: str, language: Language) -> Described:
    """What is on record about a name. Raises UnknownInstance for one that the catalog does not hold."""
    described = describe(name, region=region, language=language, with_prices=True)
    if not described.check.known:
        raise unknown_name(described.check, language)
    return described


def unknown_name(check: NameCheck, language: Language) -> UnknownInstance:
    """The error for a name that the catalog does not hold: its fact, and the nearest real names."""
    fact = check.fact_zh if language == "zh" else check.fact_en
    near = say("catalog.near", language, names=", ".join(check.nearest)) if check.nearest else ""
    return UnknownInstance(fact + near, nearest=tuple(check.nearest))


def found_blocks(found: FoundInstances, region: str, language: Language) -> Iterator[Block]:
    """The types found, or why there are none and what comes nearest."""
    if found.none:
        yield Markdown(found.none)
        for code, priced in (("catalog.nearest", True), ("catalog.nearest_unpriced", False)):
            rows = [row for row in found.nearest if (row.price is not None) is priced]
            if rows:
                yield Title(say(code, language))
                yield types_table(rows, language)
    if found.types:
        yield types_table(found.types, language)
    if found.estimated:
        yield Title(say("catalog.estimated", language))
        yield types_table(found.estimated, language)
    if found.types or found.estimated:
        yield _note([*found.types, *found.estimated], region, language)
    notes = dict.fromkeys(note for row in [*found.types, *found.estimated] if row.monthly for note in price_notes(row.monthly, language))
    if notes:
        yield Lines([say("catalog.month_notes", language), *(f"· {note}" for note in notes)], dim=True)


def described_blocks(described: Described, region: str, language: Language) -> Iterator[Block]:
    """One name: the sentence of the catalog, its cards, its types, the sources."""
    check = described.check
    yield Markdown(check.fact_zh if language == "zh" else check.fact_en)
    yield from (Markdown(_card(card, language)) for card in described.cards)
    if described.family and described.family.best_for:
        yield Markdown(described.family.best_for)
    if described.types:
        yield types_table(described.types, language)
        if check.kind == "instance":
            yield Markdown(_links(described.types[0], language))
        yield _note(described.types, region, language)
    cards = [name for card in described.cards for name in card.source_ids]
    prices = [row.price.source_id for row in described.types if row.price]
    yield Title(say("sources", language))
    yield Lines(source_lines([*check.source_ids, *cards, *prices], language), dim=True)


def types_table(rows: Sequence[TypeFacts], language: Language) -> Table:
    """One line a type; retired and restricted ones say so. A column by the month where a type has such a price."""
    by_month = any(row.monthly for row in rows)
    codes = ["type", "cards", "memory", "vcpu", "ram", "price", *(["month"] if by_month else []), "status"]
    body = [
        [
            row.instance_type,
            row.cards,
            _figure(row.gpu_memory_gb_total),
            str(row.vcpu),
            _figure(row.memory_gib),
            price_amount(row.price, language),
            *([price_amount(row.monthly, language)] if by_month else []),
            say(f"status.{row.status}", language),
        ]
        for row in rows
    ]
    return Table([say(f"col.{code}", language) for code in codes], body, right=frozenset({2, 3, 4, 5, 6} if by_month else {2, 3, 4, 5}))


def _note(rows: Sequence[TypeFacts], region: str, language: Language) -> Block:
    note = say("catalog.note", language, count=len(rows), region=region, date=catalog_day(row.instance_type for row in rows))
    missing = [row.no_price for row in rows if row.no_price] if len(rows) == 1 else []
    return Lines([note, *missing], dim=True)


def _card(card: CardFacts, language: Language) -> str:
    return say(
        "card.line",
        language,
        label=card.label,
        architecture=card.architecture,
        capability=_figure(card.compute_capability),
        memory=_figure(card.memory_gb),
        usable=f"{card.usable_gib:.1f}",
        estimated=say("card.estimated", language) if card.usable_is_estimated else "",
        bandwidth=_figure(card.memory_bandwidth_gb_s),
        bf16=_flag(card.bf16, language),
        fp8=_flag(card.fp8, language),
        nvlink=f"{card.nvlink_gb_s:g} GB/s" if card.nvlink_gb_s else say("no", language),
        families=", ".join(card.families) or "–",
    )


def _links(row: TypeFacts, language: Language) -> str:
    rdma = row.rdma if row.rdma != "none" else say("no", language)
    nvlink = say("yes" if row.nvlink else "no", language)
    return say("type.line", language, network=_figure(row.network_gbps), rdma=rdma, nvlink=nvlink)


def _flag(value: bool | None, language: Language) -> str:
    return "?" if value is None else say("yes" if value else "no", language)


def _figure(value: float | None) -> str:
    return "?" if value is None else f"{value:g}"
