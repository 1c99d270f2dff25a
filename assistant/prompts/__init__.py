"""What a chat model is told: system prompts, text only, one file per language, and what each tool is for (tools.toml)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tools.phrases import Language


@cache
def system_prompt(language: Language | None = None) -> str:
    """The static system prompt of one language, never rewritten within a thread (prefix caches stay valid); without a language both,
    English first.

    A model is told one: half the tokens of every call, which a small model with a short context needs more than a thread that
    switches its language needs its cache.
    """
    languages: tuple[Language, ...] = (language,) if language else ("en", "zh")
    folder = files("assistant").joinpath("prompts")
    return "\n\n".join(folder.joinpath(f"system.{each}.md").read_text(encoding="utf-8").strip() for each in languages)
