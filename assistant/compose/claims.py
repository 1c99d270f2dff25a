"""Composes verdicts on statements: what is wrong first, with the right fact and its source."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.answer import Caution
from assistant.evidence import Evidence
from assistant.found import FoundInstances
from assistant.read.reading import Reading
from knowledge import facts
from tools.catalog import card_label
from tools.describe import Described, TypeFacts
from tools.results import ClaimReport, Statement

from . import words
from .catalog import unknown_name
from .draft import Draft, Voice, paragraphs
from .guidance import best_points

WRONG = ("wrong", "not_in_catalog", "outdated", "partly")
MAX_CORRECTIONS = 6
MAX_SAID = 60
HEARSAY = re.compile(r"听说|据说|有人说|都说|文档|文章|教程|指南|对吗|对不对|是真的|correct|right\?|true|says?\b|heard|guide", re.I)
"""Words by which a question passes on what somebody said."""


def compose_claims(reading: Reading, evidence: Evidence) -> Draft | None:
    """Verdicts on the question's statements, then the passage that says more. None when nothing could be judged."""
    voice = Voice("claims", reading.language)
    statements = _statements(evidence)
    wrong = [s for s in statements if s.verdict in WRONG]
    right = [s for s in statements if s.verdict == "true"]
    if not wrong and not right:
        return None
    told = _distinct([*wrong, *right])[:MAX_CORRECTIONS]
    if _is_question(reading, told):
        opening = "" if len(told) == 1 else voice("yes" if not wrong else "no")
        lines = [_answer(voice, s, evidence, alone=len(told) == 1) for s in told]
    else:
        opening, lines = voice(_opening(wrong, right)), [_line(voice, s, evidence) for s in told]
    more = best_points(reading, evidence, most=1, skip="\n".join(lines))
    return Draft(
        kind="claim_check",
        text=paragraphs(opening, "\n".join(lines), _who_has(voice, evidence) if wrong else "", more),
        cautions=[Caution(code=s.verdict, text=s.fact, source_ids=s.source_ids) for s in _distinct(wrong)],
    )


def _who_has(voice: Voice, evidence: Evidence) -> str:
    """Cards and families that do have the precision asked about."""
    found = evidence.of_tool("find_instances")
    if not found or not found[0].args.get("precision"):
        return ""
    types = found[0].read(FoundInstances).types
    cards: dict[str, list[TypeFacts]] = {}
    for row in types:
        cards.setdefault(row.gpu_id, []).append(row)
    items = []
    for gpu_id, rows in cards.items():
        families = words.and_list(list(dict.fromkeys(row.family for row in rows)), voice.language)
        label = card_label(facts.gpus()[gpu_id], voice.language)
        items.append(voice("card_families", card=label, families=families))
    sources = list(dict.fromkeys(s for row in types for s in row.source_ids))
    return voice(
        "who_has",
        precision=str(found[0].args["precision"]).upper(),
        items=("；" if voice.language == "zh" else "; ").join(items),
        mark=evidence.mark(sources),
    )


def corrections(reading: Reading, evidence: Evidence) -> str:
    """One short paragraph that corrects what the question takes for granted; empty when nothing is wrong."""
    voice = Voice("claims", reading.language)
    wrong = _distinct([s for s in _statements(evidence) if s.verdict in ("wrong", "not_in_catalog", "outdated")])
    sentences = [_sentence(s.fact, reading.language) + evidence.mark(s.source_ids) for s in wrong[:3]]
    said = " ".join(sentences)
    unknown = [item for finding in evidence.of_tool("look_up_names") for item in finding.read_all(Described)
               if not item.check.known and item.check.name.removeprefix("ecs.") not in said]  # fmt: skip
    catalog = Voice("catalog", reading.language)
    sentences += [unknown_name(catalog, evidence, item).replace("**", "") for item in unknown[:3]]
    if not sentences:
        return ""
    return voice("first_correct", facts=(" " if reading.language == "en" else "").join(sentences))


def _statements(evidence: Evidence) -> list[Statement]:
    found = evidence.of_tool("check_claims")
    return found[0].read(ClaimReport).statements if found else []


def _distinct(statements: Iterable[Statement]) -> list[Statement]:
    """The first statement of each fact: with the wrong ones in front, no right detail hides a wrong one."""
    first: dict[str, Statement] = {}
    for statement in statements:
        first.setdefault(statement.fact, statement)
    return list(first.values())


def _opening(wrong: list[Statement], right: list[Statement]) -> str:
    if not wrong:
        return "all_true"
    if all(s.verdict in ("partly", "outdated") for s in wrong):
        return "partly"
    return "mixed" if right else "wrong"


def _line(voice: Voice, statement: Statement, evidence: Evidence) -> str:
    return voice(
        f"verdict_{statement.verdict}",
        fact=_sentence(statement.fact, voice.language),
        said=_shortened(statement.text.strip(" \n，,。.;；")),
        mark=evidence.mark(statement.source_ids),
    )


def _is_question(reading: Reading, statements: list[Statement]) -> bool:
    """A plain question ("does gn7i have NVLink?") wants its answer, hearsay a verdict on each statement."""
    asks = reading.normal.rstrip().endswith(("?", "？", "吗", "么", "呢", "没有"))
    judged = all(s.verdict in ("true", "wrong", "partly") for s in statements)
    return asks and judged and not HEARSAY.search(reading.normal)


def _answer(voice: Voice, statement: Statement, evidence: Evidence, *, alone: bool) -> str:
    fact, mark = _sentence(statement.fact, voice.language), evidence.mark(statement.source_ids)
    if not alone:
        return f"- {fact}{mark}"
    lead = voice("yes_lead") if statement.verdict == "true" else ""
    if statement.verdict == "wrong" and statement.subject.startswith("ecs."):  # its fact lists all that the type has
        lead = voice("no_lead")
    return f"**{lead}{fact}**{mark}"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_SAID else text[: MAX_SAID - 1] + "…"


def _sentence(fact: str, language: str) -> str:
    fact = fact.strip()
    return fact if fact.endswith(("。", ".", "！", "!")) else fact + ("。" if language == "zh" else ".")
