"""Passages: the pieces that are searched and cited. Cut by heading, then by size at sentence ends."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .cards import Card
from .documents import Guide, Section

MAX_WIDTH = 900
"""Longest passage, in widths: a Latin character counts 1, a CJK character 2.25 (so about 400 of them)."""

CJK = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_CJK = re.compile(f"[{CJK}]")
_SENTENCE = re.compile(r".+?(?:[。！？；!?;]+[”』」）)]*|\.(?=\s)|\n|$)\s*", re.S)
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*")
_FENCE = re.compile(r"\s*(```|~~~)")


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of knowledge. `point` is the answer in a sentence or two, `text` the detail."""

    passage_id: str  # e.g. guide:disks#pl-levels:zh:0, family:gn7i:en; stable
    kind: str  # guide | family | gpu | model | disk | document
    lang: str
    title: str
    heading_path: tuple[str, ...]
    text: str
    point: str = ""
    asked_as: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    trust: str = "official"
    published_on: str = ""
    origin: str = ""
    source_ids: tuple[str, ...] = ()
    verdict: str = ""
    subject: str | None = None  # family, gpu, model or disk id that the passage is about

    @property
    def key(self) -> str:
        """The same for a passage, its twin in the other language and its neighbours of one section."""
        if self.kind == "document":
            return self.passage_id
        if self.kind == "guide":
            return self.passage_id.rsplit(":", 2)[0]
        return self.passage_id.rsplit(":", 1)[0]

    @property
    def slug(self) -> str:
        """Section of a guide, or the id of what a card is about."""
        return self.key.partition("#")[2] or (self.subject or "")

    @property
    def full_text(self) -> str:
        """What is embedded: heading, point and text."""
        parts = (self.title, self.point, self.text)
        return "\n".join(part for part in parts if part)


def guide_passages(guide: Guide) -> tuple[Passage, ...]:
    """Passages of a guide, in order. Questions stand with the first piece of their section."""
    return tuple(
        passage for section in guide.sections for passage in _section_passages(guide, section)
    )


def card_passages(cards: Iterable[Card]) -> tuple[Passage, ...]:
    """One passage of each card."""
    return tuple(
        Passage(
            passage_id=f"{card.kind}:{card.subject}:{card.lang}",
            kind=card.kind,
            lang=card.lang,
            title=card.title,
            heading_path=(card.title,),
            text=card.body,
            point=card.point,
            asked_as=card.asked_as,
            topics=card.topics,
            source_ids=card.source_ids,
            origin=card.source_ids[0] if card.source_ids else "",
            subject=card.subject,
        )
        for card in cards
    )


def document_passages(
    text: str, *, document_id: str, title: str, lang: str, published_on: str = "", trust: str = "blog"
) -> tuple[Passage, ...]:
    """Passages of any Markdown or plain text that a user adds.

    `document_id` becomes the source id. Headings give the path; text inside code fences is kept whole
    as text, never read as headings.
    """
    pieces = [
        (path, piece) for path, body in _by_heading(text) for piece in split_text(body)
    ]
    return tuple(
        Passage(
            passage_id=f"document:{document_id}:{lang}:{number}",
            kind="document",
            lang=lang,
            title=path[-1] if path else title,
            heading_path=(title, *path),
            text=piece,
            trust=trust,
            published_on=published_on,
            origin=document_id,
            source_ids=(document_id,),
        )
        for number, (path, piece) in enumerate(pieces)
    )


def split_text(text: str, *, max_width: float = MAX_WIDTH) -> list[str]:
    """Pieces no wider than `max_width`, cut between paragraphs, else at sentence ends, else anywhere."""
    pieces: list[str] = []
    current = ""
    for part in _parts(text, max_width):
        if current.strip() and width(current + part) > max_width:
            pieces.append(current.strip())
            current = ""
        current += part
    if current.strip():
        pieces.append(current.strip())
    return pieces


def width(text: str) -> float:
    """Size of a text in Latin characters; a CJK character counts 2.25."""
    return len(text) + 1.25 * len(_CJK.findall(text))


def language_of(text: str) -> str:
    """zh where at least one character in eight is CJK, else en."""
    letters = sum(char.isalpha() for char in text)
    return "zh" if letters and len(_CJK.findall(text)) * 8 >= letters else "en"


def _section_passages(guide: Guide, section: Section) -> Iterator[Passage]:
    for number, text in enumerate(split_text(section.body) or [""]):
        yield Passage(
            passage_id=f"guide:{section.guide_id}#{section.slug}:{section.lang}:{number}",
            kind="guide",
            lang=section.lang,
            title=section.title,
            heading_path=(guide.title, section.title),
            text=text,
            point=section.point,
            asked_as=section.asked_as if number == 0 else (),
            topics=section.topics,
            trust=section.trust,
            published_on=section.published_on,
            origin=section.origin,
            source_ids=section.source_ids,
            verdict=section.verdict,
        )


def _parts(text: str, max_width: float) -> Iterator[str]:
    """Paragraphs that fit, else their sentences, else slices; joined they give the text again."""
    for paragraph in re.split(r"(?<=\n\n)", text):
        if width(paragraph) <= max_width:
            yield paragraph
            continue
        for sentence in _SENTENCE.findall(paragraph):
            yield from _slices(sentence, max_width)


def _slices(sentence: str, max_width: float) -> Iterator[str]:
    if width(sentence) <= max_width:
        yield sentence
        return
    start, used = 0, 0.0
    for at, char in enumerate(sentence):
        step = width(char)
        if used + step > max_width:
            yield sentence[start:at]
            start, used = at, 0.0
        used += step
    yield sentence[start:]


def _by_heading(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """(heading path, text below it) in order."""
    path: list[tuple[int, str]] = []
    body: list[str] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= bool(_FENCE.match(line))
        match = None if fenced else _HEADING.fullmatch(line.strip())
        if not match:
            body.append(line)
            continue
        yield _titles(path), "\n".join(body)
        level = len(match[1])
        path = [entry for entry in path if entry[0] < level] + [(level, match[2])]
        body = []
    yield _titles(path), "\n".join(body)


def _titles(path: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(title for _, title in path)
