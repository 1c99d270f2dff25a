"""Digests of look-ups: names, prices, searches, where something is sold, of which day the catalog is."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.compose import words as figures
from assistant.compose.catalog import compose_catalog, type_table
from assistant.compose.draft import Draft, Voice
from assistant.compose.price import compose_price, price_line
from assistant.compose.sold import compose_sold
from assistant.compose.state import compose_state
from assistant.evidence import Evidence, Finding
from assistant.found import FoundInstances
from assistant.read.reading import Reading
from tools.describe import Described, TypeFacts
from tools.prices import HOURS_PER_MONTH

from .digest import Section, words

MOST_TYPES = 6
MOST_PRICES = 8
"""Prices of one type."""


def names(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `look_up_names`."""
    draft = compose_catalog(reading, one)
    items = finding.read_all(Described)
    return _section(draft, [line for item in items for line in _facts(item, one, reading)])


def prices(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `get_prices`: what the question asks of them, then all that is on record."""
    draft = compose_price(reading, one)
    told = draft.text if draft else ""
    rows = [row for item in finding.read_all(Described) for row in item.types if row.prices]
    wanted = sorted(rows, key=lambda row: reading.gpus not in (None, row.gpu_count))[:MOST_TYPES]
    return _section(draft, [part for row in wanted if (part := _record(row, told, one, reading))])


def found(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `find_instances`."""
    result, asked = finding.read(FoundInstances), {"max_monthly", "max_hourly"} & set(finding.args)
    draft = compose_price(reading, one) if reading.budget and asked else compose_catalog(reading, one)
    voice = Voice("catalog", reading.language)
    more = [f"{words(reading.language)('estimated')}\n\n{type_table(voice, one, result.estimated[:MOST_TYPES])}"] if result.estimated else []
    section = _section(draft, more)
    return Section(section.main, section.more, [*section.derived, float(HOURS_PER_MONTH)])


def sold(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `where_sold`."""
    return _section(compose_sold(reading, one))


def state(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `catalog_state`."""
    return _section(compose_state(reading, one))


def _section(draft: Draft | None, more: list[str] | None = None) -> Section:
    return Section(draft.text if draft else "", more or [], draft.derived if draft else ())


def _record(row: TypeFacts, told: str, one: Evidence, reading: Reading) -> str:
    """The prices of one type that are not told yet: those of the region asked first."""
    voice = Voice("price", reading.language)
    home = {*reading.regions, *([row.price.region] if row.price else [])}
    ordered = sorted(row.prices, key=lambda price: (price.region not in home, price.billing == "spot"))
    lines = [line for price in ordered if (line := price_line(voice, one, price)) not in told][:MOST_PRICES]
    head = words(reading.language)("also_priced", instance=row.instance_type, cards=row.cards)
    return "\n".join([head, *lines]) if lines else ""


def _facts(item: Described, one: Evidence, reading: Reading) -> Iterator[str]:
    """Network and links of a type that is named."""
    if item.check.kind == "instance" and item.check.known:
        row, voice = item.types[0], words(reading.language)
        gbps = figures.plain(row.network_gbps) if row.network_gbps else "?"
        rdma = figures.plain(row.rdma_gbps) + " Gbps" if row.rdma_gbps else row.rdma or "?"
        yield voice("network", instance=row.instance_type, network=gbps, rdma=rdma, nvlink=figures.yes_no(row.nvlink, reading.language), mark=one.mark(row.source_ids))

