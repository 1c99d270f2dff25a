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
WAYS_TO_PAY = ("spot", "reserved", "plan")
"""Subjects of shares of the price. What else cannot be judged is a price that is not on record."""
MAX_CORRECTIONS = 6
MAX_SAID = 60
SAID_TOO = "\n\n"
"""Between what several statements said against one fact."""
HEARSAY = re.compile(r"听说|据说|有人说|都说|文档|文章|教程|指南|对吗|对不对|是真的|correct|right\?|true|says?\b|heard|guide"
    r"|\b(?:is|are|do|does|has|have)(?:n't)? (?:it|they|that)(?: not)?\s?\?", re.I)
"""Words by which a question passes on what somebody said."""
BEING = re.compile(r"是(?!否|不|$)|显存|内存|带宽|[a-z]{2} [^?]*\?", re.I)
STATED = re.compile(
    r"(?<![a-z0-9.\-])\d[\d,.]*\s?(?:[gtm]i?b?(?:/s|ps)?|万?元|块|张|卡|核|%|折|gpus?|cards?|v?cpus?|cores?|cny|usd|tflops)(?![a-z])"
    r"|nvlink|rdma|(?:fp|bf|int|tf)\d{1,2}(?!\d)", re.I)  # fmt: skip
"""What a question may state of a card, family or type."""


def compose_claims(reading: Reading, evidence: Evidence) -> Draft | None:
    """Verdicts on the question's statements, then the passage that says more. None when nothing could be judged."""
    voice = Voice("claims", reading.language)
    statements = _statements(evidence)
    wrong = [s for s in statements if s.verdict in WRONG]
    right = [s for s in statements if s.verdict == "true"]
    open_prices = [s for s in statements if s.verdict == "cannot_judge" and s.subject not in WAYS_TO_PAY]
    if not wrong and not right and not open_prices:
        return None
    told = _distinct([*wrong, *open_prices, *right])[:MAX_CORRECTIONS]
    if _is_question(reading, told) and not (wrong and right and len(told) > 1):
        opening = "" if len(told) == 1 else voice("yes" if not wrong else "no")
        lines = [_answer(voice, s, reading, evidence, alone=len(told) == 1) for s in told]
    else:
        opening = voice(_opening(wrong, [*right, *open_prices])) if wrong or not open_prices else ""
        if not wrong and _is_left_open(reading.text, statements):
            opening = voice("rest_open") if right else ""
        lines = [claim_line(voice, s, evidence) for s in told]
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
    """One statement of each fact: with the wrong ones in front, no right detail hides a wrong one. What several wrong
    ones said is told together, and a fact that another one holds is not told again."""
    first: dict[str, Statement] = {}
    for statement in statements:
        held = next((fact for fact in first if _holds(fact, statement.fact)), None)
        if held is None:
            first[statement.fact] = statement
        elif first[held].verdict == statement.verdict != "true" and statement.text not in first[held].text:
            said = SAID_TOO.join((_plain(first[held].text), _plain(statement.text)))
            first[held] = first[held].model_copy(update={"text": said})
    return list(first.values())


def _holds(fact: str, other: str) -> bool:
    return _plain(fact).startswith(_plain(other))


def _plain(text: str) -> str:
    return text.strip(" \n，,。.;；")


def _opening(wrong: list[Statement], right: list[Statement]) -> str:
    if not wrong:
        return "all_true"
    if all(s.verdict in ("partly", "outdated") for s in wrong):
        return "partly"
    return "mixed" if right else "wrong"


def _is_left_open(text: str, statements: list[Statement]) -> bool:
    """Whether the text states a figure or a feature that none of the judged statements holds."""
    rest = list(text)
    for statement in statements:
        rest[statement.start : statement.end] = "\n" * (statement.end - statement.start)
    return STATED.search("".join(rest)) is not None


def claim_line(voice: Voice, statement: Statement, evidence: Evidence) -> str:
    """What is said, its verdict and the fact with its sources, as an item of a list."""
    return voice(
        f"verdict_{statement.verdict}",
        fact=_sentence(statement.fact, voice.language),
        said=voice("and_said").join(_shortened(part) for part in _plain(statement.text).split(SAID_TOO)),
        mark=evidence.mark(statement.source_ids),
    )


def _is_question(reading: Reading, statements: list[Statement]) -> bool:
    """A plain question ("does gn7i have NVLink?") wants its answer, hearsay a verdict on each statement."""
    asks = reading.normal.rstrip().endswith(("?", "？", "吗", "么", "呢", "没有"))
    judged = all(s.verdict in ("true", "wrong", "partly") for s in statements)
    return asks and judged and not HEARSAY.search(reading.normal)


def _answer(voice: Voice, statement: Statement, reading: Reading, evidence: Evidence, *, alone: bool) -> str:
    fact, mark = _sentence(statement.fact, voice.language), evidence.mark(statement.source_ids)
    if not alone:
        return f"- {fact}{mark}"
    lead = voice("yes_lead") if statement.verdict == "true" else ""
    if statement.verdict == "wrong" and (statement.subject.startswith("ecs.") or BEING.search(reading.normal)):
        lead = voice("no_lead")  # the fact says what is so, not that something else is not
    elif statement.verdict == "wrong" and "有" in reading.normal and not re.search("没有|不", fact):
        lead = voice("none_lead")
    return f"**{lead}{fact}**{mark}"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_SAID else text[: MAX_SAID - 1] + "…"


def _sentence(fact: str, language: str) -> str:
    fact = fact.strip()
    return fact if fact.endswith(("。", ".", "！", "!")) else fact + ("。" if language == "zh" else ".")
