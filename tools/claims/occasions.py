"""Where and when a price is said to hold: the region and the dates that stand beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowledge import facts
from knowledge.kept import kept
from knowledge.rows import PriceRow

from .cues import cue
from .mentions import Mention
from .sentences import Clause

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DATE = re.compile(
    r"(?<!\d)(?P<year>20[12]\d)(?:\s?年\s?|[-/.])(?P<month>0?[1-9]|1[0-2])(?!\d)"
    rf"|(?<![a-z])(?P<name>{'|'.join(MONTHS)})[a-z]{{0,6}}\.?\s(?:\d{{1,2}},?\s)?(?P<year_behind>20[12]\d)(?!\d)"
    r"|(?<![\d.])(?P<bare>20[12]\d)(?=\s?年|[^\d\s.]|[\s.]*$|\s+[a-z])(?![,.]?\d)"
)


@dataclass(frozen=True, slots=True)
class Occasion:
    """`region` is an id, empty when none is named; `dates` are "2025" or "2025-06"; `changed` when the price is said of
    another time without a date ("去年", "had been", "降到")."""

    region: str
    dates: tuple[str, ...]
    changed: bool

    @property
    def dated(self) -> bool:
        return bool(self.dates) or self.changed

    def rows_there(self, rows: list[PriceRow]) -> list[PriceRow]:
        """Those of the region; all of them when none is named."""
        return [row for row in rows if row.region == self.region] if self.region else rows

    def of_that_time(self, row: PriceRow) -> bool:
        """Whether a row was on record in the month that is named; of a whole year nothing is certain."""
        return any(len(date) == 7 and row.as_of.startswith(date) for date in self.dates)


def occasion_of(clause: Clause, money: Mention) -> Occasion:
    """Of the sum `money` of the clause."""
    text = clause.sentence.text
    return Occasion(_region(clause, money), dates_in(text), cue("changed").search(text) is not None)


def dates_in(text: str) -> tuple[str, ...]:
    """Years and months that a normalised text names."""
    found = []
    for match in DATE.finditer(text):
        year = match["year"] or match["year_behind"] or match["bare"]
        month = int(match["month"]) if match["month"] else MONTHS.index(match["name"]) + 1 if match["name"] else 0
        found.append(f"{year}-{month:02}" if month else year)
    return tuple(dict.fromkeys(found))


def _region(clause: Clause, money: Mention) -> str:
    """The region nearest before the sum in its clause, else nearest behind it there; else the last one named before the
    clause in the sentence, else the only one of the sentence."""
    place = money.start - clause.start
    own = _regions_in(clause.text)
    before = [region for start, region in own if start < place]
    if own:
        return before[-1] if before else own[0][1]
    around = _regions_in(clause.sentence.text)
    earlier = [region for start, region in around if start < clause.start - clause.sentence.start]
    named = {region for _, region in around}
    return earlier[-1] if earlier else named.pop() if len(named) == 1 else ""


def _regions_in(text: str) -> list[tuple[int, str]]:
    words, pattern = _words()
    return [(match.start(), words[match[0]]) for match in pattern.finditer(text)]


@kept
def _words() -> tuple[dict[str, str], re.Pattern[str]]:
    """Regions by the words for them in lower case, and a pattern of all, the longest first."""
    words = {word.lower(): row.region for row in facts.regions().values() for word in (row.region, *row.aliases)}
    body = "|".join(
        rf"(?<![a-z]){re.escape(word)}(?![a-z])" if word.isascii() else re.escape(word)
        for word in sorted(words, key=len, reverse=True)
    )
    return words, re.compile(body)
