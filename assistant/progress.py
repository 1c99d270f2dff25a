"""What happens while a question is answered: shown at once, long before the checked text."""

from __future__ import annotations

from typing import Any, Literal

from tools.phrases import Language, read_phrases, say

from .answer import Part

Stage = Literal["reading", "thinking", "calling", "rewriting", "falling_back"]


class Progress(Part):
    """One step of a turn. `tool` and `args` tell which tool is called with what; `text` says the step in the user's language.

    No text of a chat model is ever part of it.
    """

    stage: Stage
    text: str
    tool: str = ""
    args: dict[str, Any] = {}


def progress(stage: Stage, language: Language, *, tool: str = "", args: dict[str, Any] | None = None) -> Progress:
    """The step with its sentence."""
    table = read_phrases("assistant", "progress.toml")
    code = tool if stage == "calling" and tool in table else stage
    return Progress(stage=stage, text=say(table, code, language), tool=tool, args=args or {})
