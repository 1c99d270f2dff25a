"""Figures of a chat model's draft: each must be proved by a fact of the same quantity and the same subject."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .commands import proved_code
from .copies import Copies
from .draft_text import DraftText
from .examples import is_example
from .figures import Figure, read_figures
from .problem import Problem
from .proof import Proof
from .reasons import reason_of
from .subjects import find_subjects, join

if TYPE_CHECKING:
    from .support import Support

MALFORMED = re.compile(r"0\d")
DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
MOST_FIGURES = 800
"""Figures that are proved one by one; an answer of 4,000 characters has a hundred."""
ORDINARY = 3
"""Whole numbers up to this without a unit are words."""


def bad_numbers(draft: DraftText, support: Support) -> Iterator[Problem]:
    """Figures that nothing proves, and copied sentences with another figure or name in them."""
    if len(re.findall(r"\d+", draft.text)) > MOST_FIGURES:
        yield Problem("number", draft.text[:20].strip(), 0, f"More than {MOST_FIGURES} figures are no answer: give the few that count.")
        return
    copied = Copies(draft.text, support.known.wordings)
    asked = join(subject for _, _, subject in find_subjects(support.question) if subject.named)
    figures = read_figures(draft.text, subject=asked, skip=proved_code(draft, support), copied=copied.lines)
    proof = Proof(draft, support, figures)
    for figure in figures:
        item = figure.quantity
        other = copied.other(item.start)
        if copied.is_proved(item.start) or (not other and (_is_word(figure) or is_example(draft.text, figure))):
            continue
        if MALFORMED.match(item.text) or _is_other_unit(item.text, other) or not (proof.by_field(figure) if other else proof.holds(figure)):
            yield Problem("number", item.text, item.start, reason_of(figure, None if other else proof.elsewhere(figure), None if other else proof.nearest(figure), other))
    yield from proof.reckoning.wrong_sums()
    yield from copied.unread({figure.quantity.start for figure in figures}, draft.text)
    yield from copied.foreign_names()


def _is_word(figure: Figure) -> bool:
    item = figure.quantity
    return figure.word or (item.whole and item.plain <= ORDINARY and not item.dim)


def _is_other_unit(said: str, known: str) -> bool:
    """Whether a copied figure kept its digits and changed its unit."""
    mine, theirs = DIGITS.match(said), DIGITS.match(known)
    return bool(known and mine and theirs and mine.group() == theirs.group())
