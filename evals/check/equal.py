"""Changes that leave an answer true, by a rule of its own: the evidence's text says the changed thing as well.

These are counted apart, neither caught nor missed. The rule reads the excerpts of the sources and the lines of the composed
answer and knows nothing of the check.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from .change import Change
from .mutate_names import CARD, TYPE, family_pattern
from .spans import FIGURE, find_dates, find_figures, find_marks, line_of
from .turns import JudgedBy

UNIT = re.compile(r" ?(?:× ?)?(?:[A-Za-z%][A-Za-z%/]*|[万亿]?[一-鿿]{1,2}(?:/[一-鿿]{1,2})?)")
SENTENCE = re.compile(r"[。；;\n]|\. (?=[A-Z*`])")
ROUNDED, SAID, UNHELD, HELD = "rounded", "said", "nothing to hold", "held"


class Truths:
    """What the evidence of one turn says, line by line."""

    def __init__(self, judged: JudgedBy) -> None:
        self.judged = judged

    @cached_property
    def lines(self) -> list[str]:
        """Excerpts of all sources and the composed answer, in lines."""
        texts = [self.judged.composed, *(ref.excerpt for finding in self.judged.evidence.findings for ref in finding.sources)]
        return list(dict.fromkeys(line for text in texts for line in text.splitlines() if line.strip()))

    @cached_property
    def numbers(self) -> list[float]:
        """Every figure of the findings and the excerpts."""
        found = {number for finding in self.judged.evidence.findings for number in _numbers_in(finding.data)}
        return sorted(found | {_value(m[0]) for line in self.lines for m in FIGURE.finditer(line)})

    def why_true(self, text: str, change: Change) -> str:
        """Why the changed text is still true, or the empty string."""
        if change.kind == "mark_other":
            return self._mark(text, change)
        if change.kind in ("type", "family", "card"):
            return self._name(text, change)
        if change.kind in ("mark_unknown", "misspelt"):
            return ""
        if change.kind == "digit" and self._same_figure(change):
            return ROUNDED
        return SAID if self._said_of_subject(text, change) else ""

    def _same_figure(self, change: Change) -> bool:
        """Both figures are roundings of one figure of the evidence."""
        old, new = _value(change.old), _value(change.new)
        half = 0.5 * 10.0 ** -len(change.old.partition(".")[2]) + 1e-9
        return any(abs(old - e) <= half and abs(new - e) <= half for e in self.numbers)

    def _said_of_subject(self, text: str, change: Change) -> bool:
        """A line on the same type, family or card, and on no other type or card, has the changed figure with its unit."""
        subjects = names_in(line_of(text, change.start))
        spoilt = change.spoil(text)
        unit = UNIT.match(spoilt, change.start + len(change.new))
        if change.kind == "unit":
            before = re.search(r"[\d.,]+[万亿]? ?$", text[: change.start])
            wanted = (before[0] if before else "") + change.new
        elif change.kind == "date":
            wanted = change.new
        elif unit is None:
            return False
        else:
            wanted = change.new + unit[0]
        pattern = re.compile(rf"(?<![\d.,]){re.escape(wanted.strip()).replace(chr(92) + ' ', ' ?')}(?![A-Za-z\d])")
        return any(pattern.search(line) for line in self.lines if subjects & names_in(line) and not _things(line) - subjects)

    def _name(self, text: str, change: Change) -> str:
        """The evidence has a line with the new name and all that the answer's line says."""
        line = line_of(change.spoil(text), change.start)
        figures = {span.text for span in find_figures(line)} | {span.text for span in find_dates(line)}
        wanted = names_in(line)
        for said in self.lines:
            if change.new not in names_in(said) or said == line_of(text, change.start):
                continue
            held = {span.text for span in find_figures(said)} | {span.text for span in find_dates(said)}
            if figures <= held and wanted <= names_in(said):
                return SAID
        return ""

    def _mark(self, text: str, change: Change) -> str:
        """The other source holds a figure or a name of the claim; or the claim has neither."""
        claim = claim_before(text, change.start)
        figures = {span.text for span in find_figures(claim)} | {span.text for span in find_dates(claim)}
        figures -= {figure for figure in figures if len(figure) == 1}
        names = names_in(claim)
        if not figures and not names:
            return UNHELD
        citation = self.judged.evidence.citation(int(change.new.strip("[]")))
        excerpts = self._excerpts(citation.source_id if citation else "")
        held = {m[0] for m in FIGURE.finditer(excerpts)} | {span.text for span in find_dates(excerpts)}
        return HELD if names & names_in(excerpts) or _same(figures, held) else ""

    def _excerpts(self, source_id: str) -> str:
        findings = self.judged.evidence.findings
        return "\n".join(ref.excerpt for finding in findings for ref in finding.sources if ref.source_id == source_id)


def names_in(text: str) -> set[str]:
    """Types, families and cards that a text names."""
    return {match[0] for pattern in (TYPE, family_pattern(), CARD) for match in pattern.finditer(text)}


def _things(text: str) -> set[str]:
    return {match[0] for pattern in (TYPE, CARD) for match in pattern.finditer(text)}


def claim_before(text: str, place: int) -> str:
    """What a mark stands for: its row of a table, or its sentence up to the mark, without other marks."""
    line = line_of(text, place)
    if line.lstrip().startswith("|"):
        return _without_marks(line)
    start = text.rfind("\n", 0, place) + 1
    before = _without_marks(text[start:place])
    parts = [part for part in SENTENCE.split(before) if part.strip(" *`|.。")]
    return parts[-1] if parts else line


def _without_marks(text: str) -> str:
    for span in reversed(find_marks(text)):
        text = text[: span.start] + text[span.end :]
    return text


def _same(figures: Iterable[str], held: Iterable[str]) -> bool:
    """Some figure of the claim stands in the source, rounded to its printed digits or not."""
    numbers = [_value(text) for text in held if "-" not in text and FIGURE.fullmatch(text)]
    for figure in figures:
        if figure in held:
            return True
        if FIGURE.fullmatch(figure) and any(abs(_value(figure) - n) <= 0.5 * 10.0 ** -len(figure.partition(".")[2]) for n in numbers):
            return True
    return False


def _value(text: str) -> float:
    return float(text.replace(",", ""))


def _numbers_in(data: object) -> Iterable[float]:
    if isinstance(data, dict):
        for value in data.values():
            yield from _numbers_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from _numbers_in(value)
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield float(data)
    elif isinstance(data, str) and len(data) < 24 and FIGURE.fullmatch(data):
        yield _value(data)
