"""Digests of texts: judged statements, passages of guides, and documents of the user as quoted material.

A statement that the tables call wrong never stands there as plain text: it is taken out of the quotation, and told with its verdict
and its fact. What a document orders is fenced and called what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from assistant.evidence import MARK, Evidence, Finding
from assistant.found import FoundPassage, FoundStatement
from assistant.read.reading import Reading
from tools.results import ClaimReport, Statement

from .digest import Section, words

MOST_STATEMENTS = 12
MOST_PASSAGES = 5
MOST_SAID = 120
MOST_TEXT = 900
"""Characters of one passage."""
FENCES = re.compile(r"`{3,}|~{3,}")
ORDER = ("wrong", "not_in_catalog", "outdated", "partly", "cannot_judge", "true")
VERDICTS = {"not_in_catalog": "wrong"}
"""Verdicts that are told by the words of another one."""


def claims(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `check_claims`: the wrong ones first."""
    voice = words(reading.language)
    statements = sorted(finding.read(ClaimReport).statements, key=lambda item: ORDER.index(item.verdict))
    lines = dict.fromkeys(_judged(voice, item, one) for item in statements)
    return Section("\n".join(list(lines)[:MOST_STATEMENTS]) or voice("nothing_judged"))


def passages(finding: Finding, one: Evidence, reading: Reading) -> Section:
    """Of `search_guides`: points of guides with their sources, quotations of documents."""
    voice, found = words(reading.language), finding.read_all(FoundPassage)[:MOST_PASSAGES]
    if not found:
        return Section(voice("nothing_found"))
    documents = any(item.kind == "document" for item in found)
    parts = [part for item in found for part in ([_quotation(voice, item, one)] if item.kind == "document" else _point(voice, item, one))]
    return Section("\n\n".join([*parts, *([voice("not_obeyed")] if documents else [])]))


def _judged(voice: Callable[..., str], item: Statement | FoundStatement, one: Evidence) -> str:
    said = re.sub(r"\s+", " ", _unmarked(item.text)).strip()
    said = said if len(said) <= MOST_SAID else said[: MOST_SAID - 1] + "…"
    return voice(VERDICTS.get(item.verdict, item.verdict), said=said, fact=item.fact, mark=one.mark(item.source_ids))


def _point(voice: Callable[..., str], item: FoundPassage, one: Evidence) -> Iterator[str]:
    if item.point:
        yield voice("passage", title=item.title, point=item.point, mark=one.mark(item.source_ids, most=3))


def _quotation(voice: Callable[..., str], item: FoundPassage, one: Evidence) -> str:
    wrong = [each for each in item.statements if each.is_wrong]
    doubtful = [each for each in item.statements if each.verdict in ("partly", "outdated")]
    date = voice("dated", date=item.published_on) if item.published_on else ""
    head = voice("quoted", document=title_of(item.document, item.statements, voice), date=date, mark=one.mark(item.source_ids))
    text = _unmarked(_without(item.text, wrong, voice("struck")))
    text = text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…"
    return "\n".join([head, "~~~", text.strip(), "~~~", *dict.fromkeys(_judged(voice, each, one) for each in [*wrong, *doubtful])])


def _without(text: str, statements: Iterable[FoundStatement], instead: str) -> str:
    """The text with each of the statements replaced. They may overlap or hold one another."""
    kept, end = [], 0
    for item in sorted((item for item in statements if item.end > item.start), key=lambda each: each.start):
        if item.start >= end:
            kept += [text[end : item.start], instead]
        end = max(end, item.end)
    return "".join([*kept, text[end:]])


def title_of(title: str, statements: Iterable[FoundStatement], voice: Callable[..., str]) -> str:
    """The title of a document, unless it states what is wrong."""
    wrong = any(_unmarked(item.text).strip() in title or title in item.text for item in statements if item.is_wrong and item.end == item.start)
    return voice("struck") if wrong else _unmarked(title)


def _unmarked(text: str) -> str:
    """A text of others without what has a meaning here: marks of citation, and fences that would end its own."""
    return FENCES.sub("'''", MARK.sub(r"(\1)", text))
