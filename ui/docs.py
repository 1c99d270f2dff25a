"""`xuanka docs`: the knowledge base. `add` documents, `search` and `list` them, `rebuild` the index; the rest is in docs_keep.py."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .docs_add import add, stages
from .docs_keep import export, import_file, remove, show_one
from .options import Json, Lang
from .screen import show, show_json
from .speech import choose_language, say

if TYPE_CHECKING:
    from knowledge.search import Hit, Library, LibraryStatus
    from tools.phrases import Language

app = typer.Typer(no_args_is_help=True, help="The knowledge base: guides, fact cards, your own documents, their index.")
app.command("add")(add)
app.command("show")(show_one)
app.command("remove")(remove)
app.command("export")(export)
app.command("import")(import_file)


@app.command("search")
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    k: Annotated[int, typer.Option("-k", min=1, max=50, help="Passages at most.")] = 5,
    lang: Lang = None,
    as_json: Json = False,
) -> None:
    """Search the passages of the guides, the fact cards and your documents."""
    from knowledge.errors import InputError

    from .blocks import Block, Lines, Markdown

    language = choose_language(lang, query)
    if not query.strip():
        raise InputError(say("docs.empty", language))
    hits = _library().search(query, lang=language, k=k)
    if as_json:
        show_json({"query": query, "hits": [_hit(hit) for hit in hits]})
        return
    blocks: list[Block] = []
    for number, hit in enumerate(hits, 1):
        passage = hit.passage
        blocks.append(Markdown(f"**{number}. {passage.title}**\n\n{passage.point or passage.text}"))
        wrong = sum(item.is_wrong for item in passage.statements)
        marked = say("docs.wrong_here", language, count=wrong) if wrong else ""
        origin = " · ".join(part for part in (passage.kind, passage.trust, ", ".join(passage.source_ids), marked) if part)
        blocks.append(Lines([f"{hit.score:.3f} · {origin}"], dim=True))
    show(blocks or [Markdown(say("docs.nothing", language))])


@app.command("list")
def list_documents(lang: Lang = None, as_json: Json = False) -> None:
    """List the guides and your documents, with the number of wrong statements in these."""
    from .blocks import Lines, Table

    language = choose_language(lang)
    rows = _documents()
    if as_json:
        show_json({"documents": rows})
        return
    head = ["id", *(say(f"docs.{code}", language) for code in ("title", "lang", "sections", "wrong", "trust", "published"))]
    body = [[str(row[name]) for name in ("id", "title", "lang", "sections", "wrong", "trust", "published_on")] for row in rows]
    count = say("docs.count", language, documents=len(rows), sections=sum(row["sections"] for row in rows))
    show([Table(head, body, right=frozenset({3, 4})), Lines([count], dim=True)])


@app.command("rebuild")
def rebuild(lang: Lang = None, as_json: Json = False) -> None:
    """Judge your documents by the catalog as it is now, and build the index of all passages anew."""
    from assistant.document_files import judge_again
    from assistant.library import open_library
    from assistant.settings import read_settings
    from knowledge.errors import KnowledgeUnavailable

    from .doctor import way_to_vectors

    language = choose_language(lang)
    settings = read_settings()
    library = open_library(settings)
    judge_again(library)
    with stages(language) as report:
        status = library.rebuild(partial(report, "embed") if report else None)
    if not status.vectors and settings.embedder != "none":
        raise KnowledgeUnavailable(say("docs.not_built", language, reason=status.reason, way=way_to_vectors(status, settings, language)))
    if as_json:
        show_json(status_json(status))
        return
    from .blocks import Lines

    show([Lines([_built(status, language)])])


def status_json(status: LibraryStatus) -> dict[str, Any]:
    """The state of the library as plain values."""
    return {**asdict(status), "stamp": dict(status.stamp)}


def _library() -> Library:
    from assistant.library import open_library
    from assistant.settings import read_settings

    return open_library(read_settings())


def _documents() -> list[dict[str, Any]]:
    """The shipped guides, then what the user added."""
    from knowledge.documents import guides

    rows = []
    for guide in guides():
        first = guide.sections[0]
        rows.append(_row(guide.guide_id, guide.title, guide.lang, len(guide.sections), first.trust, first.published_on, first.origin))
    for item in _library().documents():
        passages = item.passages()
        rows.append(_row(item.document_id, item.title, item.lang, len(passages), item.trust, item.published_on, item.origin))
        rows[-1] |= {"wrong": sum(found.is_wrong for found in item.statements), "statements": len(item.statements), "added_on": item.added_on}
    return rows


def _row(name: str, title: str, lang: str, sections: int, trust: str, published: str, origin: str) -> dict[str, Any]:
    return {
        "id": name,
        "title": title,
        "lang": lang,
        "sections": sections,
        "trust": trust,
        "published_on": published,
        "origin": origin,
        "wrong": 0,
    }


def _hit(hit: Hit) -> dict[str, Any]:
    passage = hit.passage
    return {
        "passage_id": passage.passage_id,
        "kind": passage.kind,
        "title": passage.title,
        "lang": passage.lang,
        "point": passage.point,
        "text": passage.text,
        "verdict": passage.verdict,
        "statements": [asdict(item) for item in passage.statements],
        "trust": passage.trust,
        "score": round(hit.score, 4),
        "source_ids": list(passage.source_ids),
    }


def _built(status: LibraryStatus, language: Language) -> str:
    if not status.vectors:
        return say("docs.words_only", language, reason=status.reason)
    return say("docs.built", language, passages=status.passages, embedder=status.embedder, folder=status.folder)
