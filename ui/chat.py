"""`xuanka chat`: a conversation in the terminal, or questions from a pipe, one a line."""

from __future__ import annotations

import contextlib
import sys
import uuid
from typing import TYPE_CHECKING, Annotated

import typer

from knowledge.errors import XuankaError

from .options import Lang, Region, default_region
from .speech import choose_language, locale_language, say

if TYPE_CHECKING:
    from assistant import Assistant
    from tools.phrases import Language

PROMPT = "› "


def chat(
    llm: Annotated[str | None, typer.Option("--llm", help="Chat model: offline (rules) or provider:name.")] = None,
    lang: Lang = None,
    region: Region = None,
) -> None:
    """Talk. Follow-up questions build on what was said; /quit ends, /new starts over."""
    from assistant import Assistant

    assistant = Assistant(llm, region=default_region(region) if region else None)
    if not lang:
        print(say("chat.greeting", "zh"))
        print(say("chat.greeting", "en"))
    else:
        print(say("chat.greeting", lang))
    _talk(assistant, lang)


def _talk(assistant: Assistant, lang: Language | None) -> None:
    thread, language = _new_thread(), lang or locale_language()
    while True:
        line = _read_line()
        if line is None or line in ("/quit", "/exit", "/q"):
            print(say("chat.bye", language))
            return
        if line == "/new":
            thread = _new_thread()
            print(say("chat.new", language))
        elif line.startswith("/"):
            if line != "/help":
                print(say("chat.unknown", language, name=line.split()[0]))
            print(say("chat.help", language))
        elif line:
            language = choose_language(lang, line)
            _answer(assistant, line, thread, lang)


def _answer(assistant: Assistant, line: str, thread: str, lang: Language | None) -> None:
    """Shows the steps, then the answer. An error ends the turn, not the conversation."""
    from assistant.answer import Call
    from assistant.assistant import OFFLINE
    from assistant.progress import Progress

    from .render import answer_blocks
    from .screen import complain, show

    try:
        for event in assistant.events(line, thread, language=lang):
            if isinstance(event, Call):
                print(f"  · {event.tool} {'✓' if event.ok else '✗'} {event.ms:.0f} ms")
            elif isinstance(event, Progress):
                if assistant.llm != OFFLINE:  # the rules are done before it could be read
                    print(f"  · {event.text}", flush=True)
            else:
                print()
                show(answer_blocks(event))
    except XuankaError as error:
        complain(str(error))
    except KeyboardInterrupt:
        print()
    sys.stdout.flush()


def _read_line() -> str | None:
    """The next line without spaces around it; None at the end of the input or when it is broken off."""
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):  # editing and history of the line; not on Windows
            import readline  # noqa: F401
    try:
        return input(PROMPT if sys.stdin.isatty() else "").strip()
    except (EOFError, KeyboardInterrupt):
        print()
        return None


def _new_thread() -> str:
    return f"chat-{uuid.uuid4().hex}"
