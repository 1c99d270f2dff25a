"""`xuanka ask`: one question, one Answer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, Lang, Region, default_region
from .screen import complain
from .speech import say

if TYPE_CHECKING:
    from assistant import Answer, Assistant
    from tools.phrases import Language

SEARCH = "search_guides"
"""The tool whose findings are poorer when the index cannot be opened."""


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
    answer, losses = answered(question, llm=llm, lang=lang, region=default_region(region) if region else None, thread=thread)
    if as_json:
        from .screen import show_json

        show_json(answer)
    else:
        from .render import answer_blocks
        from .screen import show

        show(answer_blocks(answer))
    for sentence in losses:
        complain(sentence)


def answered(
    question: str, *, llm: str | None, lang: Language | None, region: str | None, thread: str | None
) -> tuple[Answer, list[str]]:
    """The answer, and one sentence for each thing it had to do without.

    It stands alone or in the conversation called `thread`, which is kept in the data folder.
    """
    from assistant import Assistant
    from assistant.settings import read_settings

    if thread is None:
        assistant = Assistant(llm, region=region)
        answer = assistant.ask(question, language=lang)
        return answer, _losses(assistant, answer, None)
    from .threads import ThreadFile

    kept = ThreadFile(read_settings().data_dir / "threads", thread)
    assistant = Assistant(llm, region=region, checkpointer=kept.checkpointer)
    answer = assistant.ask(question, thread, language=lang)
    try:
        kept.save()
    except OSError as error:
        return answer, _losses(assistant, answer, error)
    return answer, _losses(assistant, answer, None)


def _losses(assistant: Assistant, answer: Answer, unkept: OSError | None) -> list[str]:
    """What a user must know who expected more. A folder that takes no files is told once, whatever it cost."""
    from .doctor import folder_fault, way_to_vectors, way_to_write

    settings, language = assistant.settings, answer.language
    searched = settings.embedder != "none" and any(call.tool == SEARCH for call in answer.calls)
    # Opened by that search; without one, opening the index only for this would cost more than the answer.
    status = assistant.library.status() if searched else None
    reason = status.reason if status and not status.vectors else ""
    if unkept is None:
        if not reason or status is None:
            return []
        return [say("ask.words_only", language, reason=reason, way=way_to_vectors(status, settings, language))]
    code = "ask.not_kept_words_only" if reason and folder_fault(settings.data_dir / "index") else "ask.not_kept"
    folder = settings.data_dir
    cause = unkept.strerror or str(unkept)
    losses = [say(code, language, folder=folder, reason=cause, way=way_to_write(folder, unkept, language))]
    if status and reason and code == "ask.not_kept":
        losses.append(say("ask.words_only", language, reason=reason, way=way_to_vectors(status, settings, language)))
    return losses
