"""Documents as a file: export to JSON lines, import of such a file, and looking a document up by its id or path.

    {"format": "xuanka-documents", "version": 1}
    {fields of an AddedDocument but its statements, which are judged anew by whoever imports it}
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from knowledge.added import MAX_CHARACTERS, AddedDocument, make_document
from knowledge.document_json import document_as_json, document_from_json
from knowledge.errors import InputError
from knowledge.readers.files import checked_path, read_bytes
from knowledge.readers.limits import ReadLimits, Unreadable
from knowledge.readers.plain import uniform
from knowledge.search import Library
from tools.phrases import Language

from .document_report import AddReport, make_report, say
from .documents import Progress, Shelf, put_document, written_path
from .judging import judge_text

HEAD = {"format": "xuanka-documents", "version": 1}
LIMITS = ReadLimits(file_bytes=256 * 2**20)
MOST_DOCUMENTS = 20_000


def export_documents(path: Path, *, library: Library, force: bool, language: Language) -> int:
    """Writes all added documents, whole or not at all; returns how many. InputError where a file is there already."""
    if path.exists() and not force:
        raise InputError(say("exists", language, path=path))
    documents = library.documents()
    half = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        half.write_text("\n".join(_lines(documents)) + "\n", encoding="utf-8")
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
    return len(documents)


def _lines(documents: Iterable[AddedDocument]) -> Iterator[str]:
    yield json.dumps(HEAD)
    for document in documents:
        values = document_as_json(document)
        del values["statements"]
        yield json.dumps(values, ensure_ascii=False)


def import_documents(name: str, *, library: Library, language: Language, on_progress: Progress | None = None) -> AddReport:
    """Adds the documents of an exported file, each judged anew. InputError names the line that is none; then nothing is imported."""
    try:
        data = read_bytes(checked_path(name), LIMITS)
        text = data.decode("utf-8")
    except Unreadable as cause:
        raise InputError(f"{name[:200]}: {say(cause.code, language, **cause.details)}") from None
    except UnicodeDecodeError:
        raise InputError(say("not_an_export", language, path=name[:200], line=1, reason="not UTF-8")) from None
    documents = list(_read_lines(text, name[:200], language))
    shelf = Shelf(library, on_progress)
    files = []
    for number, document in enumerate(documents, 1):
        files.append(put_document(document, shelf, language, origin=document.origin))
        if on_progress:
            on_progress("read", number, len(documents))
    shelf.close()
    return make_report(files)


def _read_lines(text: str, name: str, language: Language) -> Iterator[AddedDocument]:
    for number, line in enumerate(text.split("\n"), 1):
        if number > 1 and not line.strip():
            continue
        try:
            found = json.loads(line)
            if number == 1:
                _check_head(found)
            else:
                yield _document(found)
            if number > MOST_DOCUMENTS:
                raise ValueError(f"more than {MOST_DOCUMENTS:,} documents")
        except (ValueError, RecursionError, InputError) as error:
            raise InputError(say("not_an_export", language, path=name, line=number, reason=_short(error))) from None


def _check_head(found: object) -> None:
    if found != HEAD:
        raise ValueError(f"the first line is not {json.dumps(HEAD)}")


def _document(found: object) -> AddedDocument:
    """A document of the file. Its id is made anew; characters that readers never let through give away a foreign file."""
    given = document_from_json(found, max_characters=MAX_CHARACTERS)
    if given.statements:
        raise ValueError("statements are judged here, not imported")
    if any(uniform(value) != value for value in (given.text, given.title)):
        raise ValueError("control characters")
    return make_document(
        given.text, title=given.title, origin=given.origin, published_on=given.published_on, added_on=given.added_on,
        trust=given.trust, key=given.key,
    )  # fmt: skip


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__


def find_document(name: str, *, library: Library, language: Language) -> AddedDocument:
    """The added document of this id, or of this path. InputError if there is none."""
    documents = library.documents()
    name = written_path(name)
    paths = {name, os.path.abspath(os.path.expanduser(name))} if "\0" not in name else {name}  # noqa: PTH100, PTH111 - as documents are keyed
    for document in documents:
        if name == document.document_id or document.key in paths or document.origin in paths - {"-"}:
            return document
    raise InputError(say("unknown_document", language, name=name[:200]))


def judge_again(library: Library) -> int:
    """Judges all added documents by the catalog as it is now; returns how many verdicts of a document changed."""
    changed = []
    for document in library.documents():
        judged = replace(document, statements=judge_text(document.text))
        if judged.statements != document.statements:
            changed.append(judged)
    if changed:
        library.keep(changed)
    return len(changed)
