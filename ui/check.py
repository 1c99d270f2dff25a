"""`xuanka check`: judges the statements of a text by the catalog. Exit code 1 when one is wrong or names what is not there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, Lang, read_text
from .speech import choose_language, say

if TYPE_CHECKING:
    from tools.phrases import Language
    from tools.results import ClaimReport

    from .blocks import Block

WRONG = ("wrong", "not_in_catalog")
FILE_ENDINGS = (".txt", ".md", ".markdown", ".rst", ".html")


def check(
    text: Annotated[str, typer.Argument(help="A text, a file, or - for standard input.", metavar="TEXT|FILE|-")],
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Check statements about instances, cards, memory, precisions, disks, networks and billing."""
    from tools.claims.check import check_claims

    given = given_text(text, choose_language(lang, text))
    language = choose_language(lang, given)
    report = check_claims(given, language=language)
    if as_json:
        from .screen import show_json

        show_json(report)
    else:
        from .screen import show

        show(report_blocks(report, language))
    if any(report.counts.get(verdict) for verdict in WRONG):
        raise typer.Exit(1)


def given_text(text: str, language: Language) -> str:
    """The text itself, that of the file it names, or standard input. Raises InputError when there is none."""
    from knowledge.errors import InputError

    if text == "-":
        given = sys.stdin.read()
    elif _is_file(text):
        given = read_text(text)
    elif text.lower().endswith(FILE_ENDINGS) and not any(c.isspace() for c in text):
        raise InputError(say("check.no_file", language, name=text[:200]))
    else:
        given = text
    if not given.strip():
        raise InputError(say("check.empty", language))
    return given


def report_blocks(report: ClaimReport, language: Language) -> Iterator[Block]:
    """Each statement with its verdict and the fact, then the counts and the sources."""
    from .blocks import Lines, Markdown, Title
    from .figures import source_lines

    if not report.statements:
        yield Markdown(say("check.nothing", language))
        return
    for item in report.statements:
        verdict = say(f"verdict.{item.verdict}", language)
        yield Lines([f"[{verdict}] {' '.join(item.text.split())}", f"    {item.fact}"])
    counts = (f"{say(f'verdict.{verdict}', language)} {count}" for verdict, count in report.counts.items())
    yield Lines([" · ".join(counts)], dim=True)
    yield Title(say("sources", language))
    yield Lines(source_lines([name for item in report.statements for name in item.source_ids], language), dim=True)


def _is_file(text: str) -> bool:
    try:
        return len(text) < 4096 and Path(text).is_file()
    except (OSError, ValueError):  # longer than a name may be, or with a NUL
        return False
