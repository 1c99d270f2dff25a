"""Every figure of a text with what it is of: quantity, labels and subject, read from its clause, row, line and heading."""

from __future__ import annotations

import bisect
import re
import tomllib
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from .dates import blank_dates
from .draft_text import Line, lines_of
from .first_characters import alternatives, first_characters
from .quantities import Quantity, blank_for_figures, is_bound, is_span, is_word, per_before, read_quantities, unit_of_header
from .subjects import Subject, find_subjects, join, subject_of

CLAUSE = re.compile(r"[。！？!?;、()（）|]|\.(?= |$)|,(?!\d{3}(?!\d))|—+| - |(?<![A-Za-z])(?:but|while|whereas|versus|vs)(?![A-Za-z])|但是?|而(?!且|已)|÷|[<>≤≥]|(?: of| out of| against|对|低于|高于|大于|小于)(?= ?(?:(?:a|the|its|usable|available|memory) )*(?:(?:limit|budget|capacity) of )?\d)")
"""Where what a label says ends; a colon does not."""
BEHIND, BEFORE = re.compile(r" ?(?:的|of|x|×|\*)? ?(?:NVIDIA )?"), re.compile(r"[ -]?(?:[（(] ?)?(?:[x×*] ?)?(?:NVIDIA )?")
STOP = re.compile(r"[。！？!?]|\.(?= |$)")
COMPARED = re.compile(r"对|比|vs|versus|against|than|[Cc]ompared|而|反而|倒|却")
AFTER_TYPE = re.compile(r"[`*]{0,3} ?[(（:] ?|[`*]{0,3} ?有 ?")
RELATIONS = ("<", ">", "≤", "≥")
RULE = re.compile(r"^[\s|:-]+$")
COUNT_DIMS = ("cards",)
NONE: frozenset[str] = frozenset()
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
    span: bool = False  # an end of a range
    soft: bool = False  # the labels stand only before its clause
    beside: frozenset[str] = NONE  # the card that is named right beside it: 4 × A10, A10 24 GB


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
def allowed() -> dict[str, frozenset[str]]:
    """The labels that figures of a dimension may have."""
    return {dim: frozenset(labels) for dim, labels in label_words()["of"].items()}


@cache
def _labels() -> dict[str, tuple[re.Pattern[str], list[str]]]:
    """By the first character of a word the pattern of all label words that begin so: one pattern of all is ten times slower."""
    by_first: dict[str, list[tuple[str, str]]] = {}
    for name, words in label_words()["labels"].items():
        for word in alternatives(words):
            for first in first_characters(word):
                by_first.setdefault(first, []).append((word, name))
    return {first: (re.compile("|".join(f"({word})" for word, _ in items)), [name for _, name in items]) for first, items in by_first.items()}


@cache
def _starts() -> re.Pattern[str]:
    letters = "".join(re.escape(first) for first in _labels() if not ("A" <= first.upper() <= "Z"))
    return re.compile(rf"[{letters}]|(?<![A-Za-z])[A-Za-z]")


def find_labels(text: str) -> list[tuple[int, int, str]]:
    """The label words of a text with their places."""
    patterns, found, end = _labels(), [], 0
    for start in _starts().finditer(text):
        at = start.start()
        entry = patterns.get(text[at]) if at >= end else None
        match = entry[0].match(text, at) if entry else None
        if entry and match and match.lastindex:
            end = match.end()
            found.append((at, end, entry[1][match.lastindex - 1]))
    return found


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
        if row.line.start in copied:
            found += [Figure(item, NONE, carried, True, row.number, row.line.start) for item in row.quantities]
        else:
            found += [_figure(plain, row, item, outer, carried) for item in row.quantities]
        named = [s for _, _, s in row.subjects if s.named]
        if named:
            last = named[-1]
            if carried.types and last.gpus & carried.gpus and not last.types:
                last = carried  # a card after its type is that type's
            counts = frozenset(int(q.plain) for q in row.quantities if q.dim in COUNT_DIMS and q.whole)
            carried = last._replace(counts=last.counts or (counts if len(counts) == 1 else frozenset())).over(Subject(regions=carried.regions))
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
    labels, soft = _labels_of(row, item, start, end)
    subject, near = _subject_of(row, item, start, end)
    if row.header:
        column = plain.count("|", row.line.start, item.start) - row.line.text.lstrip().startswith("|")
        if 0 <= column < len(row.header):
            head_subject, head_labels, unit = row.header[column]
            labels = labels or head_labels
            labels |= head_labels if column else frozenset()
            soft = soft and not labels
            near = near or head_subject.named
            subject = subject.joined(head_subject) if not head_subject.agrees(subject) else subject.over(head_subject)
            item = unit_of_header(item, unit)
    if not item.per and item.dim.startswith("money"):
        left = max((q.end for q in row.quantities if q.end <= item.start), default=start)
        right = min((q.start for q in row.quantities if q.start >= item.end), default=end)
        item = replace(item, per=per_before(plain[max(start, left) : item.start]) or per_before(plain[item.end : min(end, right)]))
    beside = next((s.gpus for s in _beside(row, item) if s.gpus and not s.families), NONE)
    if beside and item.dim == "memory":
        labels = CARD_SIZE
    strong = (subject.named and near) or outer.named
    whole = subject.over(outer) if outer.named else subject.over(carried)
    dim = item.dim.partition("_")[0]
    if dim:
        labels &= allowed().get(dim, NONE)
    span = is_span(plain, item)
    if item.dim in COUNT_DIMS and not beside:
        beside = whole.gpus if near and whole.types and _types_behind(row, item) else next((s.gpus for a, b, s in row.subjects if s.types and b <= item.start and AFTER_TYPE.fullmatch(row.line.text, b - row.line.start, item.start - row.line.start)), NONE)
    return Figure(item, labels, whole, not strong, row.number, row.bounds[max(0, at)], is_word(plain, item), span or is_bound(plain, item), span, soft, beside)


