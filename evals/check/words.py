"""The words of the report on the check, both languages (words.toml)."""

from __future__ import annotations

from tools.phrases import Language, read_phrases
from tools.phrases import say as say_from


def say(code: str, language: Language, **arguments: object) -> str:
    """The phrase of `code`. A missing code is a bug (KeyError)."""
    return say_from(read_phrases("evals", "check/words.toml"), code, language, **arguments)
