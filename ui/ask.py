"""`xuanka ask`: one question, one Answer."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from .options import Json, Lang, Region, default_region


def ask(
    text: Annotated[str, typer.Argument(help="The question, or - for standard input.")],
    llm: Annotated[str | None, typer.Option("--llm", help="Chat model: offline (rules) or provider:name.")] = None,
    lang: Lang = None,
    region: Region = None,
    thread: Annotated[str | None, typer.Option("--thread", help="Name of the conversation the question belongs to.")] = None,
    as_json: Json = False,
) -> None:
    """Ask one question. Exit code 0 for every answer, also one that declines or asks back."""
    from assistant import Assistant

    question = sys.stdin.read() if text == "-" else text
    assistant = Assistant(llm, region=default_region(region) if region else None)
    answer = assistant.ask(question, thread, language=lang)
    if as_json:
        from .screen import show_json

        show_json(answer)
        return
    from .render import answer_blocks
    from .screen import show

    show(answer_blocks(answer))
