"""Do the fitted constants of training memory generalise? Fits them on half of the models and tests them on the others.

    python -m evals.accuracy.split_training FILE [--bands]

Prints the median absolute error of both halves, both ways round, beside that of the shipped constants; with `--bands`
the rows of error_bands.csv that the file gives (the narrowest range of measured against predicted that holds 92 of 100).
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from knowledge.errors import InputError
from knowledge.training_facts import training_constant_rows, training_constants, try_constants
from tools.training.estimate import band_group
from tools.training.peak import training_sum
from tools.units import to_gib

from .kinds import read_truth
from .rows import Row, gib_of, text
from .training_rows import TrainingRow, figure, measured_gib, read_row

STEPS = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0)
"""Multiples of a shipped constant that are tried, one constant after the other."""
ROUNDS = 2
HELD = 0.92
"""Share of the rows that a band holds."""

Known = tuple[TrainingRow, float]


def main(arguments: Sequence[str]) -> None:
    """Prints the table for a truth file."""
    rows = list(known_rows(read_truth(Path(arguments[0])).rows))
    if "--bands" in arguments:
        sys.stdout.write("".join(f"{line}\n" for line in bands(rows)))
        return
    first, second = halves(rows)
    _say(f"shipped constants: all {error(rows):.1f} %, first half {error(first):.1f} %, second half {error(second):.1f} %")
    for fitted, tested, names in ((first, second, "first, tested on second"), (second, first, "second, tested on first")):
        with try_constants(fit(fitted)):
            _say(f"fitted on {names}: {error(fitted):.1f} % -> {error(tested):.1f} % ({len(fitted)} -> {len(tested)} rows)")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def known_rows(rows: Iterable[Row]) -> Iterable[Known]:
    """Rows that carry a figure and can be predicted, with the figure in GiB per card."""
    for row in rows:
        printed = figure(row)
        if printed is None:
            continue
        try:
            read = read_row(row)
            gib = gib_of(printed, text(row, "unit") or "GB", source=text(row, "source_url") or "")
        except InputError:
            continue
        yield read, measured_gib(row, read.layout, gib)


def halves(rows: Sequence[Known]) -> tuple[list[Known], list[Known]]:
    """Every other model of each framework, by name, in the first half: no model is in both."""
    models = sorted({(read.job.framework, read.job.model.id) for read, _ in rows})
    odd: dict[str, bool] = {}
    for place, (_, model) in enumerate(models):
        odd.setdefault(model, place % 2 == 1)
    parts: tuple[list[Known], list[Known]] = ([], [])
    for read, measured in rows:
        parts[odd[read.job.model.id]].append((read, measured))
    return parts


def fit(rows: Sequence[Known]) -> dict[str, float]:
    """Fitted constants with the least mean log error on the rows, each tried at some multiples of its shipped value."""
    best = {row.name: row.value for row in training_constant_rows() if row.fitted}
    for _ in range(ROUNDS):
        for name in best:
            shipped = training_constants()[name]
            best[name] = min((shipped * step for step in STEPS), key=lambda value: _loss(rows, {**best, name: value}))
    return best


def error(rows: Sequence[Known]) -> float:
    """Median absolute error in percent."""
    return median(abs(100 * (predicted(read) / measured - 1)) for read, measured in rows)


def predicted(read: TrainingRow) -> float:
    """GiB per card."""
    return to_gib(training_sum(read.job, read.layout, metric=read.metric).total)


def bands(rows: Sequence[Known]) -> Iterable[str]:
    """Lines of error_bands.csv."""
    groups: dict[str, list[float]] = defaultdict(list)
    for read, measured in rows:
        groups[band_group(read.job, read.layout)].append(100 * (measured / predicted(read) - 1))
    for name, values in sorted(groups.items()):
        low, high = narrowest(values)
        yield f'training_{name},{math.floor(low)},{math.ceil(high)},{len(values)},"{WORDS[name]}; in-sample, some constants were fitted on them"'


def narrowest(values: Sequence[float]) -> tuple[float, float]:
    """The narrowest range that holds `HELD` of the values."""
    ordered, count = sorted(values), math.ceil(HELD * len(values))
    starts = range(len(ordered) - count + 1)
    first = min(starts, key=lambda start: ordered[start + count - 1] - ordered[start])
    return ordered[first], ordered[first + count - 1]


WORDS = {
    "adapter": "published runs of adapters on one card",
    "full": "published runs of full training on one card",
    "megatron": "example scripts of Megatron in ms-swift, rounded figures",
    "quantised": "published runs of adapters on a 4-bit or 8-bit base, one card",
    "sharded": "published runs on several cards under DDP, DeepSpeed and FSDP",
}


def _loss(rows: Sequence[Known], changed: dict[str, float]) -> float:
    with try_constants(changed):
        return sum(abs(math.log(predicted(read) / measured)) for read, measured in rows)


if __name__ == "__main__":
    main(sys.argv[1:])
