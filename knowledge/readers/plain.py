"""Reads plain text and Markdown: encoding, front matter, title, date; and what every kind of text is freed of."""

from __future__ import annotations

import re

from .dates import date_near_top, find_date
from .encoding import decode
from .furniture import clean_text
from .limits import ReadLimits, ReadText, Unreadable

LONGEST_TITLE = 100
_FRONT = re.compile(r"\A---[ \t]*\n(?P<head>(?:.*\n){0,60}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_KEY = re.compile(r"^(?P<key>title|date|published|updated|lastmod|pubdate)\s*:\s*[\"']?(?P<value>.*?)[\"']?\s*$", re.I | re.M)
_COMMENT = re.compile(r"<!--.{0,20000}?-->", re.S)
_IMAGE = re.compile(r"!\[([^\]\n]{0,300})\]\([^)\n]{0,2000}\)")
_LINK = re.compile(r"(?<!!)\[([^\]\n]{1,300})\]\([^)\n]{0,2000}\)")
_HEADING = re.compile(r"^#{1,2}\s+(.{1,200}?)\s*#*$", re.M)
_STEER = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]")
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]{0,20}[ -/]?[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\))")


def read_plain(data: bytes, *, markdown: bool, limits: ReadLimits) -> ReadText:
    """A text file. Raises Unreadable for what is no text in an encoding that is known here."""
    text = decode(data)
    if text is None:
        raise Unreadable("binary")
    text = uniform(text)
    front: dict[str, str] = {}
    if match := _FRONT.match(text):
        front = {found["key"].lower(): found["value"] for found in _KEY.finditer(match["head"])}
        if front or markdown:
            text = text[match.end() :]
    if markdown:
        text = _COMMENT.sub("", _LINK.sub(r"\1", _IMAGE.sub(r"\1", text)))
    dated = next((date for key in ("date", "published", "pubdate", "updated", "lastmod") if (date := find_date(front.get(key, "")))), "")
    return finish(text, title=front.get("title", ""), published_on=dated, limits=limits)


def finish(text: str, *, title: str, published_on: str, limits: ReadLimits) -> ReadText:
    """What all kinds have in common: title and date from the text where none is stated, furniture out, empty and too long refused."""
    text = uniform(text)
    if len(text) > limits.characters:
        raise Unreadable("too_many_characters", limit=f"{limits.characters:,}")
    clean = clean_text(text)
    if not clean.strip():
        raise Unreadable("empty")
    dated = published_on or date_near_top(text)
    return ReadText(clean, shorten(title) or title_in(clean), dated)


def uniform(text: str) -> str:
    """One kind of line break, and no characters that steer a terminal or turn the direction of writing."""
    lines = _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    return _STEER.sub("", lines.replace("\x0c", "\n"))


def title_in(text: str) -> str:
    """The first heading, else the first line where it is short and no sentence; else empty."""
    if heading := _HEADING.search(text[:4000]):
        return shorten(heading[1])
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return shorten(first.strip(" #*_")) if len(first) <= LONGEST_TITLE and not first.endswith(("。", ".", "；", ";", "，", ",", "：", ":")) else ""


def shorten(title: str) -> str:
    """One line of at most 200 characters."""
    return " ".join(uniform(title).split())[:200]
