"""Citation marks of a draft: each must stand for a source of the evidence."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.evidence import MARK

from .draft_text import DraftText
from .problem import Problem
from .support import Support


def bad_citations(draft: DraftText, support: Support) -> Iterator[Problem]:
    for match in MARK.finditer(draft.text):
        if support.evidence.citation(int(match.group(1))) is None:
            yield Problem("citation", match.group(), match.start())
