"""Every figure of a text with what it is of: quantity, labels and subject, read from its clause, row, line and heading."""

from __future__ import annotations

import bisect
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from .dates import blank_dates
from .header_units import unit_of_header
from .labels import allowed
from .quantities import (
    Quantity,
    blank_for_figures,
    is_bound,
    is_span,
    is_word,
    per_before,
    read_quantities,
)
from .rows import (
    COUNT_DIMS,
    NONE,
    STOP,
    Header,
    Row,
    card_of,
    labels_of,
    read_header,
    read_rows,
    subject_in,
)
from .subjects import Subject, join

IN_TURN = re.compile(r"分别|依次|respectively")
"""Says that several figures are of several names, each of its own."""
LISTED = re.compile(r" ?(?:GiB|GB|元|CNY|/小时|/h|[^\W\d]{0,3})? ?(?:、|,|;|和|与|及|and|/)(?: ?and)? ?(?:约|the |about |[¥$])?")
RULE = re.compile(r"^[\s|:-]+$")
CARD_SIZE = frozenset({"card_size"})
OF_A_CARD = re.compile(r" ?(?:显存)?的?(?:单|大|小)?(?:显|GPU )?卡(?!住|死|在)|[- ](?:cards?|GPUs?)(?![a-z])")
"""Behind an amount of memory: the card itself, "80 GB 的卡"."""


@dataclass(frozen=True, slots=True)
class Figure:
    """`labels` of the clause; `subject` of the clause or the line, `carried` where it stands only in an earlier line."""

    quantity: Quantity
    labels: frozenset[str]
    subject: Subject
    carried: bool
    line: int
    word: bool = False
    ranged: bool = False  # an end of a range, or said to be a bound
    span: bool = False  # an end of a range
    soft: bool = False  # the labels stand only before its clause
    lead: Subject | None = None  # what the text began with, where a paragraph begins after another name
    beside: frozenset[str] = NONE  # the card that is named right beside it: 4 × A10, A10 24 GB


def read_figures(
    text: str, *, subject: Subject = Subject(), skip: Sequence[tuple[int, int]] = (), copied: Container[int] = ()  # noqa: B008
) -> list[Figure]:
    """The figures of a folded text in order. `subject`: what the whole text is of. `skip`: stretches that are read elsewhere.

    `copied`: starts of lines that are proved as a whole; of their figures only the quantities are read.
    """
    plain = blank_dates(blank_for_figures(text))
    for start, end in skip:
        plain = plain[:start] + " " * (end - start) + plain[end:]
    quantities = read_quantities(plain)
    found: list[Figure] = []
    scope = Scope(subject)
    for row in read_rows(text, quantities) if quantities else ():
        if not scope.enter(row):
            continue
        own = len(found)
        if row.line.start in copied:
            found += [Figure(item, NONE, scope.carried, True, row.number) for item in row.quantities]
        else:
            found += [_figure(plain, row, item, scope) for item in row.quantities]
            if IN_TURN.search(row.line.text):
                found[own:] = _in_turn(row, found[own:])
        scope.leave(row)
    return found


class Scope:
    """What is spoken of where a line begins: its heading or the item above it, and the last machine or card named before."""

    def __init__(self, subject: Subject) -> None:
        self.carried, self.outer = subject, Subject()
        self._heading, self._above = Subject(), Subject()
        self._header: Header | None = None
        self._first, self._apart, self._row = Subject(), False, 0

    def enter(self, row: Row) -> bool:
        """Takes a line in; whether it may hold figures."""
        self._apart, self._row = self._apart or row.number > self._row + 1, row.number
        if row.line.kind == "heading":
            self._heading, self._above = join(s for _, _, s in row.subjects), Subject()
        if row.line.kind != "row":
            self._header = None
        elif self._header is None:
            self._header = read_header(row)
        elif RULE.match(row.line.text):
            return False
        row.header = self._header
        self.outer = self._above if self._above.named and row.line.text[:1] in " \t" else self._heading
        return True

    @property
    def lead(self) -> Subject | None:
        """The machine that the text began with, where a paragraph has ended since another was named: the talk is of it again."""
        return self._first if self._apart and self._first.named and self._first != self.carried else None

    def leave(self, row: Row) -> None:
        """Keeps what the line names for those below it."""
        named = [s for _, _, s in row.subjects if s.named]
        if not named:
            return
        self._apart = False
        last = named[-1]
        if self.carried.types and last.gpus & self.carried.gpus and not last.types:
            last = self.carried  # a card after its type is that type's
        counts = frozenset(int(q.plain) for q in row.quantities if q.dim in COUNT_DIMS and q.whole)
        last = last._replace(counts=last.counts or (counts if len(counts) == 1 else frozenset()))
        self.carried = last.over(Subject(regions=self.carried.regions))
        self._first = self._first if self._first.named else join(named)
        if row.line.text[:1] not in " \t":
            self._above = join(named)


