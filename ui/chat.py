"""`xuanka chat`: a conversation in the terminal, or questions from a pipe, one a line."""

from __future__ import annotations

import contextlib
import sys
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from knowledge.errors import XuankaError

from .options import Lang, Region, default_region
from .speech import choose_language, locale_language, say

if TYPE_CHECKING:
    from assistant import Assistant
    from tools.phrases import Language

    from .threads import Conversations

PROMPT = "› "
LONGEST_LINE = 120
"""Characters of the last question that is shown where a conversation is taken up again."""


@dataclass
class Kept:
    """A conversation that has a name, and whether it was said that it is not kept."""

    name: str
    store: Conversations
    complained: bool = False

    def start_over(self) -> str:
        """Forgets what was said; the name stays."""
        from .screen import complain

        try:
            self.store.threads.forget(self.name)
        except XuankaError as error:
            complain(str(error))
        return self.name

    def complain_once(self, language: Language) -> None:
        """Says so where the last turn could not be written."""
        from .screen import complain
        from .threads import unkept_sentence

        unkept = self.store.unkept(self.name)
        if unkept is not None and not self.complained:
            complain(unkept_sentence(self.store.folder, unkept, language))
        self.complained = unkept is not None


def chat(
    llm: Annotated[str | None, typer.Option("--llm", help="Chat model: offline (rules) or provider:name.")] = None,
    lang: Lang = None,
    region: Region = None,
    thread: Annotated[str | None, typer.Option("--thread", help="Name of the conversation; kept, and taken up again.")] = None,
) -> None:
    """Talk. Follow-up questions build on what was said; /quit ends, /new starts over."""
    from assistant import Assistant

    place = default_region(region) if region else None
    if thread is None:
        _greet(lang)
        _talk(Assistant(llm, region=place), lang)
        return
    from assistant.settings import read_settings

    from .threads import open_conversations

    with open_conversations(read_settings()) as kept:
        before = kept.threads.load(thread)
        _greet(lang)
        if before.turns:
            language, last = lang or before.turns[-1].language, before.turns[-1].question
            print(say("chat.resumed", "zh" if language == "zh" else "en", name=thread, turns=before.counter, question=_line_of(last)))
        _talk(Assistant(llm, region=place, checkpointer=kept.checkpointer), lang, Kept(thread, kept))


def _greet(lang: Language | None) -> None:
    if not lang:
        print(say("chat.greeting", "zh"))
        print(say("chat.greeting", "en"))
    else:
        print(say("chat.greeting", lang))


def _line_of(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"


def _talk(assistant: Assistant, lang: Language | None, kept: Kept | None = None) -> None:
    thread, language = kept.name if kept else _new_thread(), lang or locale_language()
    while True:
        line = _read_line()
        if line is None or line in ("/quit", "/exit", "/q"):
            print(say("chat.bye", language))
            return
        if line == "/new":
            thread = kept.start_over() if kept else _new_thread()
            print(say("chat.new", language))
        elif line.startswith("/"):
            if line != "/help":
                print(say("chat.unknown", language, name=line.split()[0]))
            print(say("chat.help", language))
        elif line:
            language = choose_language(lang, line)
            _answer(assistant, line, thread, lang)
            if kept:
                kept.complain_once(language)


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
