"""What adding documents did: the public result of `add_documents`, and its sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from knowledge.added import AddedDocument
from knowledge.readers.limits import Unreadable
from tools.phrases import Language, read_phrases
from tools.phrases import say as say_from
from tools.results import Result, Statement, Verdict

State = Literal["added", "replaced", "unchanged", "duplicate", "refused"]
SHOWN: tuple[Verdict, ...] = ("wrong", "not_in_catalog", "partly", "outdated")
"""Verdicts that a report lists; the others are only counted."""
NEAR, FEW = 40, 4
"""Characters of a line that are shown on either side of a statement; so few more are not worth a line."""
KEPT: tuple[State, ...] = ("added", "replaced", "unchanged", "duplicate")


class Stated(Statement):
    """A statement of a document with the words around it, as many a verdict is on a word or two."""

    context: str = ""


class AddedFile(Result):
    """One file: what became of it, and what it states that is not so. `sentence` says why where it was not simply added."""

    state: State
    origin: str
    sentence: str = ""
    document_id: str = ""
    title: str = ""
    lang: str = ""
    published_on: str = ""
    trust: str = ""
    passages: int = 0
    statements: list[Stated] = []
    counts: dict[str, int] = {}


class AddReport(Result):
    """All files in the order they were read, and how many there are of each state."""

    files: list[AddedFile]
    counts: dict[str, int]

    @property
    def any_kept(self) -> bool:
        """Whether at least one is in the library now."""
        return any(self.counts.get(state) for state in KEPT)


def say(code: str, language: Language, **arguments: object) -> str:
    """The sentence of `code` about documents."""
    return say_from(read_phrases("assistant", "compose/phrases/documents.toml"), code, language, **arguments)


def make_report(files: Iterable[AddedFile]) -> AddReport:
    listed = list(files)
    return AddReport(files=listed, counts=dict(Counter(item.state for item in listed)))


def refused(origin: str, cause: Unreadable, language: Language) -> AddedFile:
    return AddedFile(state="refused", origin=origin, sentence=say(cause.code, language, **cause.details))


def described(document: AddedDocument, state: State, language: Language, *, sentence: str = "", origin: str = "") -> AddedFile:
    """A document that is in the library, with what it states wrongly."""
    return AddedFile(
        state=state,
        origin=origin or document.origin,
        sentence=sentence,
        document_id=document.document_id,
        title=document.title,
        lang=document.lang,
        published_on=document.published_on,
        trust=document.trust,
        passages=len(document.passages()),
        statements=shown_statements(document, language),
        counts=dict(Counter(item.verdict for item in document.statements)),
    )


def shown_statements(document: AddedDocument, language: Language) -> list[Stated]:
    """Statements of a document that are not so, the fact worded in `language`; wrong ones first."""
    found = [
        Stated.model_validate(
            {
                "text": item.text, "start": item.start, "end": item.end, "subject": item.subject, "verdict": item.verdict,
                "fact": item.fact(language), "source_ids": list(item.source_ids), "context": _around(document.text, item.start, item.end),
            }
        )
        for item in document.statements
        if item.verdict in SHOWN
    ]  # fmt: skip
    return sorted(found, key=lambda item: (SHOWN.index(item.verdict), item.start))


def _around(text: str, start: int, end: int) -> str:
    """The line of a statement, as far as it stands near; empty where that is the statement itself."""
    first = max(text.rfind("\n", 0, start) + 1, start - NEAR)
    stop = text.find("\n", end)
    last = min(stop if stop >= 0 else len(text), end + NEAR)
    lead = "…" if first > 0 and text[first - 1] != "\n" else ""
    tail = "…" if last < len(text) and text[last] != "\n" else ""
    line = " ".join(text[first:last].split()).strip("•◦▪-*#|> ")
    return f"{lead}{line}{tail}" if len(line) > end - start + FEW else ""
