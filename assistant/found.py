"""What the look-up tools of the agent return besides the results of `tools`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.describe import TypeFacts
from tools.phrases import Language
from tools.results import Result

if TYPE_CHECKING:
    from knowledge.chunks import Passage
    from knowledge.judged import JudgedStatement
    from knowledge.search import Hit


class FoundInstances(Result):
    """Types that meet the conditions, cheapest priced first; `none` says why there are none.

    With a budget by the month, `estimated` are types without a listed subscription that would keep it at 730 hours of
    their hourly price: an estimate, to be shown apart.
    """

    types: list[TypeFacts]
    estimated: list[TypeFacts] = []
    none: str = ""
    nearest: list[TypeFacts] = []


class FoundStatement(Result):
    """What a passage of an added document states, judged. `start` and `end` are offsets in the passage's text, both 0 for
    a statement in its headings."""

    text: str
    start: int
    end: int
    subject: str
    verdict: str
    fact: str
    source_ids: list[str]

    @property
    def is_wrong(self) -> bool:
        return self.verdict in ("wrong", "not_in_catalog")


class FoundPassage(Result):
    """One passage of the knowledge base. `point` is its answer in one to three sentences; a passage of an added document
    has none, but the judged `statements` that stand in it: what they call wrong is not so, whatever the text says."""

    passage_id: str
    kind: str
    title: str
    point: str
    text: str
    verdict: str
    subject: str
    score: float
    by_meaning: bool  # found by vectors; without them the score is a share of the words
    topics: list[str]
    source_ids: list[str]
    document: str = ""  # title of the document or guide
    published_on: str = ""
    trust: str = ""
    statements: list[FoundStatement] = []


def found_passage(hit: Hit, language: Language) -> FoundPassage:
    """A hit of the search, with its facts worded in `language`."""
    passage = hit.passage
    return FoundPassage(
        passage_id=passage.passage_id,
        kind=passage.kind,
        title=passage.title,
        point=passage.point,
        text=passage.text,
        verdict=passage.verdict or "",
        subject=passage.subject or "",
        score=round(hit.score, 4),
        by_meaning=hit.vector_rank is not None,
        topics=list(passage.topics),
        source_ids=list(passage.source_ids),
        document=passage.heading_path[0] if passage.heading_path else passage.title,
        published_on=passage.published_on,
        trust=passage.trust,
        statements=[_found_statement(item, passage, language) for item in passage.statements],
    )


def _found_statement(item: JudgedStatement, passage: Passage, language: Language) -> FoundStatement:
    start, end = (min(max(place - passage.start, 0), len(passage.text)) for place in (item.start, item.end))
    return FoundStatement(
        text=item.text, start=start, end=end, subject=item.subject, verdict=item.verdict, fact=item.fact(language), source_ids=list(item.source_ids),
    )  # fmt: skip
