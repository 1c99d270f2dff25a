"""Which reader reads which kind; runs inside the worker for kinds whose libraries meet foreign structures."""

from __future__ import annotations

from .kinds import Kind
from .limits import ReadLimits, ReadText, Unreadable

FORMS = {"html": "HTML", "pdf": "PDF", "docx": "DOCX"}


def parse(data: bytes, kind: Kind, limits: ReadLimits) -> ReadText:
    """The text of `data`. Raises Unreadable, also where the reader's library is not installed."""
    try:
        return _parse(data, kind, limits)
    except ImportError as error:
        raise Unreadable("no_reader", form=FORMS.get(kind, kind)) from error
    except RecursionError as error:
        raise Unreadable("too_deep", form=FORMS.get(kind, kind)) from error


def _parse(data: bytes, kind: Kind, limits: ReadLimits) -> ReadText:
    match kind:
        case "html":
            from .html import read_html

            return read_html(data, limits)
        case "pdf":
            from .pdf import read_pdf

            return read_pdf(data, limits)
        case "docx":
            from .docx import read_docx

            return read_docx(data, limits)
        case _:
            from .plain import read_plain

            return read_plain(data, markdown=kind == "markdown", limits=limits)
