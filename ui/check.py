"""`xuanka check`: judges the statements of texts and files by the catalog, as a linter does.

Exit code 1 when a statement is wrong or names what is not there, 2 when a text cannot be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json, Lang, read_text, shortened
from .speech import choose_language, say, written_language

if TYPE_CHECKING:
    from tools.phrases import Language
    from tools.results import ClaimReport, Statement

    from .blocks import Block

WRONG = ("wrong", "not_in_catalog")
MORE = ("partly", "outdated", "cannot_judge")
"""Verdicts that `--fail-on` may add."""
HTML_ENDINGS = (".html", ".htm", ".xhtml")
FILE_ENDINGS = (".txt", ".md", ".markdown", ".rst", ".pdf", ".docx", *HTML_ENDINGS)
MAX_DOCUMENT_BYTES = 32 * 2**20
PATH_STARTS = ("/", "./", "../", "~/")
STDIN = "<stdin>"
MAX_CHARACTERS = 200_000
"""Of a text: a book of 100 pages. A text of nothing but statements takes about half a second for each 40,000."""

FailOn = Annotated[
    str | None,
    typer.Option("--fail-on", metavar="VERDICTS", help="Verdicts that give exit code 1 too: partly, outdated, cannot_judge (comma-separated)."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show only what is wrong; nothing when all is right.")]


@dataclass(frozen=True)
class Text:
    """What is checked. `name` is that of the file or of standard input; empty for a text typed."""

    name: str
    text: str


@dataclass(frozen=True)
class Checked:
    """A text and its report."""

    source: Text
    report: ClaimReport

    def place(self, statement: Statement) -> str:
        """`guide.md:3:5: `, both counted from 1, as editors jump to; empty for a text typed."""
        if not self.source.name:
            return ""
        text = self.source.text
        line = text.count("\n", 0, statement.start) + 1
        column = statement.start - (text.rfind("\n", 0, statement.start) + 1) + 1
        return f"{self.source.name}:{line}:{column}: "


def check(
    texts: Annotated[list[str], typer.Argument(help="A text, files, or - for standard input.", metavar="TEXT|FILE|-...")],
    lang: Lang = None,
    quiet: Quiet = False,
    fail_on: FailOn = None,
    as_json: Json = False,
) -> None:
    """Check statements about instances, cards, memory, precisions, disks, networks and billing."""
    from tools.claims.check import check_claims

    failing = failing_verdicts(fail_on, choose_language(lang))
    given, refused = given_texts(texts, choose_language(lang, " ".join(texts)))
    language = lang or written_language("\n".join(item.text for item in given))
    checked = [Checked(item, check_claims(item.text, language=language, questions=not item.name)) for item in given]
    if as_json:
        from .screen import show_json

        show_json(report_json(checked, refused, only=failing if quiet else None))
    elif blocks := list(report_blocks(checked, language, only=failing if quiet else None)):
        from .screen import show

        show(blocks)
    _leave(checked, refused, failing, complained=as_json)


def _leave(checked: Iterable[Checked], refused: dict[str, str], failing: tuple[str, ...], *, complained: bool) -> None:
    """Ends with the exit code of what was found."""
    from .screen import complain

    for sentence in [] if complained else refused.values():
        complain(sentence)
    if refused:
        raise typer.Exit(2)
    if any(item.report.counts.get(verdict) for item in checked for verdict in failing):
        raise typer.Exit(1)


def failing_verdicts(given: str | None, language: Language) -> tuple[str, ...]:
    """The verdicts that give exit code 1. Raises InputError for a word that is none."""
    from knowledge.errors import InputError

    named = [word.strip().lower().replace("-", "_") for word in (given or "").replace("，", ",").split(",") if word.strip()]
    for word in named:
        if word not in (*WRONG, *MORE):
            raise InputError(say("check.verdict", language, word=shortened(word), words=", ".join(MORE)))
    return tuple(dict.fromkeys([*WRONG, *named]))


def given_texts(arguments: list[str], language: Language) -> tuple[list[Text], dict[str, str]]:
    """The texts, and the sentence of each file that cannot be read. A single one that cannot raises InputError.

    Words that name no file are one text, as typed without quotes.
    """
    from knowledge.errors import XuankaError

    if not any(item == "-" or names_file(item) for item in arguments):
        return [_limited(Text("", " ".join(arguments)), language)], {}
    texts: list[Text] = []
    refused: dict[str, str] = {}
    for name in dict.fromkeys(arguments):
        try:
            texts.append(_limited(Text(STDIN if name == "-" else name, _text_of(name, language)), language))
        except XuankaError as error:
            if len(arguments) == 1:
                raise
            refused[name] = str(error)
    return texts, refused


def _text_of(name: str, language: Language) -> str:
    """The text of a file or of standard input; of PDF, DOCX and HTML what stands in them, a line for each of theirs."""
    data = None if name == "-" else _document(name)
    if data is None:
        return read_text(name, language)
    from assistant.document_report import say as say_of_document
    from knowledge.errors import InputError
    from knowledge.readers.limits import Unreadable
    from knowledge.readers.read import DocumentReader

    with DocumentReader() as reader:
        try:
            return reader.read_data(data, name).text
        except Unreadable as cause:
            raise InputError(f"{name}: {say_of_document(cause.code, language, **cause.details)}") from None


def _document(name: str) -> bytes | None:
    """The bytes of a PDF, DOCX or HTML file, told by its first bytes or, HTML, by its name; None for any other."""
    try:
        path = Path(name).expanduser()
        if not path.is_file() or path.stat().st_size > MAX_DOCUMENT_BYTES:
            return None
        with path.open("rb") as file:
            start = file.read(8)
            named = path.suffix.lower() in HTML_ENDINGS
            return start + file.read() if named or start.startswith((b"%PDF-", b"PK\x03\x04")) else None
    except (OSError, RuntimeError):  # what hinders reading is said by `read_text`
        return None


def _limited(given: Text, language: Language) -> Text:
    """The text, unless there is none or too much of it."""
    from knowledge.errors import InputError

    lead = f"{given.name}: " if given.name else ""
    if not given.text.strip():
        raise InputError(lead + say("check.empty", language))
    if len(given.text) > MAX_CHARACTERS:
        raise InputError(lead + say("check.too_long", language, count=f"{len(given.text):,}", limit=f"{MAX_CHARACTERS:,}"))
    return given


def report_json(checked: list[Checked], refused: dict[str, str], *, only: tuple[str, ...] | None) -> dict[str, Any]:
    """`statements` and `counts` of one text; of several, the same under `files`, each with the file's name."""
    reports = [_plain(item.report, only) for item in checked]
    if len(checked) == 1 and not refused:
        return reports[0]
    counts = sum((Counter(item.report.counts) for item in checked), Counter[str]())
    files: list[dict[str, Any]] = [{"file": item.source.name, **report} for item, report in zip(checked, reports, strict=True)]
    files += [{"file": name, "error": sentence} for name, sentence in refused.items()]
    return {"files": files, "counts": dict(counts)}


