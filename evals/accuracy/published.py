"""The accuracy that README shows: figures kept in evals/truth/results.json, and the table made of them.

    results.json   {kind: {part: {quantity: figures}}}

A part that was not run keeps the figures it had, so that an environment without torch does not lose the traced ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .kinds import KINDS, Kind
from .report import figure_cells, figure_heads, table
from .run import Run
from .stats import Agreement, Figures, quantities
from .words import say

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "evals" / "truth" / "results.json"
README = ROOT / "README.md"
BLOCK = re.compile(r"(<!-- accuracy -->\n).*?(<!-- end -->)", re.S)

Results = dict[str, dict[str, dict[str, Any]]]


def publish(run: Run, *, results: Path = RESULTS, readme: Path = README) -> None:
    """Keeps the run's figures and writes the README's table anew."""
    kept = read_results(results)
    kept.setdefault(run.kind.name, {}).update(figures_of(run))
    order = {kind.name: kept[kind.name] for kind in KINDS if kind.name in kept}
    results.write_text(json.dumps(order, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    before = readme.read_text(encoding="utf-8")
    after = fill(before, order)
    if after != before:
        readme.write_text(after, encoding="utf-8")


def read_results(path: Path = RESULTS) -> Results:
    """The figures kept so far."""
    if not path.exists():
        return {}
    results: Results = json.loads(path.read_text(encoding="utf-8"))
    return results


def figures_of(run: Run) -> dict[str, dict[str, Any]]:
    """Figures of each part that was run and gave any, rounded to what is shown."""
    found = {part.name: quantities(part.measures, carried=run.carried) for part in run.parts}
    return {part: {name: _rounded(value) for name, value in rows.items()} for part, rows in found.items() if rows}


def _rounded(value: Figures | Agreement) -> dict[str, Any]:
    return {key: round(item, 3) if isinstance(item, float) else item for key, item in value.model_dump().items()}


def fill(text: str, results: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """`text` with the tables of `results` between `<!-- accuracy -->` and the next `<!-- end -->`."""
    return BLOCK.sub(lambda match: f"{match[1]}\n{tables(results)}\n\n{match[2]}", text)


def tables(results: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Two Markdown tables: errors, and what fits."""
    errors = [["what", "rows", *figure_heads("en")], *_error_rows(results)]
    fits = [["what", "outcome", "rows", "judged so"], *_fits_rows(results)]
    return "\n\n".join(table(rows[0], rows[1:]) for rows in (errors, fits) if len(rows) > 1)


def _error_rows(results: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[list[str]]:
    for kind, part, quantity, value in _entries(results):
        if quantity != "fits":
            found = Figures.model_validate(value)
            carried = "–" if found.carried is None else str(found.carried)
            yield [_label(kind, part, quantity), carried, *figure_cells(found)]


def _fits_rows(results: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[list[str]]:
    for kind, part, quantity, value in _entries(results):
        if quantity == "fits":
            found = Agreement.model_validate(value)
            for outcome, count in (("ran", found.ran), ("failed", found.failed)):
                if count.n:
                    yield [_label(kind, part, quantity), say(f"outcome.{outcome}", "en"), str(count.n), f"{count.agree / count.n:.0%}"]


def _entries(results: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[tuple[Kind, str, str, Any]]:
    for kind in KINDS:
        for part in kind.parts:
            for quantity, value in results.get(kind.name, {}).get(part.name, {}).items():
                yield kind, part.name, quantity, value


def _label(kind: Kind, part: str, quantity: str) -> str:
    """LLM inference, weights (GiB) · vision training, traced."""
    name = say(f"kind.{kind.name}", "en")
    if quantity == "fits":
        return name
    basis = f", {part}" if len(kind.parts) > 1 and sum(quantity in p.quantities for p in kind.parts) > 1 else ""
    return f"{name}, {say(f'quantity.{quantity}', 'en')}{basis}"

