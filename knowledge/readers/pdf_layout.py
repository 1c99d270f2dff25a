"""Puts the pieces of a page in reading order: rows from the top, two columns one after the other, cells of a table on one line."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

NARROWEST_GUTTER = 6.0
"""Points between two columns."""
WIDE = 0.62
"""Share of the text's width from which a piece runs across columns (a title, a figure's caption)."""
FEWEST_LINES = 5
FILLED = 0.6
"""Share of a column's width that its typical line takes; cells of a table take less."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text on a page; places in points, y counted upwards. `size` is the height of its letters."""

    text: str
    left: float
    right: float
    bottom: float
    top: float
    size: float

    @property
    def middle(self) -> float:
        return (self.bottom + self.top) / 2


@dataclass(frozen=True, slots=True)
class Row:
    """A line as read: one piece, or the cells of a table's row. `margin` is the right end of its column."""

    pieces: tuple[Piece, ...]
    margin: float

    @property
    def text(self) -> str:
        if len(self.pieces) == 1:
            return self.pieces[0].text
        return f"| {' | '.join(piece.text.replace('|', '/') for piece in self.pieces)} |"

    @property
    def size(self) -> float:
        return max(piece.size for piece in self.pieces)

    @property
    def middle(self) -> float:
        return self.pieces[0].middle

    @property
    def left(self) -> float:
        return self.pieces[0].left

    @property
    def right(self) -> float:
        return self.pieces[-1].right


def arrange(pieces: list[Piece]) -> list[Row]:
    """Rows of a page in reading order."""
    if not pieces:
        return []
    gutter = _gutter(pieces)
    if gutter is None:
        return _rows(pieces)
    ordered: list[Row] = []
    waiting: list[Piece] = []
    for piece in sorted(pieces, key=lambda item: -item.middle):
        if piece.left < gutter < piece.right:
            ordered += [*_columns(waiting, gutter), *_rows([piece])]
            waiting = []
        else:
            waiting.append(piece)
    return ordered + _columns(waiting, gutter)


def _columns(pieces: list[Piece], gutter: float) -> list[Row]:
    left = [piece for piece in pieces if piece.right <= gutter]
    return _rows(left) + _rows([piece for piece in pieces if piece.right > gutter])


def _rows(pieces: list[Piece]) -> list[Row]:
    """Pieces at one height are a row."""
    margin = max((piece.right for piece in pieces), default=0.0)
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda item: (-item.middle, item.left)):
        if rows and abs(rows[-1][0].middle - piece.middle) < 0.4 * min(rows[-1][0].size, piece.size):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [Row(tuple(sorted(row, key=lambda item: item.left)), margin) for row in rows]


def _gutter(pieces: list[Piece]) -> float | None:
    """The middle of the strip between two columns of prose; None where there is one column, or only a table."""
    left, right = min(piece.left for piece in pieces), max(piece.right for piece in pieces)
    narrow = [piece for piece in pieces if piece.right - piece.left < WIDE * (right - left)]
    for start, end in _gaps(narrow):
        place = (start + end) / 2
        if end - start < NARROWEST_GUTTER or not 0.35 < (place - left) / max(1.0, right - left) < 0.65:
            continue
        one = [piece.right - piece.left for piece in narrow if piece.right <= place]
        other = [piece.right - piece.left for piece in narrow if piece.left >= place]
        if min(len(one), len(other)) < FEWEST_LINES:
            continue
        if median(one) >= FILLED * (start - left) and median(other) >= FILLED * (right - end):
            return place
    return None


def _gaps(pieces: list[Piece]) -> list[tuple[float, float]]:
    """Strips that no piece crosses, from left to right."""
    gaps = []
    reached = None
    for piece in sorted(pieces, key=lambda item: item.left):
        if reached is not None and piece.left > reached:
            gaps.append((reached, piece.left))
        reached = max(piece.right, reached or piece.right)
    return gaps
