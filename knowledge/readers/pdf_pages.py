"""From the rows of all pages to one text: running headers, footers and page numbers out, lines joined to paragraphs, headings marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from statistics import median

from .furniture import holds_figure
from .pdf_layout import Row

EDGE = 2
"""Rows from the top and the bottom of a page among which running lines are looked for."""
LARGER, MUCH_LARGER = 1.15, 1.6
"""Size of a heading against that of the text."""
LONGEST_HEADING = 90
LEADING = 1.9
"""Distance of two lines of one paragraph at most, in sizes."""
SLACK = 0.6
"""Sizes by which a line may end earlier than the next word would have made it."""
_NUMBER = re.compile(r"[-–—·\s]*(?:第\s*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s*页)?(?:\s*(?:/|of|共)\s*\d{1,4}(?:\s*页)?)?[-–—·\s]*", re.I)
_ITEM = re.compile(r"(?:[•◦▪·●○■►✓√*–-]|\(?\d{1,2}[.)、]|[（(]?[一二三四五六七八九十]{1,3}[、)）]|[a-zA-Z][.)])\s*\S|\d{1,2}(?:\.\d{1,2}){1,3}\s")
_BULLET = re.compile(r"[•◦▪●○■►]\s*")
_STOP = ("。", "！", "？", "!", "?", ".", "：", ":", "；", ";")
_CJK = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]")


def drop_running_lines(pages: list[list[Row]]) -> list[list[Row]]:
    """Pages without the lines that stand at the edge of at least half of them; the first one stays where it holds a figure."""
    edges = [_edge(page) for page in pages]
    counts = Counter(key for page in edges for key in {_key(row) for row in page})
    least = max(2, (len([page for page in pages if page]) + 1) // 2)
    seen: set[str] = set()
    kept: list[list[Row]] = []
    for page, edge in zip(pages, edges, strict=True):
        running = {id(row) for row in edge if _runs(row, counts[_key(row)] >= least, seen, alone=len(pages) == 1)}
        kept.append([row for row in page if id(row) not in running])
    return kept


def _runs(row: Row, often: bool, seen: set[str], *, alone: bool) -> bool:
    if _NUMBER.fullmatch(row.text):
        return often or (alone and row.text.strip(" -–—·") == "1")
    if not often:
        return False
    first = row.text not in seen
    seen.add(row.text)
    return not (first and holds_figure(row.text))


def _edge(page: list[Row]) -> list[Row]:
    rows = sorted(page, key=lambda row: -row.middle)
    return rows[:EDGE] + rows[max(EDGE, len(rows) - EDGE) :]


def _key(row: Row) -> str:
    """The same for a line and its twin on another page: numbers of pages count as one, figures do not."""
    if _NUMBER.fullmatch(row.text):
        return "#"
    return row.text if holds_figure(row.text) else re.sub(r"\d+", "#", row.text)


def write_pages(pages: list[list[Row]]) -> str:
    """The text of all pages; a paragraph may run on over the end of a page."""
    rows = [row for page in pages for row in page]
    if not rows:
        return ""
    body = median([row.size for row in rows for _ in range(max(1, len(row.text) // 10))])
    return "\n".join(_written(rows, body))


def _written(rows: list[Row], body: float) -> Iterator[str]:
    current = ""
    before: Row | None = None
    for row in rows:
        joined = before is not None and _goes_on(before, row, body)
        if joined:
            current = _join(current, row.text)
        else:
            yield from _paragraph(current, before, body)
            current = row.text
        before = row
    yield from _paragraph(current, before, body)


def _paragraph(text: str, last: Row | None, body: float) -> Iterator[str]:
    if last is None:
        return
    mark = _heading(text, last, body)
    if mark:
        yield from ("", mark + text, "")
    elif len(last.pieces) > 1 or _ITEM.match(text):
        yield _BULLET.sub("- ", text, count=1) if _BULLET.match(text) else text
    else:
        yield from ("", text, "")


def _heading(text: str, row: Row, body: float) -> str:
    if row.size < LARGER * body or len(text) > LONGEST_HEADING or len(row.pieces) > 1 or text.endswith(("。", ".", "；", "，", ",")):
        return ""
    return "# " if row.size >= MUCH_LARGER * body else "## "


def _goes_on(before: Row, row: Row, body: float) -> bool:
    """Whether a row is the next line of the paragraph of the one before."""
    if len(before.pieces) > 1 or len(row.pieces) > 1 or _ITEM.match(row.text) or abs(before.size - row.size) > 0.12 * body:
        return False
    below = before.middle - row.middle
    if below > LEADING * before.size or (below <= 0 and before.text.endswith(_STOP)):
        return False
    first = row.text[:1] if _CJK.match(row.text) else row.text.split(" ", 1)[0]
    word = (row.right - row.left) * (len(first) + 1) / max(1, len(row.text))
    full = before.margin - before.right <= word + SLACK * before.size  # else the next word would have stood on that line
    return full and not (row.left > before.left + 1.5 * row.size and before.text.endswith(_STOP))


def _join(text: str, more: str) -> str:
    """No space beside a Chinese character; a hyphen that only parted a word goes."""
    if text.endswith("\u00ad"):
        return text[:-1] + more
    if text.endswith("-") or _CJK.match(text[-1:]) or _CJK.match(more[:1]):
        return text + more
    return f"{text} {more}"
