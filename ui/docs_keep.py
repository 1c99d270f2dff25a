"""`xuanka docs remove`, `show`, `export` and `import`: the documents that were added."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, Lang
from .speech import choose_language, say

if TYPE_CHECKING:
    from knowledge.added import AddedDocument
    from knowledge.search import Library
    from tools.phrases import Language

    from .blocks import Block

Name = Annotated[str, typer.Argument(help="Id or path of an added document.", metavar="ID|PATH")]


def remove(
    names: Annotated[list[str] | None, typer.Argument(help="Ids or paths of added documents.", metavar="ID|PATH...")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Remove all added documents.")] = False,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Remove added documents, with their passages and vectors."""
    from assistant.document_files import find_document
    from knowledge.errors import InputError

    language = choose_language(lang)
    if bool(names) == everything:
        raise InputError(say("docs.remove_what", language))
    library = _library()
    found = library.documents() if everything else [find_document(name, library=library, language=language) for name in names or ()]
    gone = library.remove_all(list(dict.fromkeys(item.document_id for item in found)))
    library.refresh()
    rows: list[object] = [{"id": item.document_id, "title": item.title, "origin": item.origin} for item in gone]
    lines = [say("docs.removed", language, count=len(gone)), *(f"- {item.document_id} {item.title}" for item in gone)]
    _tell({"removed": rows}, lines, as_json=as_json)


def show_one(name: Name, lang: Lang = None, as_json: Json = False) -> None:
    """Show the text of an added document, what is wrong in it marked."""
    from assistant.document_files import find_document
    from assistant.document_report import described

    from .screen import show, show_json

    language = choose_language(lang)
    document = find_document(name, library=_library(), language=language)
    if as_json:
        head = described(document, "unchanged", language).model_dump(mode="json", exclude={"state", "sentence"})
        show_json({**head, "added_on": document.added_on, "text": document.text})
        return
    show(_blocks(document, language))


def export(
    path: Annotated[Path, typer.Argument(help="File to be written, JSON lines.", metavar="FILE.jsonl")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Write all added documents to a file that `docs import` reads."""
    from assistant.document_files import export_documents

    language = choose_language(lang)
    count = export_documents(path, library=_library(), force=force, language=language)
    _tell({"file": str(path), "documents": count}, [say("docs.exported", language, count=count, path=path)], as_json=as_json)


def import_file(
    name: Annotated[str, typer.Argument(help="File that `docs export` wrote.", metavar="FILE")],
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Add the documents of an exported file; each is judged anew."""
    from assistant.document_files import import_documents

    from .docs_add import show_report, stages

    language = choose_language(lang)
    with stages(language) as on_progress:
        report = import_documents(name, library=_library(), language=language, on_progress=on_progress)
    show_report(report, language, as_json=as_json)


def _blocks(document: AddedDocument, language: Language) -> Iterator[Block]:
    from assistant.document_report import shown_statements

    from .blocks import Lines, Title
    from .figures import source_lines

    wrong = shown_statements(document, language)
    yield Title(document.title)
    parts = (document.document_id, document.origin, document.lang, document.published_on, document.trust)
    yield Lines([" · ".join(part for part in parts if part)], dim=True)
    yield Lines(list(marked_lines(document, language)))
    if wrong:
        yield Title(say("sources", language))
        yield Lines(source_lines([name for item in wrong for name in item.source_ids], language), dim=True)


def marked_lines(document: AddedDocument, language: Language) -> Iterator[str]:
    """Lines of the text, under each what is not so in it."""
    from assistant.document_report import shown_statements

    from .docs_add import statement_lines

    waiting = sorted(shown_statements(document, language), key=lambda item: item.start)
    place = 0
    for line in document.text.split("\n"):
        yield line
        place += len(line) + 1
        here = [item for item in waiting if item.start < place]
        waiting = waiting[len(here) :]
        for text in statement_lines(here, language, context=False):
            yield f"  ▲ {text.strip()}" if text.startswith("  [") else text


def _tell(values: dict[str, object], lines: list[str], *, as_json: bool) -> None:
    from .blocks import Lines
    from .screen import show, show_json

    if as_json:
        show_json(values)
    else:
        show([Lines(lines)])


def _library() -> Library:
    from assistant.library import open_library
    from assistant.settings import read_settings

    return open_library(read_settings())
