"""Composes guidance: the points of the best passages, each with its sources; of added documents what they say."""

from __future__ import annotations

import re
from collections.abc import Collection

from assistant.answer import Caution
from assistant.evidence import Evidence
from assistant.found import FoundPassage
from assistant.read.reading import Reading

from .draft import Draft, Voice, paragraphs
from .quoted import about_what_is_asked, cautions_of, quote, say_corrections, say_quoted

MAX_POINTS = 3
SURE = {"zh": 0.89, "en": 0.885}
"""Score below which no passage answers the question (cosine of the default embedder plus shares of rare words).

Measured on the cases of `evals/cases/retrieval.jsonl`: right passages score 0.89 and more, small talk up to 0.86 in
Chinese and 0.84 in English, other trades of computing up to 0.90.
"""
TELLING, OUTRIGHT = 0.99, 1.03
"""Scores from which a passage belongs beside a sum, and from which it comes before it (sums alone reach 0.94)."""
SURE_OF_STRANGERS = 0.94
"""Score from which a passage answers a question without any word that the reading knows (small talk: up to 0.93)."""
SURE_BY_WORDS = 0.25
"""The same where no vectors are at hand: the share of the question's words that the passage holds."""
CLOSE = 0.03
"""A further passage is quoted when its score is within this of the best."""


def compose_guidance(reading: Reading, evidence: Evidence, *, topics: Collection[str] = ()) -> Draft | None:
    """The answer from passages, of one of `topics` where any are given. None when nothing found is near enough.

    What the project says itself goes before what an added document says, unless that is plainly the better match or it
    is asked for ("按我们的规范 …").
    """
    voice = Voice("guidance", reading.language)
    ours = re.search(f"{voice('ours')}", reading.normal, re.I) is not None
    passages = _near(evidence, reading, topics, ours=ours)
    if not passages:
        return None
    official = [passage for passage in passages if passage.point]
    quoted = [quote(passage, reading) for passage in passages if not passage.point]
    first, rest = official[:1], official[1:]
    said = [say_quoted(item, voice, evidence) for item in quoted if item.text]
    only_wrong = [say_quoted(item, voice, evidence) for item in quoted if not item.text]
    point = [passage.point + evidence.mark(passage.source_ids, most=3) for passage in first]
    text = paragraphs(*(said + point if ours else point + said), *only_wrong, _more(voice, rest, evidence))
    cautions = [
        Caution(code=f"document_{passage.verdict}", text=voice("document_differs"), source_ids=passage.source_ids)
        for passage in first if passage.verdict in ("wrong", "partly", "outdated")
    ]  # fmt: skip
    return Draft(kind="guidance", text=text, cautions=[*cautions, *(c for item in quoted for c in cautions_of(item))])


def with_documents(draft: Draft, reading: Reading, evidence: Evidence) -> Draft:
    """The draft, with what added documents say wrongly of the very things that the question names."""
    if draft.constant:
        return draft
    voice = Voice("guidance", reading.language)
    names = bool(reading.cards or reading.families or reading.instances)
    near = [p for p in _found(evidence) if p.kind == "document" and p.statements and _is_sure(p, reading)] if names else []
    items = [item for item in (about_what_is_asked(passage, reading) for passage in near) if item.wrong]
    told = [(item, line) for item in items for line in say_corrections(item, voice, evidence) if line not in draft.text]
    if not told:
        return draft
    cautions = [caution for item in items for caution in cautions_of(item)]
    text = paragraphs(draft.text, "\n".join(dict.fromkeys(line for _, line in told)))
    return draft.model_copy(update={"text": text, "cautions": [*draft.cautions, *cautions]})


def best_points(reading: Reading, evidence: Evidence, *, most: int, skip: str = "") -> str:
    """Points of the best passages as a paragraph for another composer; empty when none is near enough."""
    voice = Voice("guidance", reading.language)
    fresh = [p for p in _near(evidence, reading, documents=False) if p.point not in skip][:most]
    return _more(voice, fresh, evidence)


def telling_point(reading: Reading, evidence: Evidence) -> tuple[str, bool]:
    """The point of a passage that plainly speaks of this question, and whether it answers it outright; else empty."""
    passages = [p for p in _near(evidence, reading, documents=False) if p.kind == "guide"]
    if not passages or not passages[0].by_meaning or passages[0].score < TELLING:
        return "", False
    first = passages[0]
    return first.point + evidence.mark(first.source_ids, most=3), first.score >= OUTRIGHT


def _found(evidence: Evidence) -> list[FoundPassage]:
    found = evidence.of_tool("search_guides")
    return found[0].read_all(FoundPassage) if found else []


def _near(
    evidence: Evidence, reading: Reading, topics: Collection[str] = (), *, documents: bool = True, ours: bool = False
) -> list[FoundPassage]:
    """The best passages, if they are good enough: those with a point, and those of documents that say something. With
    `ours` every document that is good enough counts, however good the others are."""
    passages = [p for p in _found(evidence) if p.point or (documents and p.kind == "document" and quote(p, reading).says_something)]
    if topics:
        passages = [p for p in passages if set(topics) & set(p.topics)]
    if not passages:
        return []
    if passages[0].score < _sure(reading, by_meaning=any(p.by_meaning for p in passages)):
        return []
    best = passages[0].score
    near = [p for p in passages if p.score >= best - CLOSE or (ours and not p.point and _is_sure(p, reading))]
    return sorted(near, key=lambda p: bool(p.point))[:MAX_POINTS] if ours else near[:MAX_POINTS]


def _is_sure(passage: FoundPassage, reading: Reading) -> bool:
    return passage.score >= _sure(reading, by_meaning=passage.by_meaning)


def _sure(reading: Reading, *, by_meaning: bool) -> float:
    """The score from which the best passage is quoted."""
    if reading.intents[0] == "out_of_scope":
        return SURE_OF_STRANGERS if by_meaning else 1.0
    return SURE[reading.language] if by_meaning else SURE_BY_WORDS


def _more(voice: Voice, passages: list[FoundPassage], evidence: Evidence) -> str:
    lines = [f"- {p.point}{evidence.mark(p.source_ids)}" for p in passages]
    return "\n".join([voice("see_also"), *lines]) if lines else ""
