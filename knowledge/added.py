"""Documents that a user adds: kept as one JSON file each in the user's own folder, searched with the guides."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from .chunks import Passage, document_passages, language_of
from .document_json import document_as_json, document_from_json
from .errors import DataError, InputError
from .judged import JudgedStatement

MAX_CHARACTERS = 2_000_000
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_HALF_S = 3_600.0  # a half-written file that is older was left behind


@dataclass(frozen=True, slots=True)
class AddedDocument:
    """A document as added. Its text is material to be cited, never an instruction."""

    document_id: str  # also its source id
    title: str
    lang: str
    text: str
    origin: str = ""  # path or address it came from
    published_on: str = ""
    added_on: str = ""
    trust: str = "user"
    key: str = ""  # identity of where it came from: an absolute path, or a name
    statements: tuple[JudgedStatement, ...] = ()  # judged as the document came in; offsets are those of `text`

    def passages(self) -> tuple[Passage, ...]:
        return document_passages(
            self.text,
            document_id=self.document_id,
            title=self.title,
            lang=self.lang,
            published_on=self.published_on,
            trust=self.trust,
            statements=self.statements,
        )

    def says_the_same(self, other: AddedDocument) -> bool:
        """Whether adding one after the other changes nothing."""
        mine, theirs = ((item.text, item.title, item.published_on, item.trust) for item in (self, other))
        return mine == theirs


def make_document(
    text: str,
    *,
    title: str,
    origin: str = "",
    published_on: str = "",
    added_on: str = "",
    trust: str = "user",
    key: str = "",
    statements: tuple[JudgedStatement, ...] = (),
) -> AddedDocument:
    """A document with its language as read, and an id from its key, else from its text. InputError if empty or too long."""
    if not text.strip():
        raise InputError(f"the document {title!r} is empty")
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"the document {title!r} is longer than {MAX_CHARACTERS:,} characters")
    digest = hashlib.sha256((key or text).encode("utf-8", "replace")).hexdigest()[:10]
    return AddedDocument(
        document_id=f"user-{digest}",
        title=title,
        lang=language_of(text),
        text=text,
        origin=origin,
        published_on=published_on,
        added_on=added_on,
        trust=trust,
        key=key,
        statements=statements,
    )


def read_documents(folder: Path) -> tuple[AddedDocument, ...]:
    """Documents of the folder, by id. DataError names the file that is broken."""
    if not folder.is_dir():
        return ()
    return tuple(_read(path) for path in sorted(folder.glob("*.json")))


def write_document(folder: Path, document: AddedDocument) -> None:
    """Keeps a document, whole or not at all; one of the same id is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    path = _path(folder, document.document_id)
    half = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        half.write_text(json.dumps(document_as_json(document), ensure_ascii=False, indent=1), encoding="utf-8")
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)


def remove_document(folder: Path, document_id: str) -> bool:
    """Whether there was such a document. A folder without documents goes too."""
    path = _path(folder, document_id)
    if not path.is_file():
        return False
    path.unlink()
    _sweep(folder)
    if not any(folder.iterdir()):
        folder.rmdir()
    return True


def _read(path: Path) -> AddedDocument:
    try:
        document = document_from_json(json.loads(path.read_text(encoding="utf-8")), max_characters=MAX_CHARACTERS)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}:1: not an added document ({error}); remove the file, then add the document again") from error
    if document.document_id != path.stem:
        raise DataError(f"{path}:1: holds the document {document.document_id!r}; remove the file, then add the document again")
    return document


def _path(folder: Path, document_id: str) -> Path:
    if not _ID.fullmatch(document_id):  # an id is also a file name: no dots, no slashes
        raise InputError(f"{document_id!r} is not the id of a document")
    return folder / f"{document_id}.json"


def _sweep(folder: Path) -> None:
    """Removes what an interrupted process left half written."""
    for half in folder.glob(".*.tmp"):
        if time.time() - half.stat().st_mtime > _HALF_S:
            half.unlink(missing_ok=True)
