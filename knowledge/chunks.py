"""Passages: the pieces that are searched and cited."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .cards import Card
from .cuts import CJK_LETTER, Piece, pieces_of, split_text
from .documents import Guide, Section
from .judged import JudgedStatement


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
    start: int = 0  # of a document: where `text` begins in it
    statements: tuple[JudgedStatement, ...] = ()
    """Of a document: what `text` and the headings right above it state, judged. Offsets are those of the document."""

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
    text: str,
    *,
    document_id: str,
    title: str,
    lang: str,
    published_on: str = "",
    trust: str = "blog",
    statements: Iterable[JudgedStatement] = (),
) -> tuple[Passage, ...]:
    """Passages of any Markdown or plain text that a user adds, each with the `statements` of the text that stand in it.

    `document_id` becomes the source id. Headings give the path; text inside code fences is kept whole
    as text, never read as headings. A passage is a slice of the text, `text[start:]` begins with it.
    """
    pieces = list(pieces_of(text))
    shared = _shared_out(statements, pieces)
    return tuple(
        Passage(
            passage_id=f"document:{document_id}:{lang}:{number}",
            kind="document",
            lang=lang,
            title=piece.path[-1] if piece.path else title,
            heading_path=(title, *piece.path),
            text=text[piece.start : piece.end],
            trust=trust,
            published_on=published_on,
            origin=document_id,
            source_ids=(document_id,),
            start=piece.start,
            statements=tuple(shared[number]),
        )
        for number, piece in enumerate(pieces)
    )


def _shared_out(statements: Iterable[JudgedStatement], pieces: list[Piece]) -> list[list[JudgedStatement]]:
    """The statements of each piece: those that overlap it or the headings right above it."""
    shared: list[list[JudgedStatement]] = [[] for _ in pieces]
    ends = [piece.end for piece in pieces]
    stated = (item for item in statements if item.start < item.end)
    for statement in sorted(stated, key=lambda item: (item.start, item.end)):
        for number in range(bisect_right(ends, statement.start), len(pieces)):
            if pieces[number].lead >= statement.end:
                break
            shared[number].append(statement)
    return shared


def language_of(text: str) -> str:
    """zh where at least one character in eight is CJK, else en."""
    letters = sum(char.isalpha() for char in text)
    return "zh" if letters and len(CJK_LETTER.findall(text)) * 8 >= letters else "en"


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
