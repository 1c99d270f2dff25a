"""The words of the accuracy reports, both languages (words.toml)."""

from __future__ import annotations

from tools.phrases import Language, read_phrases
from tools.phrases import say as say_from


def say(code: str, language: Language, **arguments: object) -> str:
    """The phrase of `code`. A missing code is a bug (KeyError)."""
    return say_from(read_phrases("evals", "accuracy/words.toml"), code, language, **arguments)


def known(code: str) -> bool:
    """Whether the table has a phrase of that code."""
    return code in read_phrases("evals", "accuracy/words.toml")
