"""Figures of a chat model's draft: each must be proved by a fact of the same quantity and the same subject."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from knowledge import facts

from .commands import proved_code
from .draft_text import DraftText
from .fact_base import FactBase, agree
from .figures import Figure, asides, read_figures
from .known import DENIED
from .operations import follows, is_total
from .problem import Problem
from .records import Fact, catalog_facts
from .subjects import Subject
from .templates import Worded, Wordings, worded_lines, worded_sentences

if TYPE_CHECKING:
    from .support import Support

MALFORMED = re.compile(r"0\d")
LAYOUT = frozenset({"cards", "machines", "tp"})
ORDINARY = 3
"""Whole numbers up to this without a unit are words."""


def bad_numbers(draft: DraftText, support: Support) -> Iterator[Problem]:
    """Figures that nothing proves, and copied sentences with another figure or name in them."""
    copied = Copies(draft.text, support.known.wordings)
    figures = read_figures(draft.text, skip=proved_code(draft, support))
    proof = Proof(draft, support, figures)
    for figure in figures:
        item = figure.quantity
        if copied.is_proved(item.start):
            continue
        other = copied.other(item.start)
        if not other and (figure.word or (item.whole and item.plain <= ORDINARY and not item.dim)):
            continue
        if not MALFORMED.match(item.text) and (proof.by_field(figure) if other else proof.holds(figure)):
            continue
        yield Problem("number", item.text, item.start, _reason(figure, proof, other))
    yield from copied.unread({figure.quantity.start for figure in figures}, draft.text)
    yield from copied.foreign_names()


class Copies:
    """Which stretches of a draft are worded like a known text: those that hold the same, and those that do not."""

    def __init__(self, text: str, wordings: Wordings) -> None:
        self._proved: list[tuple[int, int]] = []
        self._others: dict[int, str] = {}  # start of a differing figure → what the known text has there
        self._names: list[tuple[int, str, str]] = []
        for worded in (*worded_lines(text), *worded_sentences(text)):
            if self.is_proved(worded.start) or not (found := wordings.differing(worded)):
                continue
            self._take(worded, *found)

    def _take(self, worded: Worded, nearest: tuple[str, ...], differing: list[int]) -> None:
        if not differing:
            self._proved.append((worded.start, worded.end))
            return
        names = [at for at in differing if not worded.spans[at][2]]
        if names and len(differing) == len(names) and len(names) == 1:
            self._names.append((worded.spans[names[0]][0], worded.held[names[0]], nearest[names[0]]))
        for at in differing:
            if worded.spans[at][2]:
                self._others[worded.spans[at][0]] = nearest[at]

    def is_proved(self, place: int) -> bool:
        """Whether the place is in a stretch that stands in a known text, figures and names alike."""
        return any(start <= place < end for start, end in self._proved)

    def other(self, place: int) -> str:
        """What the known text of the same wording has in place of this figure; empty where there is none."""
        return self._others.get(place, "")

    def unread(self, read: set[int], text: str) -> Iterator[Problem]:
        """Differing numbers that are no figures: of dates, versions, addresses."""
        for start, known in self._others.items():
            if start not in read and not self.is_proved(start):
                said = re.match(r"[\d.,]*\d|[^\W\d]{1,12}", text[start:])
                if said:
                    yield Problem("number", said.group(), start, f"{said.group()} is in no tool result; the same sentence of the tools has {known} there.")

    def foreign_names(self) -> Iterator[Problem]:
        """Names that stand alone in place of another in a copied sentence."""
        for start, name, known in self._names:
            yield Problem("name", name, start, f"The tools' sentence is about {known}, not {name}.")


class Proof:
    """Proves figures of one draft."""

    def __init__(self, draft: DraftText, support: Support, figures: list[Figure]) -> None:
        self._known = support.known
        self._draft = draft
        self._figures = figures
        self._lines: dict[int, list[Figure]] = {}
        for figure in figures:
            self._lines.setdefault(figure.line, []).append(figure)

    def holds(self, figure: Figure) -> bool:
        """By a text that may be repeated, by a record or the catalog, or by an operation shown."""
        if self._contradicts_type(figure):
            return False
        return self.by_text(figure) or self.by_record(figure) or self.by_passage(figure) or self.by_operation(figure) or self.by_name(figure)

    def _contradicts_type(self, figure: Figure) -> bool:
        """Whether a number of cards, or the size beside a card's name, is not that of the one type it is said of."""
        item = figure.quantity
        if figure.carried or len(figure.subject.types) != 1 or not (figure.beside and item.dim in ("cards", "memory")):
            return False
        row = facts.instances()[next(iter(figure.subject.types))]
        if item.dim == "cards":
            machines = {1, *(int(o.quantity.plain) for o in self._lines[figure.line] if o.quantity.dim == "machines")}
            return bool(row.gpu_count) and item.plain not in {row.gpu_count * n for n in machines}
        sizes = {row.gpu_memory_gb_each or 0.0, row.gpu_memory_gb_total or 0.0}
        return not any(abs(value / unit - size) < 0.01 * size for value in item.strict for unit in (1e9, 1073741824.0) for size in sizes if size)

    def by_text(self, figure: Figure) -> bool:
        """By the composed answer, the question or the thread; or, in a line that denies it, by a statement judged wrong."""
        if any(True for _ in self._known.said.equal(figure)):
            return True
        line = self._draft.lines[figure.line].text
        return bool(DENIED.search(line)) and any(True for _ in self._known.denied.equal(figure))

    def by_passage(self, figure: Figure) -> bool:
        """By a sentence of a tool or a source, with the unit and what it is of."""
        item = figure.quantity
        return any(match.fact.dim == item.dim and (match.label or match.subject) for match in self._known.passages.equal(figure, bare=not item.dim))

    def by_name(self, figure: Figure) -> bool:
        """By a name: the 72 B of Qwen2.5-72B, the 4 bit of int4."""
        item = figure.quantity
        if item.dim == "parameters":
            return item.plain in self._known.sizes
        return item.dim == "bits" and item.plain in self._known.bits

    def by_record(self, figure: Figure) -> bool:
        """By a record's field of the same label, of the very subject or of the whole job."""
        for base in (self._known.records, self._catalog):
            for match in base.equal(figure, bare=bool(figure.labels)):
                if match.label and (match.subject or not match.fact.subject.named) and _same_label(figure, match.fact):
                    return True
        return False

    def by_field(self, figure: Figure) -> bool:
        """By a record's field with the unit as written: for a figure that stands in a copied sentence in place of another.

        How many machines or cards that sentence is about is no field's to change, unless the type is named.
        """
        item = figure.quantity
        if item.dim in LAYOUT and not (item.dim == "cards" and figure.subject.types and not figure.carried):
            return False
        slack = 0.5 * item.strict[0] / item.plain if item.about and item.whole and item.plain else item.slack
        figure = replace(figure, quantity=replace(item, values=item.strict, slack=min(slack, item.slack)))
        for base in (self._known.records, self._catalog):
            for match in base.equal(figure, bare=False):
                mine = match.subject and not (figure.carried and not figure.subject.types)
                if match.fact.dim == item.dim and not match.fact.bound and (mine or not match.fact.subject.named) and _same_label(figure, match.fact):
                    return True
        return False

    def by_operation(self, figure: Figure) -> bool:
        """By an operation that its line shows, or as the total of the rows above."""
        line = self._draft.lines[figure.line].text
        if follows(figure, self._lines[figure.line], self._prices(figure), line):
            return True
        above = [other for number in range(figure.line - 12, figure.line) for other in self._lines.get(number, ())]
        return "needed" in figure.labels and is_total(figure, [*above, figure])

    def _prices(self, figure: Figure) -> list[Fact]:
        free = Figure(replace(figure.quantity, per=""), frozenset(), figure.subject, figure.carried, 0, 0)
        bases = (self._known.said, self._known.records)
        prices = [f for base in bases for f in base.all_of("money") if agree(free, f)]
        named = [f for f in prices if figure.subject.shares(f.subject)]
        return named or prices

    @cached_property
    def _catalog(self) -> FactBase:
        """The catalog's facts of all that the draft names."""
        whole = Subject()
        found: list[Fact] = []
        for subject in {figure.subject for figure in self._figures}:
            whole = whole.joined(subject)
        found += catalog_facts(whole)
        return FactBase(found)

    def nearest(self, figure: Figure) -> Fact | None:
        """The fact that comes nearest, for the reason."""
        return self._known.said.nearest(figure) or self._known.records.nearest(figure) or self._catalog.nearest(figure)


