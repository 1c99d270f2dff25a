"""Composes of which day the catalog and the prices are, and how to refresh them."""

from __future__ import annotations

from assistant.evidence import Evidence
from assistant.read.reading import Reading
from assistant.state_tool import CatalogState

from .draft import Draft, Voice, paragraphs


def compose_state(reading: Reading, evidence: Evidence) -> Draft | None:
    """The answer from `catalog_state`; how to refresh comes first where that is asked."""
    found = evidence.of_tool("catalog_state")
    if not found:
        return None
    voice, state = Voice("orders", reading.language), found[0].read(CatalogState)
    joint = "；" if reading.language == "zh" else "; "
    lines = joint.join(voice(f"state_{row.kind}", first=row.first, last=row.last, count=row.count) for row in state.dates)
    told = voice("state", sentence=state.in_use.sentence.rstrip("。. ") + ("。" if reading.language == "zh" else "."), mark=evidence.mark(state.in_use.source_ids))
    parts = [told, voice("state_dates", lines=lines), " ".join(state.in_use.left_out[:3])]
    refresh = voice("state_refresh")
    ordered = [refresh, *parts] if "refresh" in reading.asks and "state" not in reading.asks else [*parts, refresh]
    return Draft(kind="catalog", text=paragraphs(*ordered))
