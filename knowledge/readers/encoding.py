"""Bytes to text: by byte-order mark, by what the document declares, UTF-8, or GB 18030 (which holds GBK and GB 2312)."""

from __future__ import annotations

import codecs
import re

BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "iso8859-1": "cp1252", "ascii": "utf-8"}
"""Names that pages declare, and the larger set that browsers read them as."""
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")  # tabs, line breaks and the escapes of colours are text
_CHARSET = re.compile(rb"<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{2,30})", re.I)
SAMPLE = 20_000
LEAST_COMMON = 0.6
"""Of real Chinese more than 0.9 of the characters are among the common ones of GB 2312; of other encodings read as GBK a third."""


def decode(data: bytes, *, declared: str = "") -> str | None:
    """The text of `data`, or None where it is no text in an encoding that is known here."""
    for encoding in _encodings(data, declared):
        try:
            text = data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
        if encoding == "gb18030" and not _is_chinese(text):
            continue
        return None if is_binary(text) else text
    return None


def declared_charset(data: bytes) -> str:
    """What an HTML or XML document says in its head; empty if nothing."""
    match = _CHARSET.search(data[:4096])
    return match[1].decode("ascii") if match else ""


def is_binary(text: str) -> bool:
    """Whether control characters give away what is no text."""
    return "\x00" in text or len(_BINARY.findall(text)) * 100 > len(text)


def _encodings(data: bytes, declared: str) -> list[str]:
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return [encoding]
    return list(dict.fromkeys(["utf-8", *_known(declared), "gb18030"]))


def _known(declared: str) -> list[str]:
    """UTF-8 goes before: what is sound UTF-8 is nothing else, whatever is declared."""
    try:
        name = codecs.lookup(declared).name if declared else ""
        "".encode(name or "ascii")  # LookupError for codecs that are none of text, such as base64
    except LookupError:
        return []
    return [WIDER.get(name, name)] if name and not name.startswith(("utf-16", "utf-32", "utf-7")) else []


def _is_chinese(text: str) -> bool:
    """Whether what was read as GB 18030 can be meant: mostly the common characters and marks of GB 2312."""
    others = [character for character in text[:SAMPLE] if not character.isascii()]
    return sum(map(_is_common, others)) >= LEAST_COMMON * len(others)


def _is_common(character: str) -> bool:
    """A mark or symbol of GB 2312, or one of its 3,755 most frequent characters (rows A1 to A9 and B0 to D7)."""
    coded = character.encode("gb18030", "replace")
    return len(coded) == 2 and coded[1] >= 0xA1 and (0xA1 <= coded[0] <= 0xA9 or 0xB0 <= coded[0] <= 0xD7)
