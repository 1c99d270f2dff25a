"""What a run shows: Markdown tables for people, one JSON object for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from pydantic import BaseModel

from tools.phrases import Language

from .rows import Measure, Refusal
from .run import Run, bugs, reasons
from .stats import Agreement, Count, Figures, agrees, by_group, error_pct, quantities
from .words import known, say

WORST = 5
"""Worst rows shown of each quantity."""
GROUPS = 12
"""Groups of one name shown in the text; `--json` has all."""
NOTE_LENGTH = 200


class Refused(BaseModel):
    """A row that was not predicted."""

    id: str
    reason: str


class Pair(BaseModel):
    """One row: the published figure, ours, the signed error in percent."""

    id: str
    quantity: str
    measured: float
    predicted: float
    error_pct: float | None
    note: str


class Report(BaseModel):
    """The JSON of `eval accuracy`. `refused`: rows without any figure of ours, lines that are no rows included;
    `refused_in_part`: rows of which one quantity is answered and another is not; `skipped`: parts that cannot be
    run here, with the library that is missing."""

    file: str
    rows: int
    answered: int
    quantities: dict[str, Figures | Agreement]
    by: dict[str, dict[str, Figures | Agreement]]
    refused: list[Refused]
    worst: list[Pair]
    disagreements: list[Pair]
    refused_in_part: list[Refused]
    skipped: dict[str, str]


def report(run: Run) -> Report:
    """The run in figures."""
    return Report(
        file=run.file,
        rows=run.rows,
        answered=run.answered,
        quantities=quantities(run.measures, carried=run.carried),
        by={**by_group(run.measures), **_by_part(run)},
        refused=[Refused(id=r.id, reason=r.reason) for r in run.refused],
        worst=[_pair(m) for m in worst(run.measures)],
        disagreements=[_pair(m) for m in run.all_measures if m.quantity == "fits" and not agrees(m)],
        refused_in_part=[Refused(id=r.id, reason=r.reason) for r in run.partly],
        skipped=run.skipped,
    )


def worst(measures: Iterable[Measure], n: int = WORST) -> list[Measure]:
    """The rows furthest off, the same number of each quantity; `fits` left out."""
    ordered = sorted((m for m in measures if m.quantity != "fits"), key=lambda m: -abs(error_pct(m)))
    names = dict.fromkeys(m.quantity for m in ordered)
    return [m for name in names for m in [m for m in ordered if m.quantity == name][:n]]


def _by_part(run: Run) -> dict[str, dict[str, Figures | Agreement]]:
    """Each part by itself, where two of them predict the same."""
    given = [{m.quantity for m in part.measures} - {"fits"} for part in run.parts]
    if not any(one & other for one, other in combinations(given, 2)):
        return {}
    return {f"basis: {part.name}": quantities(part.measures, carried=run.carried) for part in run.parts}


def _pair(measure: Measure) -> Pair:
    error = error_pct(measure) if measure.measured else None
    return Pair(
        id=measure.id, quantity=measure.quantity, measured=measure.measured, predicted=measure.predicted, error_pct=error, note=measure.note
    )  # fmt: skip


def report_text(run: Run, language: Language, *, limit: int | None = None) -> str:
    """The run as Markdown."""
    found = report(run)
    blocks = [
        _head(run, language, limit),
        *_quantity_table(found, language),
        *_fits_tables(found, language),
        *_group_tables(found, language),
        *_worst_table(found, language),
        *_reason_table("refused", run.refused, language),
        *_reason_table("partly", run.partly, language),
    ]
    return "\n\n".join(blocks)


def _head(run: Run, language: Language, limit: int | None) -> str:
    kind = run.kind.name
    sentences = [say("head", language, file=run.file, kind=kind, rows=run.rows, answered=run.answered, refused=len(run.refused))]
    if limit is not None:
        sentences.append(say("head_limited", language, limit=limit))
    if known(f"remark.{kind}"):
        sentences.append(say(f"remark.{kind}", language))
    sentences += [say("skipped", language, part=part, missing=missing) for part, missing in run.skipped.items()]
    if broken := bugs(run):
        sentences.append(say("bugs", language, n=broken))
    return " ".join(sentences)


def _quantity_table(found: Report, language: Language) -> Iterator[str]:
    rows = {name: value for name, value in found.quantities.items() if isinstance(value, Figures)}
    if rows:
        yield say("title.quantities", language)
        yield table(
            _heads("quantity rows", language) + figure_heads(language),
            [[say(f"quantity.{name}", language), _count(value.carried), *figure_cells(value)] for name, value in rows.items()],
        )


def _fits_tables(found: Report, language: Language) -> Iterator[str]:
    fits = found.quantities.get("fits")
    if not isinstance(fits, Agreement):
        return
    yield say("title.fits", language)
    rows = [("ran", fits.ran), ("failed", fits.failed)]
    yield table(
        _heads("outcome rows agree", language),
        [[say(f"outcome.{name}", language), str(count.n), _agreed(count)] for name, count in rows],
    )
    if found.disagreements:
        yield say("title.disagreements", language)
        cells = [[pair.id, say(f"outcome.{'ran' if pair.measured else 'failed'}", language), pair.note] for pair in found.disagreements]
        yield table(_heads("id outcome note", language), cells)


def _group_tables(found: Report, language: Language) -> Iterator[str]:
    for name in dict.fromkeys(key.partition(": ")[0] for key in found.by):
        groups = {key.partition(": ")[2]: values for key, values in found.by.items() if key.startswith(f"{name}: ")}
        errors, fits = _group_rows(groups, language)
        for heads, rows in ((_heads("quantity", language) + figure_heads(language), errors), (_heads("rows agree", language), fits)):
            if rows:
                yield say("title.groups", language, group=name)
                yield table([name, *heads], rows[:GROUPS])
            if len(rows) > GROUPS:
                yield say("more", language, n=len(rows) - GROUPS)


def _group_rows(groups: dict[str, dict[str, Figures | Agreement]], language: Language) -> tuple[list[list[str]], list[list[str]]]:
    """Rows of errors and rows of fits."""
    errors: list[list[str]] = []
    fits: list[list[str]] = []
    for group, values in groups.items():
        for quantity, value in values.items():
            if isinstance(value, Figures):
                errors.append([group, say(f"quantity.{quantity}", language), *figure_cells(value)])
            else:
                fits.append([group, str(value.n), _agreed(value)])
    return errors, fits


def _worst_table(found: Report, language: Language) -> Iterator[str]:
    if found.worst:
        yield say("title.worst", language)
        yield table(
            _heads("id quantity measured predicted error note", language),
            [
                [p.id, say(f"quantity.{p.quantity}", language), f"{p.measured:,.5g}", f"{p.predicted:,.5g}", f"{p.error_pct or 0:+.1f} %", p.note[:NOTE_LENGTH]]
                for p in found.worst
            ],
        )


def _reason_table(title: str, refused: Sequence[Refusal], language: Language) -> Iterator[str]:
    if refused:
        yield say(f"title.{title}", language)
        yield table(
            _heads("reason rows examples", language),
            [[reason, str(n), ", ".join(ids)] for reason, n, ids in reasons(refused)],
        )


def figure_heads(language: Language) -> list[str]:
    """Heads of the columns of `figure_cells`."""
    return _heads("answered median mean p90 worst bias close in_band", language)


def figure_cells(value: Figures) -> list[str]:
    """Number of rows, then errors in percent, then shares."""
    errors = (value.median_abs_pct, value.mean_abs_pct, value.p90_abs_pct, value.max_abs_pct)
    band = "–" if value.in_band is None else f"{value.in_band:.0%}"
    return [str(value.n), *(f"{error:.2f}" for error in errors), f"{value.bias_pct:+.2f}", f"{value.within_10_pct:.0%}", band]


def _heads(names: str, language: Language) -> list[str]:
    return [say(f"column.{name}", language) for name in names.split()]


def _count(value: int | None) -> str:
    return "–" if value is None else str(value)


def _agreed(count: Count) -> str:
    return f"{count.agree} ({count.agree / count.n:.0%})" if count.n else "–"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; a bar inside a cell would end it."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(' '.join(cell.replace('|', '/').split()) for cell in line)} |" for line in lines)
