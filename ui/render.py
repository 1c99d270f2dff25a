"""An Answer as Markdown (for any face) and as blocks (for a terminal or a pipe)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from knowledge import facts

from .bars import Bar
from .blocks import Bars, Block, Lines, Markdown, Title
from .figures import limit_of, source_line
from .size_blocks import part_names
from .speech import say

if TYPE_CHECKING:
    from assistant.answer import Answer, Citation
    from tools.phrases import Language


def answer_blocks(answer: Answer) -> Iterator[Block]:
    """The text, the memory as bars, cautions, what was struck out, the numbered sources."""
    language = answer.language
    yield Markdown(answer.text)
    yield from _bars(answer)
    cautions = _untold(answer)
    if cautions:
        yield Markdown("\n".join([f"**{say('cautions', language)}**", "", *(f"- {line}" for line in cautions)]))
    if answer.removed:
        yield Lines([say("struck", language, items="; ".join(answer.removed))], dim=True)
    if answer.citations:
        yield Title(say("sources", language))
        yield Lines([_citation(item, language) for item in answer.citations], dim=True)


def answer_markdown(answer: Answer) -> str:
    """The whole answer in Markdown: text, cautions and sources with links."""
    language = answer.language
    parts = [answer.text]
    cautions = _untold(answer)
    if cautions:
        parts.append("\n".join([f"**{say('cautions', language)}**", "", *(f"- {line}" for line in cautions)]))
    if answer.citations:
        lines = (_linked(item, language) for item in answer.citations)
        parts.append("\n".join([f"**{say('sources', language)}**", "", *lines]))
    return "\n\n".join(parts) + "\n"


def _untold(answer: Answer) -> list[str]:
    """Cautions that the text does not already hold."""
    return [item.text for item in answer.cautions if item.text.strip(" 。.") not in answer.text]


def _bars(answer: Answer) -> Iterator[Block]:
    """The estimate against the card of the first recommendation that it was made for."""
    estimate, language = answer.estimate, answer.language
    if estimate is None:
        return
    best = estimate.per_gpu_gib.best
    for row in answer.recommendations:
        if abs(row.required_gib_per_gpu - best) <= 0.01 * max(best, 1.0):
            bar = Bar(row.instance_type, estimate.parts, limit_of(row), row.usable_gib_per_gpu)
            names, limit = part_names(estimate.parts, language), say("bars.limit_plain", language)
            yield Bars([bar], names, f"{limit} {bar.limit_gib:.1f}")
            return


def _citation(item: Citation, language: Language) -> str:
    return f"[{item.n}] " + _dated(item, item.title, item.url, language)


def _linked(item: Citation, language: Language) -> str:
    title = f"[{item.title}]({item.url})" if item.url else item.title
    return f"{item.n}. " + _dated(item, title, "", language)


def _dated(item: Citation, title: str, url: str, language: Language) -> str:
    """A source without a date of its own shows when it was read, and says that it is that."""
    row = facts.sources().get(item.source_id)
    published, checked = (row.published_on, row.checked_on) if row else (item.published_on, "")
    return source_line(title, published, item.trust, url, language, checked)
