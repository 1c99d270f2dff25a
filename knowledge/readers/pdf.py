"""Reads PDF by PDFium: characters with their places, which pdf_layout.py puts in order. Scans have no text and are refused."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from .dates import find_date
from .limits import ReadLimits, ReadText, Unreadable
from .pdf_layout import Piece, arrange
from .pdf_pages import drop_running_lines, write_pages
from .plain import finish

PASSWORD = "password"
BROKEN_SHARE = 0.2
"""Share of characters without a meaning from which a font carries no map to text."""
GAP = 1.8
"""A gap inside a line that is wider than this many letters parts columns or cells."""
HYPHEN = "\u00ad"
NO_CHARACTERS = (0, 0xFFFE, 0xFFFF, 0xFFFD)


def read_pdf(data: bytes, limits: ReadLimits) -> ReadText:
    """Text of a PDF. Raises Unreadable for encrypted ones, scans, fonts without a map, and too many pages."""
    pdfium = import_module("pypdfium2")
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        raise Unreadable("encrypted" if PASSWORD in str(error).lower() else "broken", form="PDF") from error
    try:
        if len(document) > limits.pages:
            raise Unreadable("too_many_pages", pages=f"{len(document):,}", limit=f"{limits.pages:,}")
        pages = [arrange(pieces) for pieces in _pages(document, limits)]
        stated = document.get_metadata_dict()
    except pdfium.PdfiumError as error:
        raise Unreadable("broken", form="PDF") from error
    finally:
        document.close()
    if not any(pages):
        raise Unreadable("scanned")
    text = write_pages(drop_running_lines(pages))
    return finish(text, title=_title(stated.get("Title", "")), published_on=find_date(stated.get("CreationDate", "")), limits=limits)


def _title(stated: str) -> str:
    """Title of the document, not the name of the file that it was printed from."""
    noise = stated.lower().endswith((".doc", ".docx", ".indd", ".tex", ".dvi", ".ppt", ".pptx", ".pdf")) or "microsoft word" in stated.lower()
    return "" if noise or stated.strip().lower() in ("untitled", "无标题", "none") else stated


def _pages(document: Any, limits: ReadLimits) -> Iterator[list[Piece]]:
    count, broken = 0, 0
    for page in document:
        text = page.get_textpage()
        codes = _codes(text)
        count += len(codes)
        broken += sum(code in NO_CHARACTERS or 0xE000 <= code <= 0xF8FF for code in codes)
        if count > limits.characters:
            raise Unreadable("too_many_characters", limit=f"{limits.characters:,}")
        yield _pieces(text, codes)
        text.close()
        page.close()
    if broken > BROKEN_SHARE * max(1, count):
        raise Unreadable("unmapped_fonts")


def _codes(text: Any) -> list[int]:
    unicode_of = import_module("pypdfium2.raw").FPDFText_GetUnicode
    return [int(unicode_of(text, place)) for place in range(text.count_chars())]


def _pieces(text: Any, codes: list[int]) -> list[Piece]:
    """Stretches of a line without a wide gap, in the order of the file."""
    pieces: list[Piece] = []
    letters: list[tuple[str, tuple[float, float, float, float]]] = []
    for place, code in enumerate(codes):
        if code in (10, 13):
            pieces += _close(letters)
            letters = []
        elif code == 2:  # PDFium's mark of a hyphen at the end of a line
            letters += [(HYPHEN, letters[-1][1])] if letters else []
        elif code >= 32 and code not in NO_CHARACTERS:
            box = text.get_charbox(place, loose=True)
            if letters and _parted(letters, box):
                pieces += _close(letters)
                letters = []
            letters.append((_character(code), box))
    return pieces + _close(letters)


def _character(code: int) -> str:
    """Kangxi radicals stand for the characters of their shape in many Chinese PDFs."""
    character = chr(code)
    return unicodedata.normalize("NFKC", character) if 0x2E80 <= code <= 0x2FDF else character


def _parted(letters: list[tuple[str, tuple[float, float, float, float]]], box: tuple[float, float, float, float]) -> bool:
    """Whether a wide gap, or another line, lies between the last visible letter and this one."""
    last = next((place for letter, place in reversed(letters) if letter.strip()), None)
    if last is None or box[2] <= box[0]:
        return False
    height = max(last[3] - last[1], 1.0)
    return box[0] - last[2] > GAP * height or last[0] - box[2] > height or abs((box[1] + box[3]) - (last[1] + last[3])) / 2 > height


def _close(letters: list[tuple[str, tuple[float, float, float, float]]]) -> list[Piece]:
    text = " ".join("".join(letter for letter, _ in letters).split())
    boxes = [box for letter, box in letters if letter.strip() and box[3] > box[1]]
    if not text or not boxes:
        return []
    heights = sorted(box[3] - box[1] for box in boxes)
    return [
        Piece(text, min(b[0] for b in boxes), max(b[2] for b in boxes), min(b[1] for b in boxes), max(b[3] for b in boxes), heights[len(heights) // 2])
    ]
