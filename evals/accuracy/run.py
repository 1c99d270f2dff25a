"""Runs the adapters over truth files: `python -m evals.accuracy.run [FILE …] [--readme]`.

Without files it runs the visible rows of evals/truth/. With `--readme` it keeps the figures in evals/truth/results.json
and writes the table of the README. A part that cannot be run here (tracing needs torch) keeps the figures it had.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge.errors import XuankaError

from .kinds import Kind, Predict, Truth, read_truth
from .rows import Measure, Refusal, Row, row_id, text
from .stats import is_usable

TRUTH = Path(__file__).parents[1] / "truth"

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class PartRun:
    """What one adapter made of the rows."""

    name: str
    measures: list[Measure]
    refused: list[Refusal]


@dataclass(frozen=True)
class Run:
    """A truth file run through its adapters; `skipped` are parts that cannot be run here, with what is missing."""

    file: str
    kind: Kind
    rows: int
    parts: list[PartRun]
    skipped: dict[str, str]
    answered: int
    refused: list[Refusal]
    partly: list[Refusal]
    carried: dict[str, int]

    @property
    def measures(self) -> list[Measure]:
        """Of each quantity those of the first part that gives it: what the program would say."""
        given: dict[str, str] = {}
        for part in self.parts:
            for measure in part.measures:
                given.setdefault(measure.quantity, part.name)
        return [m for part in self.parts for m in part.measures if given[m.quantity] == part.name]

    @property
    def all_measures(self) -> list[Measure]:
        """Those of every part."""
        return [measure for part in self.parts for measure in part.measures]


def run_truth(
    truth: Truth, *, limit: int | None = None, adapters: dict[str, Predict] | None = None, progress: Progress | None = None
) -> Run:
    """Runs a file's adapters, or those given by part name, over its first `limit` rows."""
    rows = truth.rows[:limit]
    ready, skipped = _ready(truth.kind, adapters)
    parts = [PartRun(name, [], []) for name in ready]
    refused, partly = list(truth.broken), []
    answered = 0
    for done, row in enumerate(rows, 1):
        found = {name: _predict(predict, row) for name, predict in ready.items()}
        _keep(parts, found)
        refusals = {name: result for name, result in found.items() if isinstance(result, Refusal)}
        telling = [refusal for name, refusal in refusals.items() if _is_asked(truth.kind, name, row)]
        if len(refusals) < len(found):
            answered += 1
            partly += telling
        else:
            refused.append(_joined(telling or list(refusals.values()), row))
        if progress:
            progress(done, len(rows))
    return Run(
        truth.file, truth.kind, len(rows) + len(truth.broken), parts, skipped, answered, refused, partly, _carried(truth.kind, rows)
    )


def _ready(kind: Kind, adapters: dict[str, Predict] | None) -> tuple[dict[str, Predict], dict[str, str]]:
    """The functions to run, by part, and what is missing for the other parts."""
    if adapters is not None:
        return dict(adapters), {}
    missing = {part.name: part.why_not() for part in kind.parts}
    ready = {part.name: part.load() for part in kind.parts if not missing[part.name]}
    return ready, {name: reason for name, reason in missing.items() if reason}


def _predict(predict: Predict, row: Row) -> list[Measure] | Refusal:
    """The adapter's result. What breaks it is a refusal of this row: one bad row must not end the run."""
    try:
        found = predict(row)
    except XuankaError as error:
        return Refusal(row_id(row), str(error))
    except Exception as bug:
        return Refusal(row_id(row), f"error: {type(bug).__name__}: {bug}")
    if isinstance(found, Refusal):
        return found
    usable = [measure for measure in found if is_usable(measure)]
    return usable or Refusal(row_id(row), "no measured figure above zero")


def _keep(parts: Sequence[PartRun], found: Mapping[str, list[Measure] | Refusal]) -> None:
    for part in parts:
        result = found[part.name]
        if isinstance(result, Refusal):
            part.refused.append(result)
        else:
            part.measures.extend(result)


def _is_asked(kind: Kind, name: str, row: Row) -> bool:
    """Whether the row prints a figure that the part of that name predicts. A part that is not in the table is always asked."""
    wanted = next((part.quantities for part in kind.parts if part.name == name), None)
    if wanted is None or not kind.carries:
        return True
    return any(text(row, field) is not None for quantity in wanted for field in kind.carries.get(quantity, ()))


def _joined(refusals: Sequence[Refusal], row: Row) -> Refusal:
    """One refusal of a row that no part answers; the same reason once."""
    reasons = dict.fromkeys(refusal.reason for refusal in refusals)
    return Refusal(refusals[0].id if refusals else row_id(row), "; ".join(reasons) or "no adapter can be run here")


def _carried(kind: Kind, rows: Sequence[Row]) -> dict[str, int]:
    """Rows whose source prints a figure, by quantity."""
    return {
        quantity: sum(any(text(row, name) is not None for name in fields) for row in rows)
        for quantity, fields in kind.carries.items()
    }


def bugs(run: Run) -> int:
    """Rows that broke the sum itself."""
    return sum(refusal.reason.startswith("error:") for part in run.parts for refusal in part.refused)


def reasons(refusals: Sequence[Refusal]) -> list[tuple[str, int, list[str]]]:
    """Reasons with their count and first ids, the most frequent first."""
    counts = Counter(refusal.reason for refusal in refusals)
    return [(reason, n, [r.id for r in refusals if r.reason == reason][:3]) for reason, n in counts.most_common()]


def main(arguments: Sequence[str] | None = None, *, write: Callable[[str], object] = sys.stdout.write) -> int:
    """Runs files one after the other and prints their tables."""
    from .published import publish
    from .report import report_text

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", type=Path, nargs="*", help="truth files; default: evals/truth")
    parser.add_argument("--readme", action="store_true", help="keep the figures and write the README's table")
    chosen = parser.parse_args(arguments)
    for path in chosen.files or shipped():
        run = run_truth(read_truth(path))
        write(report_text(run, "en") + "\n\n")
        if chosen.readme:
            publish(run)
    return 0


def shipped() -> list[Path]:
    """The visible rows."""
    return sorted(path for path in TRUTH.iterdir() if path.suffix in (".jsonl", ".csv"))


if __name__ == "__main__":
    sys.exit(main())
