"""The check: no name, number or citation reaches the user that evidence, catalog or question does not hold.

Works on any draft, whoever wrote it. Each part of the check is a module of this package with one function
`bad_…(draft, support)` that yields what it finds.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from assistant.evidence import Evidence

from .citations import bad_citations
from .claims import bad_claims
from .commands import bad_commands, bad_starts, without_proved
from .comparisons import bad_comparisons
from .dates import bad_dates
from .draft_text import DraftText
from .language import bad_language
from .leaks import bad_leaks
from .links import bad_links
from .loose import bad_loose_numbers
from .names import bad_names
from .numbers import bad_numbers
from .odd_figures import bad_odd_figures
from .problem import Problem
from .promises import bad_promises
from .properties import bad_properties
from .support import Support
from .unanswered import bad_unanswered

if TYPE_CHECKING:
    from assistant.read.reading import Reading

Part = Callable[[DraftText, Support], Iterator[Problem]]
ANY: tuple[Part, ...] = (bad_citations, bad_names)
"""Parts for every draft."""
COMPOSED: tuple[Part, ...] = (bad_loose_numbers,)
"""Further parts for text that code has composed."""
BOUND: tuple[Part, ...] = (bad_numbers, bad_odd_figures, bad_dates, bad_starts, bad_claims, bad_promises, bad_properties, bad_comparisons, bad_links, bad_language, bad_leaks, bad_unanswered)
"""Further parts for the draft of a chat model."""


def find_problems(
    text: str,
    evidence: Evidence,
    *,
    question: str,
    derived: Iterable[float] = (),
    reference: str = "",
    earlier: Sequence[str] = (),
    bound: bool = False,
    reading: Reading | None = None,
    prompt: str = "",
) -> list[Problem]:
    """Problems of a draft in order of their place.

    `derived`: figures that follow from the evidence by a shown operation. `reference`: the composed answer of the same evidence,
    which passed this check and may be repeated. `earlier`: what was asked and answered in the thread before. `bound`: a figure must
    belong to the name and the quantity beside it, not merely occur somewhere; composed text is placed by code and needs it not.
    `reading`: what was understood of the question; `prompt`: the system prompt, which no answer may repeat.
    """
    support = Support(evidence, question=question, derived=derived, reference=reference, earlier=earlier, bound=bound, reading=reading, prompt=prompt)
    whole = DraftText.of(text)
    problems = list(bad_commands(whole, support))
    draft = without_proved(whole, support)
    for part in (*ANY, *(BOUND if bound else COMPOSED)):
        problems += part(draft, support)
    return sorted(problems, key=lambda problem: problem.start)


def strike(text: str, problems: Iterable[Problem]) -> tuple[str, list[str]]:
    """The text without the lines that hold a problem, and those lines."""
    folded = unicodedata.normalize("NFKC", text)
    bad = {folded.count("\n", 0, problem.start) for problem in problems}  # NFKC keeps every line break
    lines = text.split("\n")
    kept = [line for number, line in enumerate(lines) if number not in bad]
    return "\n".join(kept).strip(), [lines[number].strip() for number in sorted(bad)]
