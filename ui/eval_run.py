"""`xuanka eval run`: runs a suite of cases and says what was judged rightly and what was not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .eval_progress import progress_bar
from .options import Json, Lang
from .speech import choose_language

SUITES = ("check",)
REGRESSION = 1


def run(
    suite: Annotated[str, typer.Option("--suite", help="Which cases: check (drafts of chat models, good and spoilt).", metavar="NAME")] = "check",
    cases: Annotated[Path | None, typer.Option("--cases", help="Cases of a file instead of the shipped ones, JSONL.", metavar="FILE")] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Only N cases, spread over all of them.", metavar="N", min=1)] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed spoils the same places.", metavar="N")] = 0,
    each: Annotated[int, typer.Option("--each", help="Places of every kind that are spoilt in one good answer.", metavar="N", min=0)] = 2,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Run eval cases: a table, the failures with their reason, exit code 1 when a goal is missed."""
    from evals.check.words import say
    from knowledge.errors import InputError

    language = choose_language(lang)
    if suite not in SUITES:
        raise InputError(say("suite", language, given=suite, known=", ".join(SUITES)))
    from evals.check.cases import read_cases
    from evals.check.rates import report
    from evals.check.run import run_cases, spread
    from evals.check.turns import open_rules

    chosen = spread(read_cases(cases, language=language), limit)
    with progress_bar() as progress:
        result = report(run_cases(open_rules(), chosen, seed=seed, each=each, progress=progress))
    if as_json:
        from .screen import show_json

        show_json(result)
    else:
        from evals.check.report import report_text

        from .blocks import Markdown
        from .screen import show

        show([Markdown(report_text(result, language))])
    if not result.reaches_goals:
        raise typer.Exit(REGRESSION)
