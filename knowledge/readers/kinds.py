"""What a file is, by its first bytes before its name: a PDF called .txt is a PDF, an archive called .docx an archive."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Literal

from .limits import Unreadable

Kind = Literal["text", "markdown", "html", "pdf", "docx"]
ARCHIVES = {
    b"\x1f\x8b": "gzip", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!\x1a\x07": "RAR", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd", b"MSCF": "CAB", b"!<arch>\n": "ar",
}  # fmt: skip
PICTURES = {b"\x89PNG": "PNG", b"\xff\xd8\xff": "JPEG", b"GIF8": "GIF", b"RIFF": "RIFF", b"II*\x00": "TIFF", b"MM\x00*": "TIFF", b"BM": "BMP"}
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
MARKDOWN_ENDINGS = (".md", ".markdown", ".mdx", ".mkd")
HTML_ENDINGS = (".html", ".htm", ".xhtml", ".shtml")
OFFICE = {"xl/": "Excel", "ppt/": "PowerPoint", "META-INF/container.xml": "EPUB", "content.xml": "OpenDocument"}
_PDF = re.compile(rb"(?:\A|\A\xef\xbb\xbf|[\r\n])%PDF-\d")  # mail and web servers leave lines before it
_HTML = re.compile(rb"\s*(?:<!--.{0,2000}?-->\s*|<\?xml[^>]{0,200}\?>\s*)*<(?:!doctype\s+html|html|head|body)[\s>]", re.I | re.S)


def kind_of(data: bytes, name: str) -> Kind:
    """The kind of document that `data` is. Raises Unreadable for what is none that is read here."""
    _refuse_packed(data)
    if _PDF.search(data[:1024]):
        return "pdf"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zipped(data)
    if data.startswith(OLE):
        raise Unreadable("encrypted" if ENCRYPTED in data else "old_office")
    if data.startswith(b"{\\rtf"):
        raise Unreadable("other_office", form="RTF")
    lower = name.lower()
    if lower.endswith(HTML_ENDINGS) or _HTML.match(data.removeprefix(b"\xef\xbb\xbf")[:4096]):
        return "html"
    return "markdown" if lower.endswith(MARKDOWN_ENDINGS) else "text"


def _refuse_packed(data: bytes) -> None:
    for mark, form in ARCHIVES.items():
        if data.startswith(mark):
            raise Unreadable("archive", form=form)
    if data[257:262] == b"ustar":
        raise Unreadable("archive", form="tar")
    for mark, form in PICTURES.items():
        if data.startswith(mark) and (len(mark) > 2 or b"\x00" in data[:64]):  # a text may begin with "BM"
            raise Unreadable("picture", form=form)


def _zipped(data: bytes) -> Kind:
    """A DOCX is a zip with a Word document in it; every other zip is an archive."""
    try:
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError) as error:
        raise Unreadable("broken", form="DOCX") from error
    if any(name.startswith("word/") for name in names) and "[Content_Types].xml" in names:
        return "docx"
    for start, form in OFFICE.items():
        if any(name.startswith(start) for name in names):
            raise Unreadable("other_office", form=form)
    raise Unreadable("archive", form="zip")
