"""What bites on the card that is shown."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.answer import Caution
from tools.llm_demand import PHRASES
from tools.phrases import read_phrases, say

from .sizing_view import View


def cautions(view: View) -> Iterator[Caution]:
    """The cautions of the shown layout, in the language of the question."""
    table = read_phrases("tools", PHRASES)
    for code in view.sizing.cautions:
        yield Caution(code=code, text=say(table, code, view.language), source_ids=view.sizing.source_ids[:2])