def _plain(report: ClaimReport, only: tuple[str, ...] | None) -> dict[str, Any]:
    shown = [item for item in report.statements if only is None or item.verdict in only]
    return report.model_copy(update={"statements": shown}).model_dump(mode="json")


def report_blocks(checked: list[Checked], language: Language, *, only: tuple[str, ...] | None = None) -> Iterator[Block]:
    """Each statement with its verdict and the fact, those alike together, then the counts and the sources.

    `only` shows no other verdicts, and nothing at all where there are none of them.
    """
    from .blocks import Lines, Markdown, Title
    from .figures import source_lines

    shown = [(item, statement) for item in checked for statement in item.report.statements if only is None or statement.verdict in only]
    if not shown:
        if checked and only is None:
            yield Markdown(say("check.nothing", language))
        return
    alike: dict[tuple[str, str, str], list[str]] = {}
    for item, statement in shown:
        key = (" ".join(statement.text.split()), statement.verdict, statement.fact)
        alike.setdefault(key, []).append(item.place(statement))
    for (text, verdict, fact), places in alike.items():
        yield Lines([*_heads(f"[{say(f'verdict.{verdict}', language)}] {text}", places, language), f"    {fact}"])
    counts = sum((Counter(item.report.counts) for item in checked), Counter[str]())
    yield Lines([" · ".join(f"{say(f'verdict.{verdict}', language)} {count}" for verdict, count in counts.items())], dim=True)
    yield Title(say("sources", language))
    yield Lines(source_lines([name for _, statement in shown for name in statement.source_ids], language), dim=True)


def _heads(line: str, places: list[str], language: Language) -> list[str]:
    """The statement at each of its places; of a text typed once, with how often it stands there."""
    if any(places):
        return [place + line for place in places]
    return [line + (say("check.times", language, times=len(places)) if len(places) > 1 else "")]


def names_file(text: str) -> bool:
    """Whether this is a path rather than a text: something is there, or it is written like one."""
    if len(text) >= 4096 or "\n" in text or not text.strip():
        return False
    try:
        if Path(text).exists():
            return True
    except (OSError, ValueError):  # a name longer than names may be, in a folder that may not be entered, or with a NUL
        return text.startswith(PATH_STARTS)
    return not any(c.isspace() for c in text) and (text.lower().endswith(FILE_ENDINGS) or text.startswith(PATH_STARTS))
