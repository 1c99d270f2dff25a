"""Composes what one training costs: hours and price first, then what they rest on."""

from __future__ import annotations

from assistant.cost_tools import Costs
from assistant.evidence import Evidence
from assistant.read.reading import Reading
from knowledge import facts
from tools.catalog import instance_words
from tools.phrases import read_phrases, say

from .draft import Draft, Voice, paragraphs


def compose_run(reading: Reading, evidence: Evidence) -> Draft | None:
    """The answer from `training_cost`. None when nothing was worked out."""
    voice = Voice("costs", reading.language)
    findings = [finding for finding in evidence.findings if finding.tool == "training_cost"]
    if not findings:
        return None
    finding = findings[0]
    if finding.error:
        return Draft(kind="price", text=voice("run_refused", reason=finding.error))
    costs = finding.read(Costs)
    if costs.run is None:
        return None
    first, *rest = [said for said in costs.sentences if said != _not_checked(reading)]
    marks = evidence.mark([row.source_id for row in costs.run.prices])
    basis = "\n".join([voice("run_basis"), *(f"- {said}" for said in rest)]) if rest else ""
    row = facts.instances()[costs.run.instance_type]
    pick = voice("run_pick", name=row.instance_type, cards=instance_words(row, voice.language))
    return Draft(kind="price", text=paragraphs(first.rstrip("。.") + marks + ("。" if voice.language == "zh" else "."), pick, basis))


def _not_checked(reading: Reading) -> str:
    """That memory was not worked out: it was, by the sum that chose the machine."""
    return say(read_phrases("tools", "phrases/costs.toml"), "train.fits_not_checked", reading.language)
