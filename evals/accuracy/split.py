"""Do constants that were fitted on rows hold on other rows? `python -m evals.accuracy.split [FILE …]`

Models fall into two halves by a hash of their name, always the same. A constant fitted on half A is tested on half B:
`half` picks the rows to fit on, `by_half` prints the errors of both. Nothing is fitted here.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from .kinds import Part, Predict, Truth, read_truth
from .report import figure_cells, figure_heads, table
from .rows import Row, row_id, text
from .run import run_truth, shipped
from .stats import Figures, quantities

Half = Literal["A", "B"]

BACKBONE_FIELDS = ("method", "backbone")
"""What a segmentation row shares with its siblings of other crops and schedules, which would give its answer away."""


def half(name: str) -> Half:
    """The half that a model or network belongs to: the same on every machine and in every year."""
    return "AB"[zlib.crc32(" ".join(name.lower().split()).encode()) % 2]  # type: ignore[return-value]


def subject(row: Row) -> str:
    """What must not stand in both halves: the network of a vision row, else the model."""
    network = [value for value in (text(row, name) for name in BACKBONE_FIELDS) if value]
    if len(network) == len(BACKBONE_FIELDS):
        return " ".join(network)
    return text(row, "model") or row_id(row)


def rows_of(rows: Iterable[Row], chosen: Half) -> list[Row]:
    """The rows whose model is in that half."""
    return [row for row in rows if half(subject(row)) == chosen]


def by_half(truth: Truth, predict: Predict) -> dict[Half, dict[str, Figures]]:
    """Errors on both halves, by quantity."""
    found: dict[Half, dict[str, Figures]] = {}
    for chosen in ("A", "B"):
        part = Truth(truth.file, truth.kind, rows_of(truth.rows, chosen), [])
        measured = quantities(run_truth(part, adapters={"": predict}).measures)
        found[chosen] = {name: value for name, value in measured.items() if isinstance(value, Figures)}
    return found


def main(arguments: Sequence[str] | None = None, *, write: Callable[[str], object] = sys.stdout.write) -> int:
    """Prints the errors of every part that can be run here on both halves of every file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", type=Path, nargs="*", help="truth files; default: evals/truth")
    chosen = parser.parse_args(arguments)
    for path in chosen.files or shipped():
        truth = read_truth(path)
        rows = [row for part in truth.kind.parts if not part.why_not() for row in _rows(truth, part)]
        if rows:
            write(f"**{path.name}**\n\n{table(['part', 'quantity', 'half', *figure_heads('en')], rows)}\n\n")
    return 0


def _rows(truth: Truth, part: Part) -> list[list[str]]:
    halves = by_half(truth, part.load())
    return [
        [part.name, quantity, name, *figure_cells(value)] for name, figures in halves.items() for quantity, value in figures.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
