"""Proves the figures of a draft by what is known: the composed answer, records, passages, the catalog, and operations."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from knowledge import facts

from .agreement import is_called
from .draft_text import DraftText
from .fact_base import FactBase
from .figures import Figure
from .known import DENIED
from .reckoning import Reckoning
from .records import Fact, catalog_facts
from .subjects import Subject, find_subjects, join

if TYPE_CHECKING:
    from .support import Support

CLASS = re.compile(r" ?(?:显存)?的(?:单|大|小)?(?:显|GPU )?卡|[- ](?:cards?|GPUs?)(?![a-z])")
CONDITION = re.compile(r"如果|要是|若|[Ii]f |[Ww]hen |[Ff]or ")
"""A size of card that is spoken of in general: "48 GB 的卡", "if you need 48 GB"."""
APART = re.compile(r"[^\W\d_]")
OLD = re.compile(r" ?(?:old|ago|以?前(?!后)|之前)")
HALVED = re.compile(r"(?:[Hh]al(?:f|v(?:e|es|ed|ing))(?![a-z])|一半|减半|对半)[^.;,。\d]{0,24}$")
LAYOUT = frozenset({"cards", "machines", "tp"})
COUNTED = re.compile(r"\d[\d,.]* ?(?:[个条种次份位][一-鿿]{2}|[a-z]{4,})")
"""A number with what it counts, in the words of its text: 518 个报价."""
GB, GIB = 1e9, 1073741824.0


class Proof:
    """Proves figures of one draft."""

    def __init__(self, draft: DraftText, support: Support, figures: list[Figure]) -> None:
        self._known = support.known
        self._draft = draft
        self._figures = figures
        self.reckoning = Reckoning(draft.text, support.known, figures, stands=lambda part: self.by_text(part) or self.by_record(part))

    def holds(self, figure: Figure) -> bool:
        """By a text that may be repeated, by a record or the catalog, or by an operation shown."""
        if self._contradicts_type(figure):
            return False
        if not figure.quantity.plain and figure.quantity.dim:  # nothing is 0 unless a text says so: "省 0%"
            return any(not match.fact.value for match in self._known.said.equal(figure))
        if figure.lead is not None and self.holds(replace(figure, subject=figure.lead, lead=None)):
            return True
        return self.by_text(figure) or self.by_record(figure) or self.by_passage(figure) or self.reckoning.proves(figure) or self.by_name(figure) or self.by_class(figure) or self.by_ratio(figure) or self.by_age(figure)

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
            machines = {1, *(int(o.quantity.plain) for o in self.reckoning.lines[figure.line] if o.quantity.dim == "machines")}
            return bool(row.gpu_count) and item.plain not in {row.gpu_count * n for n in machines}
        sizes = {row.gpu_memory_gb_each or 0.0, row.gpu_memory_gb_total or 0.0}
        return not any(abs(value / unit - size) < 0.01 * size for value in item.strict for unit in (GB, GIB) for size in sizes if size)

    def _is_size(self, figure: Figure) -> bool:
        """Whether the card named beside has that memory, or so many of them."""
        item = figure.quantity
        sizes = {facts.gpus()[gpu].memory_gb for gpu in figure.beside if gpu in facts.gpus()}
        sizes |= {row.gpu_memory_gb_each for row in facts.instances().values() if row.vgpu and row.gpu_memory_gb_each and row.gpu_id in figure.beside}
        counts = {1, *figure.subject.counts, *(int(o.quantity.plain) for o in self.reckoning.lines[figure.line] if o.quantity.dim == "cards")}
        return not sizes or any(abs(value / unit - size * n) < 0.01 * size for value in item.strict for unit in (GB, GIB) for size in sizes for n in counts)

    def by_text(self, figure: Figure) -> bool:
        """By the composed answer, the question or the thread; or, in a line that denies it, by a statement judged wrong."""
        if any(True for _ in self._known.said.equal(figure)):
            return True
        line = self._draft.lines[figure.line].text
        return bool(DENIED.search(line)) and any(True for _ in self._known.denied.equal(figure))

    def by_passage(self, figure: Figure) -> bool:
        """By a sentence of a tool or a source, with the unit and what it is of."""
        item = figure.quantity
        if not item.dim and self._known.passages.words(COUNTED.match(self._draft.text, item.start)):
            return True
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

    def by_class(self, figure: Figure) -> bool:
        """As a size of cards that the findings have, said of no card by name: neither in its clause nor right before it."""
        item = figure.quantity
        if item.dim != "memory" or not item.whole or figure.beside:
            return False
        text = self._draft.text
        start = max(text.rfind(end, 0, item.start) for end in ("\n", "。", ". ", ";", "!", "?", "！", "？")) + 1
        named = [end for _, end, subject in find_subjects(text[start : item.start]) if subject.named]
        between = text[start + named[-1] if named else start : item.start]
        clause = re.split(r"[,，、()（]", between)[-1]
        if not (CLASS.match(text, item.end) or CONDITION.search(clause)) or (named and ("," not in between or len(APART.findall(between)) < (2 if not between.isascii() else 9))):
            return False
        anyone = replace(figure, subject=Subject(), labels=frozenset({"card_size"}))
        return any(match.fact.dim == "memory" for base in (self._known.said, self._known.records) for match in base.equal(anyone, bare=False))

    def by_ratio(self, figure: Figure) -> bool:
        """As half of a known figure where the words before it say so; as the percentage of a setting that is known as a fraction."""
        item = figure.quantity
        if item.dim == "percent":
            fraction = replace(figure, quantity=replace(item, values=(item.plain / 100,), strict=(item.plain / 100,), slack=item.slack / 100, dim="", plain=item.plain / 100), labels=frozenset({"utilization"}))
            return any(match.label for match in self._known.said.equal(fraction))
        if item.dim not in ("tokens", "memory", "users") or not HALVED.search(self._draft.text, max(0, item.start - 40), item.start):
            return False
        whole = replace(figure, quantity=replace(item, values=tuple(2 * v for v in item.values), strict=tuple(2 * v for v in item.strict), slack=2 * item.slack, plain=2 * item.plain))
        return any(match.fact.dim == item.dim for match in self._known.said.equal(whole))

    def by_age(self, figure: Figure) -> bool:
        """As the age of a known date, on the day that the catalog is of: "more than two years old"."""
        item = figure.quantity
        if item.dim not in ("years", "months") or not OLD.match(self._draft.text, item.end):
            return False
        year, month = (int(part) for part in facts.active_day().split("-")[:2])
        ages = [(year - y) * 12 + month - m for y, m, _ in self._known.dates]
        return any(abs(age - item.plain * (12 if item.dim == "years" else 1)) <= (6 if item.dim == "years" else 1) for age in ages)

    def by_record(self, figure: Figure) -> bool:
        """By a record's field of the same label, of the very subject or of the whole job."""
        for base in (self._known.records, self._catalog):
            for match in base.equal(figure, bare=bool(figure.labels)):
                if match.label and (match.subject or not match.fact.subject.named) and is_called(figure, match.fact):
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
                if match.fact.dim == item.dim and not match.fact.bound and (mine or not match.fact.subject.named) and is_called(figure, match.fact):
                    return True
        return False

    @cached_property
    def _catalog(self) -> FactBase:
        """The catalog's facts of all that the draft names."""
        return FactBase(catalog_facts(join({figure.subject for figure in self._figures})))

    def elsewhere(self, figure: Figure) -> Fact | None:
        """A fact of the very value that is of another machine or called something else, for the reason."""
        bare = replace(figure, subject=Subject(), labels=frozenset(), ranged=True)
        for base in (self._known.said, self._known.records):
            for dim in (figure.quantity.dim.partition("_")[0],) if figure.quantity.dim else ():
                for fact in base.all_of(dim):
                    if any(abs(fact.value - value) <= bare.quantity.slack for value in bare.quantity.strict) and fact.said:
                        return fact
        return None

    def nearest(self, figure: Figure) -> Fact | None:
        """The fact that comes nearest, for the reason."""
        return self._known.said.nearest(figure) or self._known.records.nearest(figure) or self._catalog.nearest(figure)
