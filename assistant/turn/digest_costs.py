"""Digests of costs and orders."""

from __future__ import annotations

from assistant.compose.api import compose_api
from assistant.compose.costs import chosen_words, compose_costs, unit
from assistant.compose.draft import Draft, Voice, paragraphs
from assistant.compose.order import compose_order
from assistant.compose.run import compose_run
from assistant.cost_tools import Costs
from assistant.evidence import Evidence, Finding
from assistant.read.reading import Reading
from tools.phrases import Language

from .digest import Section


def ways(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `compare_costs`."""
    return _section(compose_costs(reading, one))


def api(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `rent_or_api`: by the volume and prices of the question, where it tells them, else by the finding's own sentences."""
    if reading.api is not None:
        return _section(compose_api(reading, one))
    return Section(_sentences(finding.read(Costs), one, reading.language))


def run(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `training_cost`."""
    return _section(compose_run(reading, one))


def order(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `order_instance`."""
    return _section(compose_order(reading, one))


def _section(draft: Draft | None) -> Section:
    return Section(draft.text, derived=draft.derived) if draft else Section("")


def _sentences(costs: Costs, one: Evidence, language: Language) -> str:
    voice, found = Voice("costs", language), costs.api
    if found is None:
        return "\n".join(costs.sentences)
    marks = one.mark([row.source_id for row in found.rents])
    prices = f"API: {found.api.input}/{found.api.output} {unit(found.api.currency, voice)}"
    return paragraphs(chosen_words(voice, costs, machines=found.machines, picked=False), prices, "\n".join(f"- {said}" for said in costs.sentences) + marks)
