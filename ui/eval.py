"""`xuanka eval`: Xuanka's own figures held against published ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, Lang
from .speech import choose_language

if TYPE_CHECKING:
    from evals.accuracy.run import Progress

app = typer.Typer(no_args_is_help=True, help="Hold Xuanka's figures against published ones.")


@app.callback()
def _group() -> None:
    """Keeps `accuracy` a name of its own while it is the only one here."""


@app.command("accuracy")
def accuracy(
    truth: Annotated[Path, typer.Option("--truth", help="File of published measurements, JSONL or CSV.", metavar="FILE")],
    limit: Annotated[int | None, typer.Option("--limit", help="Only the first N rows.", metavar="N")] = None,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Predict published measurements: errors by quantity and group, worst rows, refusals with their reason."""
    from evals.accuracy.kinds import read_truth
    from evals.accuracy.report import report, report_text
    from evals.accuracy.run import run_truth
    from evals.accuracy.words import say
    from knowledge.errors import InputError

    language = choose_language(lang)
    if limit is not None and limit < 1:
        raise InputError(say("limit", language, given=limit))
    found = read_truth(truth, language=language)
    with _progress() as progress:
        run = run_truth(found, limit=limit, progress=progress)
    if as_json:
        from .screen import show_json

        show_json(report(run))
        return
    from .blocks import Markdown
    from .screen import show

    show([Markdown(report_text(run, language, limit=limit))])


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """A bar on standard error when somebody sits before it; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
