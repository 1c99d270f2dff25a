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
from .equations import Equation, find_equations
from .fact_base import FactBase, agree
from .figures import Figure, asides, read_figures
from .known import DENIED
from .operations import follows, is_bill, is_total
from .problem import Problem
from .records import Fact, catalog_facts, specs
from .subjects import Subject, find_subjects, join
from .templates import Worded, Wordings, worded_lines, worded_sentences

if TYPE_CHECKING:
    from .support import Support

MALFORMED = re.compile(r"0\d")
FREE = frozenset({"time", "", "months", "machines", "years"})
USUAL = frozenset({7.0, 24.0, 30.0, 31.0, 365.0, 720.0, 730.0, 744.0, 8760.0, 1.0, 12.0})
"""Times that a reckoning may use without being told: hours of a day, a month, a year."""
LAYOUT = frozenset({"cards", "machines", "tp"})
ORDINARY = 3
"""Whole numbers up to this without a unit are words."""


def bad_numbers(draft: DraftText, support: Support) -> Iterator[Problem]:
    """Figures that nothing proves, and copied sentences with another figure or name in them."""
    copied = Copies(draft.text, support.known.wordings)
    asked = join(subject for _, _, subject in find_subjects(support.question) if subject.named)
    figures = read_figures(draft.text, subject=asked, skip=proved_code(draft, support), copied=copied.lines)
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
    yield from proof.wrong_sums()
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
            if worded.whole or worded.names:  # a part of a line that names nothing may have been moved under another name
                self._proved.append((worded.start, worded.end))
            return
        names = [at for at in differing if not worded.spans[at][2]]
        if names and len(differing) == len(names) and len(names) == 1:
            self._names.append((worded.spans[names[0]][0], worded.held[names[0]], nearest[names[0]]))
        for at in differing:
            if worded.spans[at][2]:
                self._others[worded.spans[at][0]] = nearest[at]

    @property
    def lines(self) -> frozenset[int]:
        """Where the lines start that stand in a known text as they are."""
        return frozenset(start for start, _ in self._proved)

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
        self._equations: dict[int, list[Equation]] = {}
        for figure in figures:
            self._lines.setdefault(figure.line, []).append(figure)

    def holds(self, figure: Figure) -> bool:
        """By a text that may be repeated, by a record or the catalog, or by an operation shown."""
        if self._contradicts_type(figure) or (not figure.quantity.plain and figure.quantity.dim):
            return False
        return self.by_text(figure) or self.by_record(figure) or self.by_passage(figure) or self.by_operation(figure) or self.by_name(figure)

    def _contradicts_type(self, figure: Figure) -> bool:
        """Whether a number of cards, or the size beside a card's name, is not that of the one type it is said of."""
        item = figure.quantity
        if not (figure.beside and item.dim in ("cards", "memory")):
            return False
        if item.dim == "memory" and not self._is_size(figure):
            return True
        if figure.carried or len(figure.subject.types) != 1:
            return False
        row = facts.instances()[next(iter(figure.subject.types))]
        if item.dim == "cards":
            machines = {1, *(int(o.quantity.plain) for o in self._lines[figure.line] if o.quantity.dim == "machines")}
            return bool(row.gpu_count) and item.plain not in {row.gpu_count * n for n in machines}
        sizes = {row.gpu_memory_gb_each or 0.0, row.gpu_memory_gb_total or 0.0}
        return not any(abs(value / unit - size) < 0.01 * size for value in item.strict for unit in (1e9, 1073741824.0) for size in sizes if size)

    def _is_size(self, figure: Figure) -> bool:
        """Whether the card named beside has that memory, or so many of them."""
        item = figure.quantity
        sizes = {facts.gpus()[gpu].memory_gb for gpu in figure.beside if gpu in facts.gpus()}
        sizes |= {row.gpu_memory_gb_each for row in facts.instances().values() if row.vgpu and row.gpu_memory_gb_each and row.gpu_id in figure.beside}
        counts = {1, *figure.subject.counts, *(int(o.quantity.plain) for o in self._lines[figure.line] if o.quantity.dim == "cards")}
        return not sizes or any(abs(value / unit - size * n) < 0.01 * size for value in item.strict for unit in (1e9, 1073741824.0) for size in sizes for n in counts)

    def by_text(self, figure: Figure) -> bool:
        """By the composed answer, the question or the thread; or, in a line that denies it, by a statement judged wrong."""
        if any(True for _ in self._known.said.equal(figure)):
            return True
        line = self._draft.lines[figure.line].text
        return bool(DENIED.search(line)) and any(True for _ in self._known.denied.equal(figure))

    def by_passage(self, figure: Figure) -> bool:
        """By a sentence of a tool or a source, with the unit and what it is of."""
        item = figure.quantity
        named = figure.subject.named and not figure.carried
        for match in self._known.passages.near(figure).equal(figure, bare=not item.dim):
            if match.fact.subject.named and not match.subject:
                continue
            if match.fact.dim != item.dim or (named and item.dim.startswith("money") and not match.subject):
                continue
            if item.dim == "memory" and figure.subject.named and not (match.subject or figure.labels & match.fact.labels):
                continue
            if match.label or (match.subject and item.dim != "memory"):
                return True
        return False

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
        """By an equation that adds up, by an operation that its line states, as the total of the rows above, or as a price for a time."""
        beside = self._lines[figure.line]
        if not figure.quantity.plain:
            return False
        mine = [equation for equation in self.equations(figure.line) if equation.meant and figure in equation.parts]
        if mine:
            return all(self._is_operand(figure, part, equation) for equation in mine for part in equation.parts)
        if "card_size" in figure.labels:
            return False
        above = [other for number in range(figure.line - 12, figure.line) for other in self._lines.get(number, ())]
        if follows(figure, beside, above, self._draft.text) or ("needed" in figure.labels and is_total(figure, [*above, figure])):
            return True
        if figure.quantity.dim == "memory" and self._is_sum_of_parts(figure):
            return True
        if figure.quantity.dim.startswith("money"):
            return is_bill(figure, beside, self._prices(figure))
        return figure.quantity.dim in ("time", "", "months") and self._is_time(figure, beside, above)

    def _is_sum_of_parts(self, figure: Figure) -> bool:
        """Whether several parts of the sum, which its row or clause names, make it up."""
        named = figure.labels - asides()
        if len(named) < 2:
            return False
        known = specs()
        for subject, parts in self._known.walk.parts:
            values = [part for name, part in parts.items() if name in known and known[name][3] & named]
            if len(values) > 1 and figure.subject.agrees(subject) and any(abs(sum(values) * 1073741824 - v) <= figure.quantity.slack * 1.02 for v in figure.quantity.strict):
                return True
        return False

    def _is_operand(self, figure: Figure, part: Figure, equation: Equation) -> bool:
        """Whether a part of an equation holds on its own; one part, the figure itself, follows from the others."""
        if part is figure or part is equation.parts[-1]:
            return True
        item = part.quantity
        return self.by_text(part) or self.by_record(part) or (item.whole and item.dim in FREE and item.plain <= 8760)

    def _is_time(self, figure: Figure, beside: list[Figure], above: list[Figure]) -> bool:
        """A number of hours, days or months of the draft's own: a usual one, or one for which an amount beside it is right."""
        item = figure.quantity
        shown = [o.quantity.plain for o in [*above, *beside] if o.quantity.dim == "time" and o.quantity is not item]
        if item.dim == "time" and any(abs(item.plain - value * k) < 0.01 or abs(item.plain * k - value) <= 0.5 for value in shown for k in (24.0, 30.0)):
            return True
        money = any(o.quantity.dim.startswith("money") for o in [*beside, *above])
        if money and item.dim != "" and item.plain in USUAL:
            return True
        bills = [o for o in beside if o.quantity.dim.startswith("money")]
        if any(self._is_bill_of(o, figure) for o in bills):
            return True
        times = [o.quantity.plain for o in beside if o.quantity.dim in ("time", "") and o.quantity is not item]
        if any(abs(item.plain * a - b) < 0.01 for a in [30.0, *times] for b in times if a is not b and a > 1):
            return True
        prices = [o.quantity.strict[0] for o in [*above, *beside] if o.quantity.dim.startswith("money")]
        hours = item.values[0] / 3600 if item.dim == "time" else item.plain
        return any(low and abs(high / low - hours) <= 0.5 for high in prices for low in prices if high > low)

    def _is_bill_of(self, bill: Figure, time: Figure) -> bool:
        hours = time.quantity.values[0] / 3600 if time.quantity.dim == "time" else time.quantity.plain
        value, slack = bill.quantity.values[0], bill.quantity.slack
        counts = {1.0, *(o.quantity.plain for o in self._lines[bill.line] if o.quantity.dim == "machines")}
        prices = [p.value * n for p in self._prices(bill) if p.per == "hour" for n in counts if slack <= 0.5 * p.value * n]  # else any hours would do
        return any(abs(price * hours - value) <= slack + 1e-9 * value for price in prices)

    def equations(self, line: int) -> list[Equation]:
        """The written-out sums of a line."""
        if line not in self._equations:
            self._equations[line] = list(find_equations(self._draft.text, self._lines[line]))
        return self._equations[line]

    def wrong_sums(self) -> Iterator[Problem]:
        """Written-out sums that do not add up."""
        for line in self._lines:
            for equation in self.equations(line):
                if equation.meant and not equation.holds:
                    last = equation.parts[-1].quantity
                    yield Problem("number", last.text, last.start, f"The sum that ends in {last.text} does not add up: give figures of the tools, or sum them right.")

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
    if "card_total" in fact.labels:
        return bool("card_total" in figure.labels or figure.subject.types or figure.subject.counts)
    if not figure.quantity.dim:
        return bool(figure.labels & fact.labels)
    if figure.labels & fact.labels or ("card_size" in fact.labels and not figure.labels and figure.subject.named):
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
