"""Every figure of a text with what it is of: quantity, labels and subject, read from its clause, row, line and heading."""

from __future__ import annotations

import bisect
import re
import tomllib
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from .dates import blank_dates
from .draft_text import SENTENCE, Line, lines_of
from .quantities import (
    Quantity,
    blank_for_figures,
    is_bound,
    is_word,
    per_before,
    read_quantities,
    unit_of_header,
)
from .subjects import Subject, find_subjects, join, subject_of

CLAUSE = re.compile(r"[。！？!?;、()（）|]|\.(?= |$)|,(?!\d{3}(?!\d))|—+| - |(?<![A-Za-z])(?:but|while|whereas|versus|vs)(?![A-Za-z])|但是?|而(?!且|已)|÷")
"""Where what a label says ends; a colon does not."""
RULE = re.compile(r"^[\s|:-]+$")
COUNT_DIMS = ("cards",)
CARD_SIZE = frozenset({"card_size"})


@dataclass(frozen=True, slots=True)
class Figure:
    """`labels` of the clause; `subject` of the clause or the line, `carried` where it stands only in an earlier line."""

    quantity: Quantity
    labels: frozenset[str]
    subject: Subject
    carried: bool
    line: int
    sentence: int
    word: bool = False
    ranged: bool = False  # an end of a range, or said to be a bound
    beside: bool = False  # a card's name stands right beside it: 4 × A10, A10 24 GB


@dataclass(slots=True)
class _Row:
    """A line in the making: its tokens with their places in the whole text."""

    line: Line
    number: int
    bounds: list[int] = field(default_factory=list)
    subjects: list[tuple[int, int, Subject]] = field(default_factory=list)
    labels: list[tuple[int, int, str]] = field(default_factory=list)
    quantities: list[Quantity] = field(default_factory=list)
    header: list[tuple[Subject, frozenset[str], str]] | None = None


@cache
def label_words() -> dict[str, Any]:
    """The table labels.toml."""
    return tomllib.loads(files("assistant").joinpath("check", "labels.toml").read_text(encoding="utf-8"))


@cache
def asides() -> frozenset[str]:
    """Labels that bind no figure."""
    return frozenset(label_words()["said"]["aside"])


@cache
def _labels() -> tuple[re.Pattern[str], list[str]]:
    table = label_words()["labels"]
    return re.compile("|".join(f"({pattern})" for pattern in table.values())), list(table)


def find_labels(text: str) -> list[tuple[int, int, str]]:
    """The label words of a text with their places."""
    pattern, names = _labels()
    return [(m.start(), m.end(), names[m.lastindex - 1]) for m in pattern.finditer(text) if m.lastindex]


def read_figures(text: str, *, subject: Subject = Subject(), skip: list[tuple[int, int]] | None = None) -> list[Figure]:  # noqa: B008
    """The figures of a folded text in order. `subject`: what the whole text is of. `skip`: stretches that are read elsewhere."""
    plain = blank_dates(blank_for_figures(text))
    for start, end in skip or ():
        plain = plain[:start] + " " * (end - start) + plain[end:]
    quantities = read_quantities(plain)
    if not quantities:
        return []
    rows = _rows(text, quantities)
    found: list[Figure] = []
    carried, heading, above = subject, Subject(), Subject()
    header: list[tuple[Subject, frozenset[str], str]] | None = None
    for row in rows:
        if row.line.kind == "heading":
            heading, above = join(s for _, _, s in row.subjects), Subject()
        if row.line.kind != "row":
            header = None
        elif header is None:
            header = _header(row)
        elif RULE.match(row.line.text):
            continue
        row.header = header if row.line.kind == "row" else None
        outer = above if above.named and row.line.text[:1] in " \t" else heading
        found += [_figure(plain, row, item, outer, carried) for item in row.quantities]
        named = [s for _, _, s in row.subjects if s.named]
        if named:
            carried = named[-1].over(Subject(regions=carried.regions))
            if row.line.text[:1] not in " \t":
                above = join(named)
    return found


def _rows(text: str, quantities: list[Quantity]) -> list[_Row]:
    rows = [_Row(line, number) for number, line in enumerate(lines_of(text)) if line.kind != "blank"]
    starts = [row.line.start for row in rows]
    for subject in find_subjects(text):
        rows[bisect.bisect_right(starts, subject[0]) - 1].subjects.append(subject)
    for label in find_labels(text):
        rows[bisect.bisect_right(starts, label[0]) - 1].labels.append(label)
    for item in quantities:
        rows[bisect.bisect_right(starts, item.start) - 1].quantities.append(item)
    for row in rows:
        if row.quantities:
            row.bounds = [row.line.start, *(row.line.start + m.start() for m in CLAUSE.finditer(row.line.text)), row.line.end]
    return rows


