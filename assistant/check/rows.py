"""Lines of a text with the names, labels and figures in them, and which of those belong together."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from itertools import pairwise

from .draft_text import Line, lines_of
from .labels import asides, find_labels
from .quantities import Quantity
from .subjects import Subject, find_subjects, join, subject_of

CLAUSE = re.compile(r"[。！？!?;、()（）|]|\.(?= |$)|,(?!\d{3}(?!\d))|—+| [-–] |(?<![A-Za-z])(?:but|while|whereas|versus|vs)(?![A-Za-z])|但是?|而(?!且|已)|÷|[<>≤≥]|(?: of| out of| against|对|低于|高于|大于|小于)(?= ?(?:(?:a|the|its|usable|available|memory) )*(?:(?:limit|budget|capacity) of )?\d)")
"""Where what a label says ends; a colon does not."""
WITH = re.compile(r" ?(?:和|与|及|、|\+|&|and|plus) ?(?:the )?")
"""Between two parts that a figure is both of: "0.8 GiB for activations and engine"."""
BEHIND, BEFORE = re.compile(r" ?(?:的|of|x|×|\*)? ?(?:NVIDIA )?"), re.compile(r"[ -]?(?:[（(] ?)?(?:[x×*] ?)?(?:NVIDIA )?")
THIS = re.compile(r"[这那此]一?(?:项|部分|块(?!卡)|个部分|样)|仅此|单此|(?:this|that|which) alone")
STOP = re.compile(r"[。！？!?]|\.(?= |$)")
COMPARED = re.compile(r"对|比(?!如|例|方|特)|vs|versus|against|than|[Cc]ompared|而|反而|倒|却")
AFTER_TYPE = re.compile(r"[`*]{0,3} ?[(（:] ?|[`*]{0,3} ?有 ?")
RELATIONS = ("<", ">", "≤", "≥")
COUNT_DIMS = ("cards",)
NONE: frozenset[str] = frozenset()
Header = list[tuple[Subject, frozenset[str], str]]
"""Of each column: the names, the labels and the words of its head."""


@dataclass(slots=True)
class Row:
    """A line in the making: its tokens with their places in the whole text."""

    line: Line
    number: int
    bounds: list[int] = field(default_factory=list)
    subjects: list[tuple[int, int, Subject]] = field(default_factory=list)
    labels: list[tuple[int, int, str]] = field(default_factory=list)
    quantities: list[Quantity] = field(default_factory=list)
    header: Header | None = None


def read_rows(text: str, quantities: list[Quantity]) -> list[Row]:
    """The lines of a text that are not blank, with their tokens."""
    rows = [Row(line, number) for number, line in enumerate(lines_of(text)) if line.kind != "blank"]
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


def labels_of(row: Row, item: Quantity, start: int, end: int) -> tuple[frozenset[str], bool]:
    """The nearest label on each side in the clause, in brackets also what stands before; where there is none, the last in the line, and that
    it is of the line only."""
    before = [label for label in row.labels if start <= label[0] < item.start]
    follow = min((q.start for q in row.quantities if q.start > item.start), default=end)
    colon = row.line.text.find(":", item.end - row.line.start)
    until = min(end, follow, row.line.start + colon if colon >= 0 else end)
    after = [label for label in row.labels if item.start < label[0] < until]
    behind = after[:1]
    while behind and len(behind) < min(len(after), 4) and WITH.fullmatch(row.line.text, behind[-1][1] - row.line.start, after[len(behind)][0] - row.line.start):
        behind = after[: len(behind) + 1]
    told = [label for label in before if label[2] not in asides()][-2:]
    found = {label[2] for label in [*before[-2:], *told, *behind]}
    own = bool(found - asides())
    bracket = _open_bracket(row, item.start)
    if "needed" in found and THIS.search(row.line.text, start - row.line.start, item.start - row.line.start):
        found, own = found - {"needed"}, False  # "优化器…；单这一项就要 40 GiB"
    if bracket is not None:
        found |= {label[2] for label in row.labels if row.line.start <= label[0] < bracket and label[2] not in asides()}
    if found - asides():
        return frozenset(found), not own
    if row.header:  # a row is headed by its first cell
        cell = row.line.start + max(1, row.line.text.find("|", 1))
        return frozenset(found | {label[2] for label in row.labels if label[0] < cell}), False
    earlier = [] if row.line.text[start - row.line.start : start - row.line.start + 1] in RELATIONS else [label for label in row.labels if label[0] < start]
    return frozenset(found | {label[2] for label in [label for label in earlier if label[2] not in asides()][-1:]}), True


def _open_bracket(row: Row, at: int) -> int | None:
    """Where the bracket opens that a place stands in."""
    before = row.line.text[: at - row.line.start]
    opened = max(before.rfind("("), before.rfind("（"))
    return row.line.start + opened if opened > max(before.rfind(")"), before.rfind("）")) else None


def subject_in(row: Row, item: Quantity, start: int, end: int) -> tuple[Subject, bool]:
    """The names of the clause; else the last before it in the line, and whether its sentence has them. The number of cards in the clause is
    part of it."""
    here = _named_in(row, item, start, end)
    before = [(b, s) for a, b, s in row.subjects if a < start and s.named]
    near = True
    if not here.named:
        near = bool(before) and (row.header is not None or not STOP.search(row.line.text, before[-1][0] - row.line.start, item.start - row.line.start))
        here = _last([s for _, s in before] or [s for a, _, s in row.subjects if a >= end and s.named][:1]).joined(here)
    elif before and not here.types and before[-1][1].gpus & here.gpus:  # "ecs.X (1 × A10 24 GB, …)": the card is that type's
        here = before[-1][1].joined(here)
    if not here.types and item.dim in COUNT_DIMS and (type_behind := _type_behind(row, item, here)):
        here, near = type_behind.joined(here), True
    if here.types:  # a bare A100 is the card of the type named
        own = join(subject_of(name) for name in here.types).gpus
        here = here._replace(gpus=own if own & here.gpus else here.gpus)
    if not here.regions:
        here = here._replace(regions=next((s.regions for a, _, s in reversed(row.subjects) if a < item.start and s.regions), here.regions))
    if item.dim in COUNT_DIMS:
        return here, near
    counts = frozenset(int(q.plain) for q in row.quantities if q.dim in COUNT_DIMS and start <= q.start < end and q.whole and not q.spoken)
    if counts and here.types and not any(start <= a < end and s.types for a, _, s in row.subjects) and not counts & _sizes_of(here):
        here = here._replace(types=NONE)  # "单卡 ecs.X 1.67 万，8 卡 13.34 万": another type of its family
    return here._replace(counts=counts or here.counts), near


def _sizes_of(subject: Subject) -> frozenset[int]:
    """How many cards the types of a subject have."""
    return frozenset(n for name in subject.types for n in subject_of(name).counts)


def _named_in(row: Row, item: Quantity, start: int, end: int) -> Subject:
    """The names of a clause; of two that are compared both, of a card right beside the figure that alone."""
    here = join(s for a, _, s in row.subjects if start <= a < end)
    if COMPARED.search(row.line.text, start - row.line.start, end - row.line.start):  # "125 against 119 TFLOPS": of either
        here = here.joined(join(s for a, _, s in row.subjects if a < start)._replace(counts=frozenset()))
    beside = names_beside(row, item)
    if not beside or here.types:
        return here
    more = join(s for a, _, s in row.subjects if start <= a < end and s.families and s.gpus & beside[0].gpus)
    return beside[0]._replace(families=beside[0].families | more.families, regions=here.regions)  # "40 GB gn7 or 48 GB gn8is": each its own


def _type_behind(row: Row, item: Quantity, here: Subject) -> Subject | None:
    """The one type that the sentence names behind a number of cards: "four A100, that is ecs.X"."""
    stop = min([_sentence_end(row, item), *(q.start for q in row.quantities if q.start > item.start and q.dim in COUNT_DIMS)])
    behind = [s for a, _, s in row.subjects if item.end <= a < stop and s.types and (not here.gpus or s.gpus & here.gpus)]
    return behind[0] if len(behind) == 1 else None


def names_beside(row: Row, item: Quantity) -> list[Subject]:
    """The name right behind or right before a figure."""
    text, start = row.line.text, row.line.start
    return [
        s for a, b, s in row.subjects
        if s.named and ((a >= item.end and BEHIND.fullmatch(text, item.end - start, a - start)) or (b <= item.start and BEFORE.fullmatch(text, b - start, item.start - start)))
    ]  # fmt: skip


def card_of(row: Row, item: Quantity, near: Subject) -> frozenset[str]:
    """The card that a figure stands right beside; a number of cards also beside or before the type that says how many: `ecs.X` (4 × …)."""
    beside = next((s.gpus for s in names_beside(row, item) if s.gpus and not s.families), NONE)
    if beside or item.dim not in COUNT_DIMS:
        return beside
    text, start, end = row.line.text, row.line.start, _sentence_end(row, item)
    typed = [(a, b, s) for a, b, s in row.subjects if s.types]
    if near.types and any(item.end <= a < end for a, _, _ in typed) and not any(a < item.start for a, _, _ in typed):
        return near.gpus
    return next((s.gpus for _, b, s in typed if b <= item.start and AFTER_TYPE.fullmatch(text, b - start, item.start - start)), NONE)


def _sentence_end(row: Row, item: Quantity) -> int:
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


def read_header(row: Row) -> Header:
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
