"""Reads a question as the next one of a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .thread import Thread

if TYPE_CHECKING:
    from assistant.read.reading import Reading


def read_in_thread(question: str, thread: Thread, *, language: str | None = None) -> Reading:
    """What the question asks, given what the thread keeps."""
    from assistant.read.read import read_question

    return read_question(question, previous=carried_of(thread), language=language, earlier=thread.earlier())


def carried_of(thread: Thread) -> Reading | None:
    """The reading that the next question builds on."""
    from assistant.read.reading import Reading

    return Reading.model_validate(thread.carried) if thread.carried else None


def after_turn(thread: Thread, question: str, reading: Reading, *, answer: str, language: str, llm: str) -> Thread:
    """The thread with one turn more: `reading` is that of the question, `answer` the checked text as it was shown."""
    from assistant.read.pointed import pasted_in
    from assistant.read.thread import choose_previous

    carried = choose_previous(reading, carried_of(thread))
    return thread.after(question=question, answer=answer, language=language, llm=llm, carried=carried, pasted=pasted_in(question, reading))