def _figure(plain: str, row: _Row, item: Quantity, outer: Subject, carried: Subject) -> Figure:
    at = bisect.bisect_right(row.bounds, item.start) - 1
    start, end = row.bounds[max(0, at)], row.bounds[min(at + 1, len(row.bounds) - 1)]
    labels = _labels_of(row, item, start, end)
    subject = _subject_of(row, item, start, end)
    if row.header:
        column = plain.count("|", row.line.start, item.start) - row.line.text.lstrip().startswith("|")
        if 0 <= column < len(row.header):
            head_subject, head_labels, unit = row.header[column]
            labels = labels or head_labels
            labels |= head_labels if column else frozenset()
            subject = subject.joined(head_subject) if not head_subject.agrees(subject) else subject.over(head_subject)
            item = unit_of_header(item, unit)
    if not item.per and item.dim.startswith("money"):
        item = replace(item, per=per_before(plain[start : item.start]) or per_before(plain[item.end : end]))
    beside = any(s.gpus and not s.families for s in _beside(row, item))
    if beside and item.dim == "memory":
        labels = CARD_SIZE
    strong = subject.named or outer.named
    whole = subject.over(outer) if strong else subject.over(carried)
    return Figure(item, labels, whole, not strong, row.number, row.bounds[max(0, at)], is_word(plain, item), is_bound(plain, item), beside)


def _labels_of(row: _Row, item: Quantity, start: int, end: int) -> frozenset[str]:
    """The nearest label on each side in the clause; where there is none, or in brackets also, the one before it in the line."""
    before = [label for label in row.labels if start <= label[0] < item.start]
    follow = min((q.start for q in row.quantities if q.start > item.start), default=end)
    after = [label for label in row.labels if item.start < label[0] < min(end, follow)]
    found = {label[2] for label in [*before[-2:], *after[:1]]}
    bracket = _open_bracket(row, item.start)
    if bracket is not None:
        found |= {label[2] for label in row.labels if row.line.start <= label[0] < bracket and label[2] not in asides()}
    if not found - asides():
        earlier = [label for label in row.labels if label[0] < start and label[2] not in asides()]
        found |= {label[2] for label in (earlier[:1] if row.header else earlier[-1:])}  # a row is headed by its first cell
    return frozenset(found)


def _open_bracket(row: _Row, at: int) -> int | None:
    """Where the bracket opens that a place stands in."""
    before = row.line.text[: at - row.line.start]
    opened = max(before.rfind("("), before.rfind("（"))
    return row.line.start + opened if opened > max(before.rfind(")"), before.rfind("）")) else None


def _subject_of(row: _Row, item: Quantity, start: int, end: int) -> Subject:
    """The names of the clause; else the last before it in the line. The number of cards in the clause is part of it."""
    here = join(s for a, _, s in row.subjects if start <= a < end)
    beside = _beside(row, item)
    if beside and not here.types:  # "40 GB gn7 or 48 GB gn8is": each its own
        here = beside[0]._replace(regions=here.regions)
    before = [s for a, _, s in row.subjects if a < start and s.named]
    if not here.named:
        here = _last(before or [s for a, _, s in row.subjects if a >= end and s.named][:1]).joined(here)
    elif before and not here.types and before[-1].gpus & here.gpus:  # "ecs.X (1 × A10 24 GB, …)": the card is that type's
        here = before[-1].joined(here)
    elif not here.types and item.dim in COUNT_DIMS:  # "four A100, that is ecs.X": the type says how many
        behind = [s for a, _, s in row.subjects if end <= a < _sentence_end(row, item) and s.types and s.gpus & here.gpus]
        here = behind[0].joined(here) if len(behind) == 1 else here
    if here.types:  # a bare A100 is the card of the type named
        own = join(subject_of(name) for name in here.types).gpus
        here = here._replace(gpus=own if own & here.gpus else here.gpus)
    if not here.regions:
        here = here._replace(regions=next((s.regions for a, _, s in reversed(row.subjects) if a < item.start and s.regions), here.regions))
    counts = frozenset(int(q.plain) for q in row.quantities if q.dim in COUNT_DIMS and start <= q.start < end and q.whole and not q.spoken)
    return here._replace(counts=counts or here.counts) if item.dim not in COUNT_DIMS else here


def _beside(row: _Row, item: Quantity) -> list[Subject]:
    """The name right behind or right before a figure."""
    return [s for a, b, s in row.subjects if s.named and (0 <= a - item.end <= 2 or 0 <= item.start - b <= 2)]


def _sentence_end(row: _Row, item: Quantity) -> int:
    match = SENTENCE.search(row.line.text, item.end - row.line.start)
    return row.line.start + match.start() if match else row.line.end


def _last(before: list[Subject]) -> Subject:
    """The last machine or card; a card behind its own type means the type."""
    if not before:
        return Subject()
    last = before[-1]
    if last.types:
        return last
    for earlier, _ in pairwise([*before, last]):
        if earlier.types and earlier.gpus & last.gpus:
            last = earlier
    return last


def _header(row: _Row) -> list[tuple[Subject, frozenset[str], str]]:
    """Of each column: the names, the labels and the words of its head."""
    text, start = row.line.text, row.line.start
    inner = text.strip().strip("|")
    at = start + text.index(inner) if inner else start
    cells = []
    for cell in inner.split("|"):
        end = at + len(cell)
        cells.append((join(s for a, _, s in row.subjects if at <= a < end), frozenset(n for a, _, n in row.labels if at <= a < end), cell))
        at = end + 1
    return cells
