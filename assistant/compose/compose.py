"""Chooses the composer for what was asked and what was found; puts corrections of wrong premises first."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from importlib import import_module

from assistant.evidence import Evidence, Finding
from assistant.filters import intents_of
from assistant.plan import COMPUTED_JOBS, asks_back
from assistant.plan_jobs import names_subject
from assistant.plan_more import JOBS
from assistant.read.reading import COSTS, Reading

from .article import compose_article
from .catalog import compose_catalog
from .claims import compose_claims, corrections
from .comparison import compose_comparison
from .cpu import compose_cpu
from .draft import Draft, Voice, paragraphs
from .elsewhere import split_elsewhere, with_elsewhere
from .fixed import ASKED_BY, compose_fixed, compose_unsized
from .guidance import compose_guidance, telling_point, with_documents
from .job import compose_jobs
from .options import compose_options
from .price import compose_price
from .sizing import compose_sizing
from .speed import compose_speed

MOST_PARTS = 3
"""Answers that one message with several questions gets."""
SPOKEN_FOR = ("claim_check", "comparison", "catalog")
"""Kinds whose text already says what is wrong."""


def compose(reading: Reading, evidence: Evidence) -> Draft:
    """The answer to one question from its evidence. Never fails: what cannot be answered is asked back or declined."""
    draft = with_documents(_main_part(reading, evidence), reading, evidence)
    if draft.kind in SPOKEN_FOR:
        return draft
    wrong = corrections(reading, evidence)
    return draft.model_copy(update={"text": paragraphs(wrong, draft.text)}) if wrong else draft


def _main_part(reading: Reading, evidence: Evidence) -> Draft:
    if reading.pasted:
        return compose_article(reading, evidence)
    if reading.absurd or (reading.closed_models and not reading.models):
        return compose_fixed(reading, evidence)
    drafts = [draft for intent in intents_of(reading) if (draft := _by_intent(intent, reading, evidence))]
    if not drafts:
        found = _of_jobs(evidence)
        if not found and {"order", "command", "terraform"} & {*reading.asks}:
            return Draft(kind="clarify", text=Voice("orders", reading.language)("which"), constant=True)
        return compose_jobs(reading, evidence, found) if found else compose_fixed(reading, evidence)
    if any(intent in COSTS for intent in intents_of(reading)):
        return reduce(_joined, _each_once(drafts)[:MOST_PARTS])
    first, rest = drafts[0], [d for d in drafts[1:] if d.text not in drafts[0].text]
    extra = next((d for d in rest if d.kind in ("price", "sizing", "catalog") and d.kind != first.kind), None)
    if extra is not None:
        return _joined(first, extra)
    if evidence.of_tool("size_llm"):
        return _with_point(first, reading, evidence)
    return _with_what_is_missing(first, reading, evidence)


def _each_once(drafts: list[Draft]) -> list[Draft]:
    """The drafts without those whose text another one holds."""
    return [draft for at, draft in enumerate(drafts) if not any(draft.text in other.text for other in drafts[:at])]


def _with_point(draft: Draft, reading: Reading, evidence: Evidence) -> Draft:
    """A sum with the passage that speaks of the same question, before it where that answers the question.

    A table of several sums is the answer itself.
    """
    if draft.kind not in ("sizing", "comparison") or reading.carried:
        return draft
    point, outright = telling_point(reading, evidence)
    if not point or point in draft.text:
        return draft
    outright = outright and len(evidence.of_tool("size_llm")) == 1
    text = paragraphs(point, draft.text) if outright else paragraphs(draft.text, point)
    return draft.model_copy(update={"text": text})


def _with_what_is_missing(draft: Draft, reading: Reading, evidence: Evidence) -> Draft:
    """Advice on a job that could be summed if its model or network were named: says so first."""
    if draft.kind != "guidance" or reading.job in COMPUTED_JOBS or names_subject(reading):
        return draft
    found = _of_jobs(evidence)
    if found:
        feel = compose_jobs(reading, evidence, found)
        return feel.model_copy(update={"text": paragraphs(feel.text, draft.text), "cautions": draft.cautions})
    if not {"memory", "gpu"} & set(reading.topics):
        return draft
    ask = Voice("fixed", reading.language)("ask_network" if (reading.job or "").startswith("vision") else "ask_model")
    return draft.model_copy(update={"text": paragraphs(ask, draft.text), "derived": [*draft.derived, *ASKED_BY]})


def _joined(first: Draft, extra: Draft) -> Draft:
    """Two questions in one message: both answers, the first one's kind."""
    return first.model_copy(
        update={
            "text": paragraphs(first.text, extra.text),
            "assumptions": [*first.assumptions, *extra.assumptions],
            "cautions": [*first.cautions, *extra.cautions],
            "estimate": first.estimate or extra.estimate,
            "recommendations": first.recommendations or extra.recommendations,
            "derived": [*first.derived, *extra.derived],
        }
    )


_OF_COSTS = {
    "cost": ("costs", "compose_costs"), "api_cost": ("api", "compose_api"), "run_cost": ("run", "compose_run"), "order": ("order", "compose_order"),
    "where_sold": ("sold", "compose_sold"), "catalog_state": ("state", "compose_state"),
}  # fmt: skip
"""Module and function of the composers that most conversations do without: imported when they are first needed."""


def _of_costs(intent: str, reading: Reading, evidence: Evidence) -> Draft | None:
    module, function = _OF_COSTS[intent]
    compose_it: Callable[[Reading, Evidence], Draft | None] = getattr(import_module(f".{module}", __package__), function)
    return compose_it(reading, evidence)


def _by_intent(intent: str, reading: Reading, evidence: Evidence) -> Draft | None:
    if intent in _OF_COSTS:
        return _of_costs(intent, reading, evidence)
    if intent == "claim_check":
        return compose_claims(reading, evidence)
    if intent == "comparison" and len(_of_jobs(evidence)) > 1:
        return _sizing(reading, evidence)
    if intent == "comparison":
        return compose_comparison(reading, evidence)
    if intent == "sizing":
        return _sizing(reading, evidence)
    if intent == "price":
        return compose_price(reading, evidence) or _sizing(reading, evidence)
    if intent == "catalog":
        return compose_catalog(reading, evidence) or compose_guidance(reading, evidence)
    if intent in ("guidance", "out_of_scope"):
        return compose_guidance(reading, evidence)
    return None


def _of_jobs(evidence: Evidence) -> list[Finding]:
    """The sums of any job but serving a language model."""
    return [finding for tool in JOBS for finding in evidence.of_tool(tool)]


def _sizing(reading: Reading, evidence: Evidence) -> Draft | None:
    found, other = split_elsewhere(_of_jobs(evidence))
    if found:
        return with_elsewhere(compose_jobs(reading, evidence, found), reading, evidence, other)
    speeds = evidence.of_tool("size_speed")
    if speeds:
        return compose_speed(reading, evidence, speeds)
    on_cpu = evidence.of_tool("size_cpu")
    if on_cpu:
        return compose_cpu(reading, evidence, on_cpu[0])
    if reading.job not in COMPUTED_JOBS:
        return compose_unsized(reading, evidence)
    sized, other = split_elsewhere(evidence.of_tool("size_llm"))
    if not sized or asks_back(reading):
        return None
    if len(sized) > 1:
        return compose_options(reading, evidence, sized)
    return with_elsewhere(compose_sizing(reading, evidence, sized[0]), reading, evidence, other)


