"""Adds documents of the user: read, cleaned of page furniture, every statement judged, kept, and made searchable.

    documents = add_documents(["notes/", "guide.pdf"], library=open_library(settings), language="zh")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from knowledge.added import AddedDocument, make_document
from knowledge.document_json import DATE, DOCUMENT_TRUSTS
from knowledge.errors import InputError
from knowledge.readers.dates import find_date
from knowledge.readers.files import checked_path, find_files
from knowledge.readers.limits import ReadLimits, ReadText, Unreadable
from knowledge.readers.plain import shorten
from knowledge.readers.read import DocumentReader
from knowledge.search import Library
from tools.phrases import Language

from .document_report import AddedFile, AddReport, described, make_report, refused, say
from .judging import judge_text

Stage = Literal["read", "embed"]
Progress = Callable[[Stage, int, int], None]
BATCH = 200
"""Passages that are embedded and kept together: an interruption costs no more than these."""
STDIN = "-"


@dataclass(frozen=True, slots=True)
class AddOptions:
    """What the user says of the documents; what is empty is read from them."""

    title: str = ""
    published_on: str = ""
    trust: str = "user"
    recursive: bool = True
    added_on: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """One file to be read; without a path it is standard input, or `cause` tells why it is none."""

    origin: str
    path: Path | None = None
    named: bool = True
    cause: Unreadable | None = None


@dataclass(slots=True)
class Shelf:
    """The documents of a library while more are added: known by where they came from, and by their text."""

    library: Library
    on_progress: Progress | None
    waiting: list[AddedDocument] = field(default_factory=list)
    by_id: dict[str, AddedDocument] = field(default_factory=dict)
    by_text: dict[str, AddedDocument] = field(default_factory=dict)
    changed: bool = False

    def __post_init__(self) -> None:
        for document in self.library.documents():
            self.note(document)

    def note(self, document: AddedDocument) -> None:
        if former := self.by_id.get(document.document_id):
            self.by_text.pop(former.text, None)
        self.by_id[document.document_id] = self.by_text[document.text] = document

    def put(self, document: AddedDocument) -> None:
        """Takes a document in; enough of them are embedded and kept at once."""
        self.note(document)
        self.waiting = [item for item in self.waiting if item.document_id != document.document_id] + [document]
        self.changed = True
        if sum(len(item.passages()) for item in self.waiting) >= BATCH:
            self.flush()

    def flush(self) -> None:
        if self.waiting:
            self.library.keep(self.waiting, self._embedded if self.on_progress else None)
        self.waiting = []

    def close(self) -> None:
        """Keeps what waits and builds the store, so that the next question need not."""
        self.flush()
        if self.changed:
            self.library.refresh()

    def _embedded(self, done: int, total: int) -> None:
        assert self.on_progress
        self.on_progress("embed", done, total)


def add_documents(
    names: Sequence[str],
    *,
    library: Library,
    language: Language,
    options: AddOptions | None = None,
    limits: ReadLimits | None = None,
    stdin: bytes | None = None,
    on_progress: Progress | None = None,
) -> AddReport:
    """Adds files, folders, and `stdin` for `-`. What cannot be read is refused with a sentence, and the others are added.

    Adding a file again changes nothing unless it has changed; then it replaces what it was. InputError for options that
    cannot be. An interruption leaves whole documents only.
    """
    options = checked_options(options or AddOptions(), names, language)
    limits = limits or ReadLimits()
    shelf = Shelf(library, on_progress)
    files: list[AddedFile] = []
    sources = list(_sources(names, options, limits))
    if options.title and len(sources) > 1:
        raise InputError(say("one_title", language))
    with DocumentReader(limits) as reader:
        for number, source in enumerate(sources, 1):
            files.append(_add(source, reader, shelf, options=options, stdin=stdin, language=language))
            if on_progress:
                on_progress("read", number, len(sources))
    shelf.close()
    return make_report(files)


def checked_options(options: AddOptions, names: Sequence[str], language: Language) -> AddOptions:
    """The options with their date as ISO. InputError for one that cannot be."""
    if not names:
        raise InputError(say("nothing_named", language))
    date = options.published_on.strip()
    found = date if DATE.fullmatch(date) and (len(date) < 7 or find_date(date)) else find_date(date)
    if date and not found:
        raise InputError(say("bad_date", language, date=repr(date[:40])))
    if options.trust not in DOCUMENT_TRUSTS:
        raise InputError(f"trust: {' | '.join(DOCUMENT_TRUSTS)}")
    return replace(options, published_on=found, title=shorten(options.title))


def _sources(names: Iterable[str], options: AddOptions, limits: ReadLimits) -> Iterator[Source]:
    """Everything that is named, each file once."""
    seen: set[Path] = set()
    for name in names:
        if name == STDIN:
            yield Source(STDIN)
            continue
        try:
            for path in find_files(name, recursive=options.recursive, limits=limits):
                if path not in seen:
                    seen.add(path)
                    yield Source(written_path(path), path, named=path == checked_path(name))
        except Unreadable as cause:
            yield Source(written_path(name[:200]), cause=cause)


def _add(
    source: Source, reader: DocumentReader, shelf: Shelf, *, options: AddOptions, stdin: bytes | None, language: Language
) -> AddedFile:
    """Reads one document and puts it on the shelf, unless it is there."""
    try:
        if source.cause:
            raise source.cause
        read = reader.read(source.path, named=source.named) if source.path else reader.read_data(stdin or b"")
    except Unreadable as cause:
        return refused(source.origin, cause, language)
    return put_document(make(read, source.path, options, language), shelf, language, origin=source.origin)


def make(read: ReadText, path: Path | None, options: AddOptions, language: Language) -> AddedDocument:
    """The document, not yet judged. Its key is its path, or its title where it came by standard input."""
    title = options.title or read.title or (shorten(written_path(path.stem)) if path else "") or say("stdin", language)
    place = written_path(path) if path else STDIN
    return make_document(
        read.text,
        title=title,
        origin=place,
        published_on=options.published_on or read.published_on,
        added_on=options.added_on,
        trust=options.trust,
        key=place if path else f"{STDIN}:{title}",
    )


def written_path(path: Path | str) -> str:
    """A path as text that any file can hold: names that are no UTF-8 keep their bytes as escapes."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def put_document(document: AddedDocument, shelf: Shelf, language: Language, *, origin: str) -> AddedFile:
    """Judges a document and puts it on the shelf, unless it is there already or another holds the same text."""
    former = shelf.by_id.get(document.document_id)
    if former and former.says_the_same(document):
        return described(former, "unchanged", language, sentence=say("unchanged", language), origin=origin)
    twin = shelf.by_text.get(document.text)
    if twin and twin.document_id != document.document_id:
        sentence = say("duplicate", language, title=twin.title, document_id=twin.document_id)
        return described(twin, "duplicate", language, sentence=sentence, origin=origin)
    judged = replace(document, statements=judge_text(document.text))
    shelf.put(judged)
    if former:
        return described(judged, "replaced", language, sentence=say("replaced", language), origin=origin)
    return described(judged, "added", language, origin=origin)
