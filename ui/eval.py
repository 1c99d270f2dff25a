"""`xuanka eval`: eval cases, and Xuanka's own figures held against published ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .eval_progress import progress_bar
from .eval_run import run
from .options import Json, Lang
from .speech import choose_language

app = typer.Typer(no_args_is_help=True, help="Run eval cases, and hold Xuanka's figures against published ones.")
app.command("run")(run)


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
    with progress_bar() as progress:
        run = run_truth(found, limit=limit, progress=progress)
    if as_json:
        from .screen import show_json

        show_json(report(run))
        return
    from .blocks import Markdown
    from .screen import show

    show([Markdown(report_text(run, language, limit=limit))])