def _same_label(figure: Figure, fact: Fact) -> bool:
    """Whether a figure is called what the field is; figures with a unit of their own need no word."""
    if fact.bound and not figure.ranged:
        return False
    if figure.labels & fact.labels:
        return True
    return not fact.labels - asides() and figure.quantity.dim == fact.dim or fact.dim.startswith("money_") or fact.dim not in ("memory", "", "tokens", "users")


def _reason(figure: Figure, proof: Proof, other: str) -> str:
    text = figure.quantity.text
    if other:
        return f"{text} is in no tool result; the same sentence of the tools has {other} there."
    near = proof.nearest(figure)
    if near is None:
        return f"{text} is in no tool result: leave it out or use a figure of the tools."
    return f"{text} is in no tool result; {_said(near)}."


def _said(fact: Fact) -> str:
    if fact.slack or not fact.dim:
        return f"the tools say {fact.said}"
    units = {"memory": (1073741824.0, " GiB"), "time": (3600.0, " hours"), "parameters": (1e9, "B"), "bandwidth": (1e9, " GB/s"), "compute": (1e12, " TFLOPS")}
    factor, unit = units.get(fact.dim, (1.0, f" {fact.dim.removeprefix('money_')}"))
    return f"{fact.said.replace('_', ' ')} is {fact.value / factor:,.5g}{unit}"
