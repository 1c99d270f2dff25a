"""Writes an element of a page as text: headings as `## …`, lists as `- …`, tables as `| … |`, code between fences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import Tag

BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
DEEPEST = 150
"""Elements inside each other; what lies deeper is written as one line."""


def written(tag: Tag) -> str:
    """The text of an element, blocks apart by a blank line, items of a list on lines of their own."""
    return "\n".join(_lines(tag, 0, 0))


def _lines(tag: Tag, indent: int, depth: int) -> Iterator[str]:
    """Lines of an element. Inline pieces between two blocks are one paragraph."""
    from bs4.element import Comment, NavigableString, Tag

    inline: list[str] = []
    for child in tag.children:
        if isinstance(child, Comment) or not isinstance(child, (Tag, NavigableString)):
            continue
        if isinstance(child, NavigableString):
            inline.append(re.sub(r"\s+", " ", str(child)))
        elif child.name == "br":
            inline.append("\n")
        elif depth < DEEPEST and (child.name in BLOCKS or child.find(list(BLOCKS)) is not None):
            yield from _paragraph(inline, indent)
            inline = []
            yield from _block(child, indent, depth + 1)
        else:
            inline.append(_inline(child))
    yield from _paragraph(inline, indent)


def _block(tag: Tag, indent: int, depth: int) -> Iterator[str]:
    match tag.name:
        case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
            if text := " ".join(tag.get_text(" ").split()):
                yield from ("", f"{'#' * int(tag.name[1])} {text}", "")
        case "pre":
            yield from ("", "```", tag.get_text().strip("\n"), "```", "")
        case "ul" | "ol":
            yield from _list(tag, indent, depth)
        case "table":
            yield from _table(tag, depth)
        case "hr":
            yield ""
        case _:
            yield from ("", *_lines(tag, indent, depth), "")


def _list(tag: Tag, indent: int, depth: int) -> Iterator[str]:
    """Items with their mark; what an item holds besides its first line is indented under it."""
    yield ""
    for number, item in enumerate(tag.find_all("li", recursive=False), 1):
        mark = f"{number}. " if tag.name == "ol" else "- "
        lines = [line for line in _lines(item, 0, depth) if line.strip()]
        for place, line in enumerate(lines):
            yield " " * indent + (mark if place == 0 else " " * len(mark)) + line
    for other in tag.find_all(("ul", "ol"), recursive=False):  # a list right inside a list, as old pages have it
        yield from _block(other, indent + 2, depth)
    yield ""


def _table(tag: Tag, depth: int) -> Iterator[str]:
    """Rows with bars. A table that only lays out the page (one cell, or tables in it) is written as what is in it."""
    rows = [row for row in tag.find_all("tr") if row.find_parent("table") is tag]
    cells = [row.find_all(("td", "th"), recursive=False) for row in rows]
    if tag.find("table") is not None or max(map(len, cells), default=0) < 2:
        for cell in (cell for row in cells for cell in row):
            yield from ("", *_lines(cell, 0, depth), "")
        return
    yield ""
    for number, row in enumerate(cells):
        texts = [" ".join(cell.get_text(" ").split()).replace("|", "/") for cell in row]
        yield f"| {' | '.join(texts)} |"
        if number == 0:
            yield f"|{'---|' * len(texts)}"
    yield ""


def _inline(tag: Tag) -> str:
    """Text of an inline element; a picture speaks by its description."""
    if tag.name == "img":
        return str(tag.get("alt") or "")
    for line_break in tag.find_all("br"):
        line_break.replace_with("\n")
    return re.sub(r"[^\S\n]+", " ", tag.get_text())


def _paragraph(inline: list[str], indent: int) -> Iterator[str]:
    for line in "".join(inline).split("\n"):
        if text := " ".join(line.split()):
            yield " " * indent + text
