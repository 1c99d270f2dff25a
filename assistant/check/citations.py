"""Citation marks of a draft: each must stand for a source of the evidence, and for one that holds what is said.

The draft of a chat model: the source must hold a figure or a name of the claim, a sentence of the composed answer keeps its
marks, and figures of price or memory need a mark at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from assistant.evidence import MARK

from .cited import source_of
from .claim_words import claims_of, is_held
from .draft_text import CODE, DraftText
from .problem import Problem
from .said import MARKS, Said, sentences_of, sentences_of_text
from .support import Support

NUMBER = re.compile(r"\d{1,3}")
RANGE = re.compile(r"(\d{1,3})\s?[~-]\s?(\d{1,3})")
LONGEST_RANGE = 12
LINK = re.compile(r"\((?:https?:|www\.|mailto:|/|#)")
FIGURE = re.compile(r"\d[\d,.]*\s?(?:gib|gb(?!/s)|元|块钱|cny|usd|rmb|美元|/小时|/月|per hour|/h(?![a-z]))|[¥$]\s?\d", re.I)
"""A figure of memory or price."""


def plain_marks(text: str) -> str:
    """The text with marks as [1][3], whatever spelling a model used ([1, 3], [1-3], 【1】, ^1); code stays as it is."""
    code = [match.span() for match in CODE.finditer(text)]

    def rewrite(match: re.Match[str]) -> str:
        if any(start <= match.start() < end for start, end in code):
            return match.group()
        return "".join(f"[{number}]" for number in numbers_of(match.group())) or match.group()

    return MARKS.sub(rewrite, text.translate(str.maketrans("［］", "[]")))


def numbers_of(mark: str) -> list[int]:
    """The numbers that a mark lists; ranges are spread."""
    mark = mark.partition("†")[0]
    found: list[int] = []
    for low, high in RANGE.findall(mark):
        if 0 <= int(high) - int(low) <= LONGEST_RANGE:
            found += range(int(low), int(high) + 1)
    return found or [int(number) for number in NUMBER.findall(mark)]


def bad_citations(draft: DraftText, support: Support) -> Iterator[Problem]:
    if not support.bound:
        for match in MARK.finditer(draft.text):
            if support.evidence.citation(int(match.group(1))) is None:
                yield Problem("citation", match.group(), match.start())
        return
    cites = False
    for said in sentences_of(draft):
        for match in _marks_in(said):
            cites = True
            yield from _bad_mark(match, said, draft, support)
    if not cites:
        yield from _uncited(draft, support)


def _marks_in(said: Said) -> list[re.Match[str]]:
    """Marks of a sentence; the label of a link is none."""
    return [match for match in MARKS.finditer(said.text) if not LINK.match(said.text, match.end())]


def _bad_mark(match: re.Match[str], said: Said, draft: DraftText, support: Support) -> Iterator[Problem]:
    numbers = numbers_of(match.group())
    missing = [number for number in numbers if source_of(number, support) is None]
    if missing:
        yield _problem(match, said, f"There is no source [{missing[0]}] in the tool results: cite a number that they give, or leave the mark out.")
        return
    kept = _marks_of_reference(support.reference).get(said.plain)
    if kept is not None:
        mine = _groups(said)
        if any(_follows(mine, theirs) for theirs in kept):
            return
        if any(_count(mine) <= _count(theirs) for theirs in kept):
            place = next(at for at, group in enumerate(mine) if group.start <= match.start() < group.end)
            if not any(set(numbers) <= theirs[place].numbers for theirs in kept if len(theirs) == len(mine)):
                yield _problem(match, said, f"{match.group()} is not the source of this sentence: cite the source that the result gives for it.")
            return
    line = draft.lines[said.line]
    claims = tuple(claims_of(said, match, draft.folded[line.start : line.end]))
    for number in numbers:
        source = source_of(number, support)
        if source is not None and not is_held(claims, source, number, support):
            yield _problem(match, said, f"Source [{number}] holds neither the figures nor the names of “{said.plain[:48].strip()}”: cite the source whose result holds them.")


class Group(NamedTuple):
    """Marks that stand together."""

    start: int
    end: int
    numbers: frozenset[int]


def _groups(said: Said) -> list[Group]:
    """The marks of a sentence, those side by side together."""
    found: list[Group] = []
    for match in _marks_in(said):
        numbers = frozenset(numbers_of(match.group()))
        if found and not said.text[found[-1].end : match.start()].strip(" ,、"):
            found[-1] = Group(found[-1].start, match.end(), found[-1].numbers | numbers)
        else:
            found.append(Group(match.start(), match.end(), numbers))
    return found


def _follows(mine: list[Group], theirs: list[Group]) -> bool:
    """Whether all groups stand in the other sentence in the same order; some may be missing, each as a whole or in part."""
    if len(mine) == len(theirs):
        return all(own.numbers <= other.numbers for own, other in zip(mine, theirs, strict=True))
    rest = iter(theirs)
    return all(any(own.numbers <= other.numbers for other in rest) for own in mine)


def _count(groups: list[Group]) -> int:
    return sum(len(group.numbers) for group in groups)


@lru_cache(maxsize=8)
def _marks_of_reference(reference: str) -> dict[str, list[list[Group]]]:
    """The marks of each sentence of the composed answer that has some, as often as it is said."""
    found: dict[str, list[list[Group]]] = {}
    for said in sentences_of_text(reference):
        groups = _groups(said)
        if groups:
            found.setdefault(said.plain, []).append(groups)
    return found


def _problem(match: re.Match[str], said: Said, reason: str) -> Problem:
    return Problem("citation", match.group(), said.start + match.start(), reason)


def _uncited(draft: DraftText, support: Support) -> Iterator[Problem]:
    """One problem where figures of price or memory stand without any mark, though there are sources to cite."""
    if source_of(1, support) is None or (support.reference and not MARKS.search(support.reference)):
        return
    for said in sentences_of(draft):
        figure = FIGURE.search(said.text)
        if figure and not _is_asked(figure.group(), support):
            yield Problem("citation", figure.group(), said.start + figure.start(), "The answer gives figures without a source: put the mark [n] of the tool result behind each sentence with a figure.")
            return


def _is_asked(figure: str, support: Support) -> bool:
    """Whether the figure is the user's own, said back: "您的 24 GB 卡"."""
    squeezed = figure.replace(" ", "").lower()
    return squeezed in support.question.replace(" ", "").lower()
