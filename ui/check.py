"""`xuanka check`: judges the statements of a text by the catalog. Exit code 1 when one is wrong or names what is not there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, Lang, read_text
from .speech import choose_language, say, written_language

if TYPE_CHECKING:
    from tools.phrases import Language
    from tools.results import ClaimReport

    from .blocks import Block

WRONG = ("wrong", "not_in_catalog")
FILE_ENDINGS = (".txt", ".md", ".markdown", ".rst", ".html", ".pdf", ".docx")
PATH_STARTS = ("/", "./", "../", "~/")
MAX_CHARACTERS = 200_000
"""Of a text: a book of 100 pages. A text of nothing but statements takes about a second for each 20,000."""


def check(
    text: Annotated[str, typer.Argument(help="A text, a file, or - for standard input.", metavar="TEXT|FILE|-")],
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Check statements about instances, cards, memory, precisions, disks, networks and billing."""
    from tools.claims.check import check_claims

    given = given_text(text, choose_language(lang, text))
    language = lang or written_language(given)
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
    """The text itself, that of the file it names, or standard input. Raises InputError when there is none or too much."""
    from knowledge.errors import InputError

    given = read_text(text, language) if text == "-" or _names_file(text) else text
    if not given.strip():
        raise InputError(say("check.empty", language))
    if len(given) > MAX_CHARACTERS:
        raise InputError(say("check.too_long", language, count=f"{len(given):,}", limit=f"{MAX_CHARACTERS:,}"))
    return given


def report_blocks(report: ClaimReport, language: Language) -> Iterator[Block]:
    """Each statement with its verdict and the fact, the same ones once, then the counts and the sources."""
    from .blocks import Lines, Markdown, Title
    from .figures import source_lines

    if not report.statements:
        yield Markdown(say("check.nothing", language))
        return
    alike = Counter((" ".join(item.text.split()), item.verdict, item.fact) for item in report.statements)
    for (text, verdict, fact), times in alike.items():
        count = say("check.times", language, times=times) if times > 1 else ""
        yield Lines([f"[{say(f'verdict.{verdict}', language)}] {text}{count}", f"    {fact}"])
    counts = (f"{say(f'verdict.{verdict}', language)} {count}" for verdict, count in report.counts.items())
    yield Lines([" · ".join(counts)], dim=True)
    yield Title(say("sources", language))
    yield Lines(source_lines([name for item in report.statements for name in item.source_ids], language), dim=True)


def _names_file(text: str) -> bool:
    """Whether this is a path rather than a text: something is there, or it is written like one."""
    if len(text) >= 4096 or "\n" in text or not text.strip():
        return False
    try:
        if Path(text).exists():
            return True
    except (OSError, ValueError):  # a name longer than names may be, in a folder that may not be entered, or with a NUL
        return text.startswith(PATH_STARTS)
    return not any(c.isspace() for c in text) and (text.lower().endswith(FILE_ENDINGS) or text.startswith(PATH_STARTS))
