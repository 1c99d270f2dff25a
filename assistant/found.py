"""What the look-up tools of the agent return besides the results of `tools`."""

from __future__ import annotations

from tools.describe import TypeFacts
from tools.results import Result


class FoundInstances(Result):
    """Types that meet the conditions, cheapest priced first; `none` says why there are none.

    With a budget by the month, `estimated` are types without a listed subscription that would keep it at 730 hours of
    their hourly price: an estimate, to be shown apart.
    """

    types: list[TypeFacts]
    estimated: list[TypeFacts] = []
    none: str = ""
    nearest: list[TypeFacts] = []


class FoundPassage(Result):
    """One passage of the knowledge base. `point` is its answer in one to three sentences."""

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
