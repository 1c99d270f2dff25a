"""`xuanka ask`: one question, one Answer."""

from __future__ import annotations

import sys
from pathlib import Path
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

    It stands alone or in the conversation called `thread`, which is kept where the settings say.
    """
    from assistant import Assistant
    from assistant.settings import read_settings

    if thread is None:
        assistant = Assistant(llm, region=region)
        answer = assistant.ask(question, language=lang)
        return answer, _poorer_search(assistant, answer)
    from .threads import old_file, open_conversations

    settings = read_settings()
    with open_conversations(settings) as kept:
        assistant = Assistant(llm, region=region, checkpointer=kept.checkpointer)
        answer = assistant.ask(question, thread, language=lang)
        unkept = kept.unkept(thread)
        old = old_file(settings.data_dir, thread) if unkept is None and kept.threads.load(thread).counter == 1 else None
    if unkept is None:
        forgotten = [say("ask.old_file", answer.language, file=old)] if old else []
        return answer, [*forgotten, *_poorer_search(assistant, answer)]
    return answer, _losses(assistant, answer, unkept, kept.folder)


def _losses(assistant: Assistant, answer: Answer, unkept: OSError, folder: Path | None) -> list[str]:
    """What a user must know whose conversation is not kept. A folder that takes no files is told once, whatever it cost."""
    from .doctor import folder_fault, way_to_write
    from .threads import unkept_sentence

    poorer = _poorer_search(assistant, answer)
    data = assistant.settings.data_dir
    if poorer and folder == data and folder_fault(data / "index"):
        cause, way = unkept.strerror or str(unkept), way_to_write(data, unkept, answer.language)
        return [say("ask.not_kept_words_only", answer.language, folder=data, reason=cause, way=way)]
    return [unkept_sentence(folder, unkept, answer.language), *poorer]


def _poorer_search(assistant: Assistant, answer: Answer) -> list[str]:
    """A sentence where the index could not be opened and a search of this answer went by words only."""
    settings = assistant.settings
    if settings.embedder == "none" or not any(call.tool == SEARCH for call in answer.calls):
        return []  # opening the index only for this would cost more than the answer
    from .doctor import way_to_vectors

    status = assistant.library.status()
    if status.vectors or not status.reason:
        return []
    return [say("ask.words_only", answer.language, reason=status.reason, way=way_to_vectors(status, settings, answer.language))]