def _labels_of(row: _Row, item: Quantity, start: int, end: int) -> tuple[frozenset[str], bool]:
    """The nearest label on each side in the clause, in brackets also what stands before; where there is none, the last in the line, and that
    it is of the line only."""
    before = [label for label in row.labels if start <= label[0] < item.start]
    follow = min((q.start for q in row.quantities if q.start > item.start), default=end)
    colon = row.line.text.find(":", item.end - row.line.start)
    until = min(end, follow, row.line.start + colon if colon >= 0 else end)
    after = [label for label in row.labels if item.start < label[0] < until]
    found = {label[2] for label in [*before[-2:], *after[:1]]}
    own = bool(found - asides())
    bracket = _open_bracket(row, item.start)
    if bracket is not None:
        found |= {label[2] for label in row.labels if row.line.start <= label[0] < bracket and label[2] not in asides()}
    if found - asides():
        return frozenset(found), not own
    if row.header:  # a row is headed by its first cell
        cell = row.line.start + max(1, row.line.text.find("|", 1))
        return frozenset(found | {label[2] for label in row.labels if label[0] < cell}), False
    earlier = [] if row.line.text[start - row.line.start : start - row.line.start + 1] in RELATIONS else [label for label in row.labels if label[0] < start]
    return frozenset(found | {label[2] for label in [label for label in earlier if label[2] not in asides()][-1:]}), True


def _open_bracket(row: _Row, at: int) -> int | None:
    """Where the bracket opens that a place stands in."""
    before = row.line.text[: at - row.line.start]
    opened = max(before.rfind("("), before.rfind("（"))
    return row.line.start + opened if opened > max(before.rfind(")"), before.rfind("）")) else None


def _subject_of(row: _Row, item: Quantity, start: int, end: int) -> tuple[Subject, bool]:
    """The names of the clause; else the last before it in the line, and whether its sentence has them. The number of cards in the clause is
    part of it."""
    here = join(s for a, _, s in row.subjects if start <= a < end)
    if COMPARED.search(row.line.text, start - row.line.start, end - row.line.start):  # "125 against 119 TFLOPS": of either
        here = here.joined(join(s for a, _, s in row.subjects if a < start)._replace(counts=frozenset()))
    beside = _beside(row, item)
    if beside and not here.types:  # "40 GB gn7 or 48 GB gn8is": each its own
        more = join(s for a, _, s in row.subjects if start <= a < end and s.families and s.gpus & beside[0].gpus)
        here = beside[0]._replace(families=beside[0].families | more.families, regions=here.regions)
    before = [s for a, _, s in row.subjects if a < start and s.named]
    near = True
    if not here.named:
        near = bool(before) and (row.header is not None or not STOP.search(row.line.text, max(b for a, b, s in row.subjects if a < start and s.named) - row.line.start, item.start - row.line.start))
        here = _last(before or [s for a, _, s in row.subjects if a >= end and s.named][:1]).joined(here)
    elif before and not here.types and before[-1].gpus & here.gpus:  # "ecs.X (1 × A10 24 GB, …)": the card is that type's
        here = before[-1].joined(here)
    if not here.types and item.dim in COUNT_DIMS:  # "four A100, that is ecs.X": the type says how many
        stop = min([_sentence_end(row, item), *(q.start for q in row.quantities if q.start > item.start and q.dim in COUNT_DIMS)])
        behind = [s for a, _, s in row.subjects if item.end <= a < stop and s.types and (not here.gpus or s.gpus & here.gpus)]
        if len(behind) == 1:
            here, near = behind[0].joined(here), True
    if here.types:  # a bare A100 is the card of the type named
        own = join(subject_of(name) for name in here.types).gpus
        here = here._replace(gpus=own if own & here.gpus else here.gpus)
    if not here.regions:
        here = here._replace(regions=next((s.regions for a, _, s in reversed(row.subjects) if a < item.start and s.regions), here.regions))
    counts = frozenset(int(q.plain) for q in row.quantities if q.dim in COUNT_DIMS and start <= q.start < end and q.whole and not q.spoken)
    return (here._replace(counts=counts or here.counts) if item.dim not in COUNT_DIMS else here), near


def _beside(row: _Row, item: Quantity) -> list[Subject]:
    """The name right behind or right before a figure."""
    text, start = row.line.text, row.line.start
    return [
        s for a, b, s in row.subjects
        if s.named and ((a >= item.end and BEHIND.fullmatch(text, item.end - start, a - start)) or (b <= item.start and BEFORE.fullmatch(text, b - start, item.start - start)))
    ]  # fmt: skip


def _types_behind(row: _Row, item: Quantity) -> bool:
    """Whether the sentence names a type only behind a number of cards."""
    end = _sentence_end(row, item)
    return any(s.types and item.end <= a < end for a, _, s in row.subjects) and not any(s.types and a < item.start for a, _, s in row.subjects)


def _sentence_end(row: _Row, item: Quantity) -> int:
    match = STOP.search(row.line.text, item.end - row.line.start)
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
