"""`xuanka ask`: one question, one Answer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, Lang, Region, default_region

if TYPE_CHECKING:
    from assistant import Answer
    from tools.phrases import Language


def ask(
    text: Annotated[str, typer.Argument(help="The question, or - for standard input.")],
    llm: Annotated[str | None, typer.Option("--llm", help="Chat model: offline (rules) or provider:name.")] = None,
    lang: Lang = None,
    region: Region = None,
    thread: Annotated[str | None, typer.Option("--thread", help="Name of the conversation; kept for the next question.")] = None,
    as_json: Json = False,
) -> None:
    """Ask one question. Exit code 0 for every answer, also one that declines or asks back."""
    question = sys.stdin.read() if text == "-" else text
    answer = answered(question, llm=llm, lang=lang, region=default_region(region) if region else None, thread=thread)
    if as_json:
        from .screen import show_json

        show_json(answer)
        return
    from .render import answer_blocks
    from .screen import show

    show(answer_blocks(answer))


def answered(
    question: str, *, llm: str | None, lang: Language | None, region: str | None, thread: str | None
) -> Answer:
    """The answer, in a conversation of its own or in the one called `thread`, which is kept in the data folder."""
    from assistant import Assistant

    if thread is None:
        return Assistant(llm, region=region).ask(question, language=lang)
    from assistant.settings import read_settings

    from .threads import ThreadFile

    kept = ThreadFile(read_settings().data_dir / "threads", thread)
    answer = Assistant(llm, region=region, checkpointer=kept.checkpointer).ask(question, thread, language=lang)
    kept.save()
    return answer