def _figure(plain: str, row: Row, item: Quantity, scope: Scope) -> Figure:
    outer, carried = scope.outer, scope.carried
    at = bisect.bisect_right(row.bounds, item.start) - 1
    start, end = row.bounds[max(0, at)], row.bounds[min(at + 1, len(row.bounds) - 1)]
    labels, soft = labels_of(row, item, start, end)
    subject, near = subject_in(row, item, start, end)
    if row.header:
        column = plain.count("|", row.line.start, item.start) - row.line.text.lstrip().startswith("|")
        if 0 <= column < len(row.header):
            head, head_labels, unit = row.header[column]
            labels |= head_labels if column or not labels else NONE
            soft = soft and not labels
            near = near or head.named
            subject = subject.over(head) if head.agrees(subject) else subject.joined(head)
            item = unit_of_header(item, unit)
    if not item.per and item.dim.startswith("money"):
        item = replace(item, per=_per_around(plain, row, item, (start, end)))
    whole, strong = subject.over(outer if outer.named else carried), (subject.named and near) or outer.named
    beside = card_of(row, item, whole if near else Subject())
    labels = CARD_SIZE if item.dim == "memory" and (beside or OF_A_CARD.match(plain, item.end)) else labels
    dim = item.dim.partition("_")[0]
    if dim:
        labels &= allowed().get(dim, NONE)
    span = is_span(plain, item)
    return Figure(item, labels, whole, not strong, row.number, is_word(plain, item), span or is_bound(plain, item), span, soft, None if strong or subject.named else scope.lead, beside)


def _in_turn(row: Row, figures: list[Figure]) -> list[Figure]:
    """The figures of a line where those of a list are said to be of the names of a list before them, each of its own."""
    text, start = row.line.text, row.line.start
    names = [name for name in row.subjects if name[2].named]
    ends, runs = [m.start() + start for m in STOP.finditer(text)], list[list[int]]()
    for at, figure in enumerate(figures):
        before = figures[runs[-1][-1]].quantity if runs else None
        if before and before.dim == figure.quantity.dim and LISTED.fullmatch(text, before.end - start, figure.quantity.start - start):
            runs[-1].append(at)
        else:
            runs.append([at])
    for run in runs:
        first, last = figures[run[0]].quantity.start, figures[run[-1]].quantity.end
        opened = max((end for end in ends if end < first), default=start)
        closed = min((end for end in ends if end >= last), default=row.line.end)
        listed = [name for name in names if opened <= name[0] < first][-len(run) :]
        if len(run) < 2 or len(listed) != len(run) or not IN_TURN.search(text, opened - start, closed - start):
            continue
        if all(LISTED.fullmatch(text, one[1] - start, two[0] - start) for one, two in pairwise(listed)):
            for at, (_, _, subject) in zip(run, listed, strict=True):
                figures[at] = replace(figures[at], subject=subject, carried=False)
    return figures


def _per_around(plain: str, row: Row, item: Quantity, clause: tuple[int, int]) -> str:
    """What the words of the clause say that an amount is per, between it and the figures on both sides."""
    left = max((q.end for q in row.quantities if q.end <= item.start), default=clause[0])
    right = min((q.start for q in row.quantities if q.start >= item.end), default=clause[1])
    return per_before(plain[max(clause[0], left) : item.start]) or per_before(plain[item.end : min(clause[1], right)])
