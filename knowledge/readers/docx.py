"""Reads DOCX: paragraphs, headings, lists and tables of the body; headers, footers and deleted text are left out."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .limits import ReadLimits, ReadText, Unreadable
from .plain import finish

if TYPE_CHECKING:
    from docx.document import Document

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
TEXT_BOX = f"{W}txbxContent"
SKIPPED = frozenset({f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}pPr", FALLBACK})
MOST_RATIO = 200
"""Real documents pack text by a factor of ten to thirty; a bomb by a thousand."""
SMALL = 2**20
MOST_PARTS = 10_000
HEAD = 4_096
_HEADING = re.compile(r"(?:heading|标题)\s*([1-9])", re.I)
_NUMBERED = re.compile(r"list|列表", re.I)


def read_docx(data: bytes, limits: ReadLimits) -> ReadText:
    """Text of a Word document. Raises Unreadable for macros, bombs, entities and broken files, before anything is unpacked whole."""
    check_package(data, limits)
    from docx import Document

    try:
        document = Document(io.BytesIO(data))
        text = "\n".join(_blocks(document.element.body, _levels(document)))
        properties = document.core_properties
        title, stamp = properties.title or "", properties.modified or properties.created
    except MemoryError:
        raise
    except Exception as error:  # python-docx and lxml raise many types for a broken package; all mean the same to a user
        raise Unreadable("broken", form="DOCX") from error
    dated = stamp.date().isoformat() if stamp and stamp.year > 2013 else ""  # templates carry 2013-12-23
    return finish(text, title=title, published_on=dated, limits=limits)


def check_package(data: bytes, limits: ReadLimits) -> None:
    """Refuses a package by its directory alone, and parts of XML that define entities."""
    try:
        package = zipfile.ZipFile(io.BytesIO(data))
        parts = package.infolist()
        _check_sizes(parts, limits)
        if any(part.filename.lower().endswith("vbaproject.bin") for part in parts):
            raise Unreadable("macros")
        for part in parts:
            _check_part(package, part)
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, ValueError, EOFError) as error:
        raise Unreadable("broken", form="DOCX") from error


def _check_sizes(parts: list[zipfile.ZipInfo], limits: ReadLimits) -> None:
    whole = sum(part.file_size for part in parts)
    bomb = any(part.file_size > max(SMALL, MOST_RATIO * part.compress_size) for part in parts)
    if whole > limits.unpacked_bytes or bomb or len(parts) > MOST_PARTS:
        raise Unreadable("bomb", limit=f"{limits.unpacked_bytes // 2**20}")


def _check_part(package: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    if part.flag_bits & 1:
        raise Unreadable("encrypted")
    if part.filename.endswith((".xml", ".rels")):
        with package.open(part) as file:
            head = file.read(HEAD)
        if b"<!DOCTYPE" in head or b"<!ENTITY" in head or "<!DOCTYPE".encode("utf-16-le") in head or "<!DOCTYPE".encode("utf-16-be") in head:
            raise Unreadable("entities", form="DOCX")
        if part.filename == "[Content_Types].xml" and b"macroEnabled" in head:
            raise Unreadable("macros")


def _levels(document: Document) -> dict[str, str]:
    """Mark of each paragraph style by its id: `# `, `## `, … for headings, `- ` for lists."""
    marks: dict[str, str] = {}
    for style in document.styles:
        name = str(style.name or "")
        if name.lower() in ("title", "标题"):
            marks[style.style_id] = "# "
        elif match := _HEADING.match(name):
            marks[style.style_id] = "#" * min(6, int(match[1]) + 1) + " "
        elif _NUMBERED.search(name):
            marks[style.style_id] = "- "
    return marks


def _blocks(parent: Any, marks: dict[str, str]) -> Iterator[str]:
    """Lines of a body, a cell, a text box or a content control."""
    for child in parent:
        if child.tag == f"{W}p":
            yield from _paragraph(child, marks)
        elif child.tag == f"{W}tbl":
            yield from _table(child)
        elif child.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins"):
            yield from _blocks(child, marks)


def _paragraph(paragraph: Any, marks: dict[str, str]) -> Iterator[str]:
    text = _text(paragraph).strip()
    mark = _mark(paragraph, marks)
    if text and mark.startswith("#"):
        yield from ("", f"{mark}{' '.join(text.split())}", "")
    elif text and mark:
        yield mark + text
    elif text:
        yield from ("", text, "")
    for box in paragraph.iter(TEXT_BOX):
        if not any(above.tag == FALLBACK for above in box.iterancestors()):
            yield from _blocks(box, marks)


def _mark(paragraph: Any, marks: dict[str, str]) -> str:
    properties = paragraph.find(f"{W}pPr")
    if properties is None:
        return ""
    style, level = properties.find(f"{W}pStyle"), properties.find(f"{W}outlineLvl")
    if style is not None and style.get(f"{W}val") in marks:
        return marks[style.get(f"{W}val")]
    if level is not None and (level.get(f"{W}val") or "").isdigit() and int(level.get(f"{W}val")) < 6:
        return "#" * min(6, int(level.get(f"{W}val")) + 2) + " "
    return "- " if properties.find(f"{W}numPr") is not None else ""


def _text(element: Any) -> str:
    """Runs in order, those inserted under review included, deleted and hidden ones not; text boxes come by themselves."""
    pieces: list[str] = []
    for child in element:
        if child.tag in SKIPPED or child.tag == TEXT_BOX or (child.tag == f"{W}r" and child.find(f"{W}rPr/{W}vanish") is not None):
            continue
        if child.tag == f"{W}t":
            pieces.append(child.text or "")
        elif child.tag == f"{W}tab":
            pieces.append("\t")
        elif child.tag in (f"{W}br", f"{W}cr"):
            pieces.append("\n")
        elif child.tag in (f"{W}noBreakHyphen", f"{W}softHyphen"):
            pieces.append("-" if child.tag.endswith("noBreakHyphen") else "")
        else:
            pieces.append(_text(child))
    return "".join(pieces)


def _table(table: Any) -> Iterator[str]:
    rows = [
        [" ".join(" ".join(_blocks(cell, {})).split()).replace("|", "/") for cell in row.xpath("./w:tc | ./w:sdt/w:sdtContent/w:tc")]
        for row in table.xpath("./w:tr | ./w:sdt/w:sdtContent/w:tr")
    ]
    if max(map(len, rows), default=0) < 2:
        for row in rows:
            yield from ("", *row, "")
        return
    yield ""
    for number, row in enumerate(rows):
        yield f"| {' | '.join(row)} |"
        if number == 0:
            yield f"|{'---|' * len(row)}"
    yield ""
