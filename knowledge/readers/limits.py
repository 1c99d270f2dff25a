"""Limits of what is read of a document, what was read, and why something was not."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Generous for documents, small for what only poses as one."""

    file_bytes: int = 32 * MEGABYTE
    characters: int = 2_000_000
    pages: int = 2_000
    files: int = 1_000
    seconds: float = 60.0  # of one file
    memory_bytes: int = 1_536 * MEGABYTE  # address space of the process that parses
    unpacked_bytes: int = 256 * MEGABYTE  # of a DOCX, as declared by its directory


@dataclass(frozen=True, slots=True)
class ReadText:
    """The text of a document: headings as `## …`, lists as `- …`, tables as `| … |`; what it says of itself."""

    text: str
    title: str = ""
    published_on: str = ""  # ISO: 2026, 2026-07 or 2026-07-19; empty where the document states none


class Unreadable(Exception):
    """A document that is not read. `code` names the cause, `details` fill its sentence (assistant/compose/phrases/documents.toml)."""

    def __init__(self, code: str, **details: str) -> None:
        super().__init__(code)
        self.code = code
        self.details = details
