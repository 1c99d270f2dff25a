"""Makes files of all kinds in code: PDFs by hand, DOCX by python-docx, and broken or hostile ones of both."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

SONG = (
    "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >>"
    " /FontDescriptor 5 0 R /DW 1000 /W [1 95 500] >>"
)
DESCRIPTOR = "<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>"
Line = tuple[float, float, float, str]  # x, y, size, text


def pdf_of(pages: Iterable[Iterable[Line]], *, info: str = "", encoding: str = "UniGB-UTF16-H", codec: str = "utf-16-be", trailer: str = "") -> bytes:
    """A PDF whose font is not embedded and carries no map to text (no ToUnicode), as many Chinese ones do not."""
    contents = [_content(lines, codec) for lines in pages]
    count = len(contents)
    first = 6
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        f"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light-{encoding} /Encoding /{encoding} /DescendantFonts [4 0 R] >>".encode(),
        SONG.encode(),
        DESCRIPTOR.encode(),
    ]
    for number, content in enumerate(contents):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {first + 2 * number + 1} 0 R"
            f" /Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n" % len(content) + content + b"\nendstream")
    if info:
        objects.append(f"<< {info} >>".encode("latin-1"))
        trailer += f" /Info {len(objects)} 0 R"
    return _assemble(objects, trailer)


def _content(lines: Iterable[Line], codec: str) -> bytes:
    shown = (f"BT /F1 {size} Tf {x} {y} Td <{text.encode(codec).hex()}> Tj ET" for x, y, size, text in lines)
    return "\n".join(shown).encode()


def _assemble(objects: list[bytes], trailer: str) -> bytes:
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R{trailer} >>\nstartxref\n{len(out)}\n%%EOF".encode()
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end


def column(lines: Iterable[str], *, x: float = 72, top: float = 760, size: float = 12) -> list[Line]:
    """Lines below each other."""
    return [(x, top - number * size * 1.4, size, text) for number, text in enumerate(lines)]


def docx_of(fill: Any, *, title: str = "", modified: datetime | None = None) -> bytes:
    """A DOCX that `fill(document)` writes into."""
    import docx

    document = docx.Document()
    document.core_properties.title = title
    if modified:
        document.core_properties.modified = modified
    fill(document)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def with_parts(data: bytes, parts: Mapping[str, bytes]) -> bytes:
    """A package with parts added or replaced."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name not in parts:
                new.writestr(name, old.read(name))
        for name, content in parts.items():
            new.writestr(name, content)
    return out.getvalue()
