"""A budget by the month that nothing keeps in the region of the settings, and what another region with subscriptions offers for it."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.evidence import Evidence, Finding
from assistant.read.reading import Reading
from tools.budget import month_cost
from tools.demand import Wish
from tools.jobs.results import JobSizing
from tools.results import Recommendation
from tools.sizing_results import LlmSizing

from . import words
from .draft import Draft, Voice, paragraphs


def split_elsewhere(findings: Sequence[Finding]) -> tuple[list[Finding], Finding | None]:
    """The sums of the region asked for, and the same sum of another region where there is one."""
    if len(findings) == 2 and "max_monthly" in findings[0].args:
        first, then = ({key: value for key, value in finding.args.items() if key != "region"} for finding in findings)
        if first == then and findings[0].args.get("region") != findings[1].args.get("region"):
            return [findings[0]], findings[1]
    return list(findings), None


def with_elsewhere(draft: Draft | None, reading: Reading, evidence: Evidence, finding: Finding | None) -> Draft | None:
    """The answer with one sentence on the other region, after its first paragraph."""
    if draft is None or finding is None:
        return draft
    said, derived = _sentence(reading, evidence, finding)
    first, _, rest = draft.text.partition("\n\n")
    return draft.model_copy(update={"text": paragraphs(first, said, rest), "derived": [*draft.derived, *derived]}) if said else draft


def _sentence(reading: Reading, evidence: Evidence, finding: Finding) -> tuple[str, list[float]]:
    picks = _picks(finding)
    region, budget = str(finding.args.get("region")), float(finding.args["max_monthly"])
    voice = Voice("sizing", reading.language)
    shared = {"region": words.region(region, reading.language), "monthly": words.plain(budget)}
    month = month_cost(picks[0].instance_type, Wish(region=region), machines=picks[0].instances) if picks else None
    if month is None or month.estimated or float(month.amount) > budget:
        return voice("elsewhere_none", **shared), [budget]
    row = picks[0]
    cost = words.price(month.price.model_copy(update={"amount": month.amount}), reading.language)
    said = voice(
        "elsewhere_month", instance=row.instance_type, machines=row.instances, cost=cost, date=month.price.as_of,
        mark=evidence.mark([month.price.source_id]), status="" if row.status == "on_sale" else voice("elsewhere_status", status=voice(f"status_{row.status}")), **shared,
    )  # fmt: skip
    return said, [budget, float(month.amount), float(row.instances)]


def _picks(finding: Finding) -> list[Recommendation]:
    advice = finding.read(LlmSizing).advice if finding.tool == "size_llm" else finding.read(JobSizing).advice
    return [*(advice.recommendations or advice.multi)]
