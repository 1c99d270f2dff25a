"""`xuanka docs add`: reads documents, judges what they state, and keeps them; and the report that `add` and `import` show."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .options import Json, Lang
from .speech import choose_language, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from assistant.document_report import AddedFile, AddReport, Stated
    from tools.phrases import Language

    from .blocks import Block

MARKS = {"added": "+", "replaced": "~", "unchanged": "=", "duplicate": "=", "refused": "✗"}
Trust = Literal["official", "vendor", "measured", "community", "blog", "user"]


def add(
    names: Annotated[list[str], typer.Argument(help="Files, folders, or - for standard input.", metavar="FILE|FOLDER|-...")],
    title: Annotated[str, typer.Option("--title", help="Title; default: the document's own.")] = "",
    published: Annotated[str, typer.Option("--date", help="Day it was published, as 2026-07-19; default: as the document states.")] = "",
    trust: Annotated[Trust, typer.Option("--trust", help="How far its origin is to be trusted.")] = "user",
    recursive: Annotated[bool, typer.Option("--recursive/--no-recursive", help="Read the folders inside a folder too.")] = True,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Add documents (text, Markdown, HTML, PDF, DOCX) and report what they state wrongly. Nothing is ever fetched."""
    from assistant.documents import STDIN, AddOptions, add_documents
    from assistant.library import open_library
    from assistant.settings import read_settings
    from knowledge.readers.limits import ReadLimits

    language = choose_language(lang)
    options = AddOptions(title=title, published_on=published, trust=trust, recursive=recursive, added_on=date.today().isoformat())
    limits = ReadLimits()
    given = sys.stdin.buffer.read(limits.file_bytes + 1) if STDIN in names else None
    with stages(language) as on_progress:
        report = add_documents(
            names, library=open_library(read_settings()), language=language, options=options, limits=limits, stdin=given, on_progress=on_progress
        )
    show_report(report, language, as_json=as_json)


def show_report(report: AddReport, language: Language, *, as_json: bool) -> None:
    """Shows what was done. Where nothing could be added, one sentence and exit code 2."""
    from knowledge.errors import InputError

    from .screen import show, show_json

    if not report.any_kept and len(report.files) == 1:
        raise InputError(f"{report.files[0].origin}: {report.files[0].sentence}")
    if as_json:
        show_json(report)
    else:
        show(report_blocks(report, language))
    if not report.any_kept:
        raise InputError(say("docs.none_added", language, count=len(report.files)))


def report_blocks(report: AddReport, language: Language) -> Iterator[Block]:
    """Per file what became of it and what it states wrongly, then the counts and the sources."""
    from .blocks import Lines, Title
    from .figures import source_lines

    for item in report.files:
        yield Lines(_head(item, language))
        if item.state != "duplicate":
            yield Lines(list(statement_lines(item.statements, language)))
    yield Lines([_counts(report, language)], dim=True)
    cited = [name for item in report.files for statement in item.statements for name in statement.source_ids]
    if cited:
        yield Title(say("sources", language))
        yield Lines(source_lines(cited, language), dim=True)


def statement_lines(statements: Iterable[Stated], language: Language, *, context: bool = True) -> Iterator[str]:
    """Each statement with its verdict, the words around it, what is so, and the ids of its sources; those alike once."""
    alike = {(" ".join(item.text.split()), item.verdict, item.fact): item for item in reversed(list(statements))}
    for (text, verdict, fact), item in reversed(alike.items()):
        around = say("docs.context", language, text=item.context) if context and item.context else ""
        yield f"  [{say(f'verdict.{verdict}', language)}] {text}{around}"
        yield f"      {fact}" + (f" [{', '.join(item.source_ids)}]" if item.source_ids else "")


def _head(item: AddedFile, language: Language) -> list[str]:
    lines = [f"{MARKS[item.state]} {item.origin}"]
    if item.document_id:
        parts = (item.title, item.document_id, item.lang, item.published_on, item.trust, say("docs.passages", language, count=item.passages))
        lines.append("  " + " · ".join(part for part in parts if part))
    if item.sentence:
        lines.append(f"  {item.sentence}")
    if item.document_id and not item.statements and item.state != "duplicate":
        lines.append("  " + say("docs.nothing_wrong" if item.counts else "docs.nothing_judged", language))
    return lines


def _counts(report: AddReport, language: Language) -> str:
    """`3 added · 1 refused; 12 statements: 5 wrong, 7 true`."""
    states = " · ".join(say(f"docs.state.{state}", language, count=count) for state, count in report.counts.items())
    verdicts: dict[str, int] = {}
    for item in report.files:
        for verdict, count in item.counts.items() if item.state != "duplicate" else ():
            verdicts[verdict] = verdicts.get(verdict, 0) + count
    judged = " · ".join(f"{say(f'verdict.{verdict}', language)} {count}" for verdict, count in verdicts.items())
    return f"{states} — {judged}" if judged else states


@contextmanager
def stages(language: Language) -> Iterator[Callable[[Any, int, int], None] | None]:
    """A progress bar for each stage on standard error where that is a terminal; None elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, TaskID

    with Progress(console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(say(f"docs.stage.{stage}", language), total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield report
