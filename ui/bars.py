"""Memory drawn as a bar: the parts one after the other against the card, with a mark at the limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CELLS = 48
"""Cells of the longest bar."""
SHADES = "█▓▒░▚▞"
"""Fills of the parts where there is no colour; repeated when there are more parts."""
FREE, LIMIT, OVER = "·", "│", "▶"


@dataclass(frozen=True)
class Bar:
    """Memory of one card in GiB: what the job needs in parts, what the job may use, what the card has."""

    label: str
    parts: Mapping[str, float]
    limit_gib: float
    usable_gib: float

    @property
    def needed_gib(self) -> float:
        return sum(self.parts.values())


@dataclass(frozen=True)
class Segment:
    """Equal cells side by side. `kind`: part | free | limit | over; `part` is its place among the parts."""

    kind: str
    cells: int
    part: int = 0


def draw(bar: Bar, *, cells: int = CELLS, scale_gib: float | None = None) -> list[Segment]:
    """Segments from left to right on a scale on which `scale_gib` (default: the card) fills `cells` cells.

    The limit is a mark of one cell laid over the bar. What goes beyond the scale is cut and ends in an `over` cell.
    """
    scale = scale_gib or bar.usable_gib
    ends = _ends(bar, scale, cells)
    card = min(cells, max(1, round(bar.usable_gib / scale * cells)))
    row = [_cell(at, ends) for at in range(max(card, min(ends[-1] if ends else 0, cells)))]
    mark = min(len(row) - 1, round(bar.limit_gib / scale * cells))
    row[mark] = Segment("limit", 1)
    if ends and ends[-1] > cells:
        row[-1] = Segment("over", 1)
    return _merge(row)


def _ends(bar: Bar, scale: float, cells: int) -> list[int]:
    """The cell after each part. Sums are rounded, not parts, so that the bar is as long as the need."""
    ends, total = [], 0.0
    for size in bar.parts.values():
        total += max(0.0, size)
        ends.append(min(round(total / scale * cells), 10 * cells))
    return ends


def _cell(at: int, ends: list[int]) -> Segment:
    part = next((number for number, end in enumerate(ends) if at < end), None)
    return Segment("free", 1) if part is None else Segment("part", 1, part)


def _merge(row: list[Segment]) -> list[Segment]:
    merged: list[Segment] = []
    for cell in row:
        last = merged[-1] if merged else None
        if last and (last.kind, last.part) == (cell.kind, cell.part):
            merged[-1] = Segment(last.kind, last.cells + 1, last.part)
        else:
            merged.append(cell)
    return merged


def shade(segment: Segment) -> str:
    """The segment in characters."""
    if segment.kind == "part":
        return SHADES[segment.part % len(SHADES)] * segment.cells
    return {"free": FREE, "limit": LIMIT, "over": OVER}[segment.kind] * segment.cells
