"""Composes guidance: the points of the best passages, each with its sources."""

from __future__ import annotations

from collections.abc import Collection

from assistant.answer import Caution
from assistant.evidence import Evidence
from assistant.found import FoundPassage
from assistant.read.reading import Reading

from .draft import Draft, Voice, paragraphs

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
    """The answer from passages, of one of `topics` where any are given. None when nothing found is near enough."""
    passages = _near(evidence, reading, topics)
    if not passages:
        return None
    voice = Voice("guidance", reading.language)
    first, rest = passages[0], passages[1:]
    text = paragraphs(
        first.point + evidence.mark(first.source_ids, most=3),
        _more(voice, rest, evidence),
    )
    cautions = [
        Caution(code=f"document_{first.verdict}", text=voice("document_differs"), source_ids=first.source_ids)
    ] if first.verdict in ("wrong", "partly", "outdated") else []  # fmt: skip
    return Draft(kind="guidance", text=text, cautions=cautions)


def best_points(reading: Reading, evidence: Evidence, *, most: int, skip: str = "") -> str:
    """Points of the best passages as a paragraph for another composer; empty when none is near enough."""
    voice = Voice("guidance", reading.language)
    fresh = [p for p in _near(evidence, reading) if p.point and p.point not in skip][:most]
    return _more(voice, fresh, evidence)


def telling_point(reading: Reading, evidence: Evidence) -> tuple[str, bool]:
    """The point of a passage that plainly speaks of this question, and whether it answers it outright; else empty."""
    passages = [p for p in _near(evidence, reading) if p.kind in ("guide", "document")]
    if not passages or not passages[0].by_meaning or passages[0].score < TELLING:
        return "", False
    first = passages[0]
    return first.point + evidence.mark(first.source_ids, most=3), first.score >= OUTRIGHT


def _near(evidence: Evidence, reading: Reading, topics: Collection[str] = ()) -> list[FoundPassage]:
    found = evidence.of_tool("search_guides")
    passages = [p for p in found[0].read_all(FoundPassage) if p.point] if found else []
    if topics:
        passages = [p for p in passages if set(topics) & set(p.topics)]
    if not passages:
        return []
    if passages[0].score < _sure(reading, by_meaning=any(p.by_meaning for p in passages)):
        return []
    best = passages[0].score
    return [p for p in passages if p.score >= best - CLOSE][:MAX_POINTS]


def _sure(reading: Reading, *, by_meaning: bool) -> float:
    """The score from which the best passage is quoted."""
    if reading.intents[0] == "out_of_scope":
        return SURE_OF_STRANGERS if by_meaning else 1.0
    return SURE[reading.language] if by_meaning else SURE_BY_WORDS


def _more(voice: Voice, passages: list[FoundPassage], evidence: Evidence) -> str:
    lines = [f"- {p.point}{evidence.mark(p.source_ids)}" for p in passages]
    return "\n".join([voice("see_also"), *lines]) if lines else ""
