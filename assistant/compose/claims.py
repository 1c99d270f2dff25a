"""Composes verdicts on statements: what is wrong first, with the right fact and its source."""

from __future__ import annotations

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


def compose_claims(reading: Reading, evidence: Evidence) -> Draft | None:
    """Verdicts on the question's statements, then the passage that says more. None when nothing could be judged."""
    voice = Voice("claims", reading.language)
    statements = _statements(evidence)
    wrong = [s for s in statements if s.verdict in WRONG]
    right = [s for s in statements if s.verdict == "true"]
    if not wrong and not right:
        return None
    opening = voice(_opening(wrong, right), count=len(wrong))
    lines = [_line(voice, s, evidence) for s in _distinct([*wrong, *right])[:MAX_CORRECTIONS]]
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
    return list({s.fact: s for s in statements}.values())


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
        said=statement.text.strip(),
        mark=evidence.mark(statement.source_ids),
    )


def _sentence(fact: str, language: str) -> str:
    fact = fact.strip()
    return fact if fact.endswith(("。", ".", "！", "!")) else fact + ("。" if language == "zh" else ".")
