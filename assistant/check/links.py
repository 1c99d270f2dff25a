"""Addresses, contacts, commands that fetch or run something, and markup: only what evidence or question holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from knowledge import facts

from .draft_text import DraftText
from .problem import Problem
from .rejecting import read_words
from .support import Support

ADDRESS = re.compile(r"(?:(?:https?|ftp|file|ssh|tg|weixin)://|www\.)[^\s<>\"'`()\[\]，。；、）】」\u4e00-\u9fff]{2,400}|(?<![A-Za-z0-9_@./-])(?:[a-z0-9-]{1,40}\.){1,4}(?:com|cn|net|org|io|ai|dev|app|top|xyz|info|cc|me|co|ly|gg|ru|site|vip|shop|club|online|tech|link)(?::\d{2,5})?(?:/[^\s<>\"'`，。；、）】」\u4e00-\u9fff]{0,300})?(?![A-Za-z0-9_-])", re.I)
TELEPHONE = re.compile(r"(?<![\d.,])(?:86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?![\d.,])|(?<![\d.,])400[ -]?\d{3}[ -]?\d{4}(?!\d)")
TAIL = ".,;:!?)]}*_~'\"，。；：！？）】》」"


def bad_links(draft: DraftText, support: Support) -> Iterator[Problem]:
    """What leads elsewhere and stands in nothing that the draft may rest on."""
    taken: list[tuple[int, int]] = []
    for match in _found("markup", draft):
        taken.append(match.span())
        yield Problem("link", match.group()[:120], match.start(), "The answer is plain Markdown: leave out images, HTML and scripts.")
    for match in _found("commands", draft):
        if not _stands(match.group(), support):
            taken.append(match.span())
            yield Problem("link", match.group()[:120], match.start(), f"The command “{match.group()[:60]}” stands in no tool result: give only commands of the tool results, or leave it out.")
    for match in ADDRESS.finditer(draft.folded) if _hinted("addresses", draft) else ():
        address = match.group().rstrip(TAIL)
        if not _inside(match.start(), taken) and not _is_known(address, support):
            yield Problem("link", address[:120], match.start(), f"The address “{address[:80]}” stands in no tool result: cite the source with its mark [n] instead, or leave the address out.")
    for match in [*_found("contacts", draft), *_numbers(draft)]:
        if not _inside(match.start(), taken) and not _stands(match.group(), support):
            yield Problem("link", match.group()[:120], match.start(), "A contact that stands in no tool result must not be given: leave it out.")


def _inside(at: int, taken: list[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in taken)


def _stands(text: str, support: Support) -> bool:
    return " ".join(text.lower().split()) in _flat(support)


@lru_cache(maxsize=4)
def _flat(support: Support) -> str:
    return " ".join(support.lower.split())


def _is_known(address: str, support: Support) -> bool:
    """Whether evidence, question, composed answer or a source of the evidence has the address, or it is the start of one."""
    lower = address.lower().rstrip("/")
    if not lower or any(lower == known or known.startswith((f"{lower}/", f"{lower}?", f"{lower}#")) for known in _addresses(support)):
        return True
    return re.search(rf"(?<![\w.-]){re.escape(lower)}/?(?![\w-]|/\w|\.\w)", support.lower) is not None


@lru_cache(maxsize=4)
def _addresses(support: Support) -> frozenset[str]:
    """The addresses of the sources that findings bring."""
    found: set[str] = set()
    for finding in support.evidence.findings:
        for ref in finding.sources:
            source = facts.sources().get(ref.source_id)
            found |= {url.lower().rstrip("/") for url in (ref.url, source.url if source else "") if url}
    return frozenset(found)


def _found(part: str, draft: DraftText) -> Iterator[re.Match[str]]:
    if _hinted(part, draft):
        yield from _pattern(part).finditer(draft.folded)


def _numbers(draft: DraftText) -> Iterator[re.Match[str]]:
    """Numbers that are a telephone's, whatever stands beside them."""
    return TELEPHONE.finditer(draft.folded)


def _hinted(part: str, draft: DraftText) -> bool:
    """Whether a part is worth looking for: a plain word of it stands in the text."""
    lower = draft.folded.lower()
    return any(hint in lower for hint in read_words("links")["hints"][part])


@cache
def _pattern(part: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in read_words("links")[part]), re.I)
