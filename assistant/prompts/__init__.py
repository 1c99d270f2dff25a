"""System prompts, text only, one file per language."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def system_prompt() -> str:
    """The static system prompt: Chinese and English, never rewritten within a thread (prefix caches stay valid)."""
    folder = files("assistant").joinpath("prompts")
    return "\n\n".join(folder.joinpath(f"system.{lang}.md").read_text(encoding="utf-8").strip() for lang in ("en", "zh"))
