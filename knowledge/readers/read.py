"""Reads one document of any kind: `with DocumentReader(limits) as reader: reader.read(path)`."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from .child import Parser
from .files import checked_bytes, read_bytes
from .kinds import kind_of
from .limits import ReadLimits, ReadText, Unreadable
from .parse import parse

IN_WORKER = ("html", "pdf", "docx")
TEXT_ENDINGS = ("", ".txt", ".text", ".rst", ".adoc", ".org", ".me")


class DocumentReader:
    """Reads documents one after the other. HTML, PDF and DOCX are parsed in a process of their own, under the limits."""

    def __init__(self, limits: ReadLimits | None = None) -> None:
        self.limits = limits or ReadLimits()
        self._parser = Parser(self.limits)

    def __enter__(self) -> DocumentReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._parser.end()

    def read(self, path: Path, *, named: bool = True) -> ReadText:
        """Text, title and date of a file. Raises Unreadable, also for programs and data that nobody `named`: they lay in a folder."""
        return self.read_data(read_bytes(path, self.limits), path.name, named=named)

    def read_data(self, data: bytes, name: str = "", *, named: bool = True) -> ReadText:
        """The same of bytes that were read elsewhere; `name` helps to tell Markdown from plain text."""
        kind = kind_of(checked_bytes(data, self.limits), name)
        if kind == "text" and not named and Path(name).suffix.lower() not in TEXT_ENDINGS:
            raise Unreadable("no_document", ending=Path(name).suffix[:20])
        if kind in IN_WORKER:
            return self._parser.parse(data, kind)
        return parse(data, kind, self.limits)
