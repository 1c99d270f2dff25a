"""Blocks as plain text for pipes and files: no colour, no escape codes, tables in columns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from .bars import FREE, LIMIT, Segment, draw, shade
from .blocks import Bars, Block, Lines, Markdown, Table, Title

_MARKS = re.compile(r"\*\*|`")
_RULE = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*")
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(blocks: Iterable[Block]) -> str:
    """The blocks, a blank line between two, ending in one line break."""
    return "\n\n".join(filter(None, map(_plain, blocks))) + "\n"


def printable(text: str) -> str:
    """Without control characters: what a document or model wrote must not steer the terminal."""
    return _UNSAFE.sub("", text)


def _plain(block: Block) -> str:
    match block:
        case Markdown():
            return plain_markdown(block.text)
        case Title():
            return block.text
        case Lines():
            return "\n".join(printable(line) for line in block.lines)
        case Table():
            return columns([block.head, *block.rows], right=block.right)
        case Bars():
            return "\n".join(plain_bars(block))


def plain_markdown(text: str) -> str:
    """Markdown without its emphasis and code marks, its tables in columns."""
    lines: list[str] = []
    rows: list[list[str]] = []
    code = False
    for line in [*printable(text).splitlines(), ""]:
        if line.lstrip().startswith("```"):
            code = not code
        elif code:
            lines.append(line)
        elif line.lstrip().startswith("|"):
            rows += [] if _RULE.fullmatch(line) else [_cells(line)]
        else:
            lines += [columns(rows)] if rows else []
            rows = []
            lines.append(_bare(line))
    return "\n".join(lines).strip("\n")


def _cells(line: str) -> list[str]:
    return [_bare(cell) for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _bare(text: str) -> str:
    return _MARKS.sub("", text).rstrip()


def columns(rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()) -> str:
    """Rows in columns two spaces apart; Chinese characters take two cells."""
    cells = [[printable(cell.strip()) for cell in row] for row in rows]
    width = max((len(row) for row in cells), default=0)
    cells = [row + [""] * (width - len(row)) for row in cells]
    widths = [max(cell_width(row[at]) for row in cells) for at in range(width)]
    lines = (
        "  ".join(_pad(cell, widths[at], right=at in right) for at, cell in enumerate(row)) for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def cell_width(text: str) -> int:
    """Terminal cells that a text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _pad(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - cell_width(text))
    return space + text if right else text + space


def plain_bars(block: Bars) -> list[str]:
    """One line a bar and, below, what its fills mean."""
    scale = max((bar.usable_gib for bar in block.bars), default=1.0)
    labels = max((cell_width(bar.label) for bar in block.bars), default=0)
    lines = []
    for bar in block.bars:
        drawn = "".join(shade(segment) for segment in draw(bar, scale_gib=scale))
        lines.append(f"{_pad(bar.label, labels, right=False)}  {drawn}  {bar.needed_gib:.1f} / {bar.limit_gib:.1f} GiB")
    parts = list(block.bars[0].parts.items()) if block.bars else []
    legend = [
        f"{shade(Segment('part', 1, at))} {block.names.get(name, name)} {size:.1f}" for at, (name, size) in enumerate(parts)
    ]
    return [*lines, "  ".join([*legend, f"{LIMIT} {block.limit}", f"{FREE} {block.names.get('free', '')}"]).rstrip()]
