"""Turns for the tests of stores."""

from __future__ import annotations

from assistant.read.read import read_question
from assistant.read.reading import Reading
from assistant.threads import Thread, Threads

READING: Reading = read_question("Qwen2.5-72B int4 8K 8 并发")


def after(thread: Thread, question: str, answer: str = "答") -> Thread:
    return thread.after(question=question, answer=answer, language="zh", llm="offline", carried=READING)


def add_turn(threads: Threads, name: str, question: str, answer: str = "答") -> None:
    with threads.turn(name) as thread:
        threads.save(name, after(thread, question, answer))


def questions(threads: Threads, name: str) -> list[str]:
    return [turn.question for turn in threads.load(name).turns]
